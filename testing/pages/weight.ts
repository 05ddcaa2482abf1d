import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

export type Manifest = Readonly<Record<string, Chunk>>;

export const readManifest = (dist: string): Manifest =>
  JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;

/** What a browser has to take before a page works, in bytes of gzip. */
export interface Weight {
  readonly scripts: readonly string[];
  readonly js: number;
  readonly css: number;
}

/** Everything that the browser has to take before `pages` (names of the manifest) work: the entry, the page's own part, and what they import. */
export const firstLoad = (dist: string, ...pages: readonly string[]): Weight => {
  const manifest = readManifest(dist);
  const seen = new Set<string>();
  const take = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of manifest[name]?.imports ?? []) take(imported);
  };
  take('index.html');
  for (const page of pages) take(page);
  const chunks = [...seen].flatMap((name) => manifest[name] ?? []);
  const weigh = (files: readonly string[]): number =>
    files.reduce((total, file) => total + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);
  const scripts = chunks.map(({ file }) => file);
  return { scripts, js: weigh(scripts), css: weigh([...new Set(chunks.flatMap(({ css = [] }) => css))]) };
};
