import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readManifest, listChunks } from '../../apps/web/pageFiles.ts';

/** What a browser must load before a page works, in bytes of gzip. */
export interface LoadWeight {
  readonly scripts: readonly string[];
  readonly js: number;
  readonly css: number;
}

/**
 * Measures what must be loaded before `pages` (names in the manifest) work:
 * the entry, the pages' own modules, and imports.
 */
export async function measureFirstLoad(dist: string, ...pages: readonly string[]): Promise<LoadWeight> {
  const chunks = [...listChunks(await readManifest(dist), 'index.html', ...pages)];
  const weigh = (files: readonly string[]): number =>
    files.reduce((total, file) => total + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);
  const scripts = chunks.map(({ file }) => file);
  return { scripts, js: weigh(scripts), css: weigh([...new Set(chunks.flatMap(({ css = [] }) => css))]) };
}
