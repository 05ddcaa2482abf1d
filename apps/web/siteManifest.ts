import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
  const visit = (name: string): void => {
    const chunk = manifest[name];
    if (!chunk || chunks.has(chunk)) return;
    chunks.add(chunk);
    for (const next of chunk.imports ?? []) visit(next);
  };
  for (const name of names) visit(name);
  return chunks;
}
