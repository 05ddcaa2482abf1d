import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One built file, as Vite's manifest tells it. */
export interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}
/** By the paths of sources, seen from apps/web; the entry is `index.html`. */
export type Manifest = Readonly<Record<string, Chunk>>;

export async function readManifest(dist: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;
}

/** What a browser has to take before these parts work: they, and what they import. */
export function listChunks(manifest: Manifest, ...names: readonly string[]): ReadonlySet<Chunk> {
  const taken = new Set<Chunk>();
  const take = (name: string): void => {
    const chunk = manifest[name];
    if (!chunk || taken.has(chunk)) return;
    taken.add(chunk);
    for (const next of chunk.imports ?? []) take(next);
  };
  for (const name of names) take(name);
  return taken;
}
