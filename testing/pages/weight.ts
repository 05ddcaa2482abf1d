import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readManifest, listChunks } from '../../apps/web/siteManifest.ts';

/** What a browser has to take before a page works, in bytes of gzip. */
export interface LoadWeight {
  readonly scripts: readonly string[];
  readonly js: number;
  readonly css: number;
}

/** Everything that the browser has to take before `pages` (names of the manifest) work: the entry, the page's own part, and what they import. */
export async function measureFirstLoad(dist: string, ...pages: readonly string[]): Promise<LoadWeight> {
  const chunks = [...listChunks(await readManifest(dist), 'index.html', ...pages)];
  const weigh = (files: readonly string[]): number =>
    files.reduce((total, file) => total + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);
  const scripts = chunks.map(({ file }) => file);
  return { scripts, js: weigh(scripts), css: weigh([...new Set(chunks.flatMap(({ css = [] }) => css))]) };
}
