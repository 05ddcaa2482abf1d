import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webTools } from './tools.ts';

/** A built file in Vite's manifest. */
export interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}
/** Chunks by source path relative to apps/web; the entry is `index.html`. */
export type Manifest = Readonly<Record<string, Chunk>>;

export async function readManifest(dist: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;
}

/** Lists the chunks that a browser must load for these entries, including their imports. */
export function listChunks(manifest: Manifest, ...names: readonly string[]): ReadonlySet<Chunk> {
  const chunks = new Set<Chunk>();
  function visit(name: string): void {
    const chunk = manifest[name];
    if (!chunk || chunks.has(chunk)) return;
    chunks.add(chunk);
    for (const importedName of chunk.imports ?? []) visit(importedName);
  }
  for (const name of names) visit(name);
  return chunks;
}

const FRAME = 'shell/ShellFrame.tsx';

/**
 * Finds the manifest entry of a tool's `import('./…')`.
 * @throws {Error} if there is not exactly one.
 */
function findEntry(manifest: Manifest, imported: string): string {
  const matches = Object.keys(manifest).filter((name) => name.endsWith(`/${imported}`));
  if (matches.length !== 1) throw new Error(`${imported} leads to ${matches.length} parts of the site, not to one`);
  return matches[0] ?? '';
}

/**
 * Lists the scripts and styles of each page by path, without those of the entry, so that the browser can load them in
 * parallel with it. They are read from the source text of the pages' `load`.
 */
export async function listPageFiles(dist: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const manifest = await readManifest(dist);
  const entryChunks = listChunks(manifest, 'index.html');
  function listFiles(load: string, isBare: boolean): readonly string[] {
    const parts = [...load.matchAll(/import\('\.{1,2}\/([^']+)'\)/g)].map(([, imported = '']) =>
      findEntry(manifest, imported),
    );
    const chunks = listChunks(manifest, ...(isBare ? [] : [FRAME]), ...parts);
    const files = [...chunks]
      .filter((chunk) => !entryChunks.has(chunk))
      .flatMap(({ file, css = [] }) => [file, ...css]);
    return [...new Set(files)].map((file) => `/${file}`);
  }
  const pages = webTools.flatMap((tool) => tool.pages);
  return Object.fromEntries(pages.map(({ path, load, frame }) => [path, listFiles(String(load), frame === 'bare')]));
}
