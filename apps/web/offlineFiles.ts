import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, readManifest } from './pageFiles.ts';

/** Pages that open offline. The service worker caches everything that they may load. There is no other list of them. */
const PAGES: readonly { readonly path: string; readonly tool?: string; readonly part?: RegExp }[] = [
  { path: '/shopplanner', tool: 'shopping' },
  { path: '/stopwatch', tool: 'timer' },
  { path: '/stopwatch/minify', tool: 'timer' },
  // A logout without a connection leads here.
  { path: '/login', part: /accounts\/web\/LoginPage\./ },
];
/** Files in the folder that are not built. */
const EXTRA_FILES = ['scheme.js', 'mark.svg', 'images/minify/*'];

/** Content of /offline.json, which the service worker reads. */
export interface OfflineFiles {
  /** Changes with every different build. */
  readonly build: string;
  readonly pages: readonly string[];
  readonly files: readonly string[];
}

const OFFLINE_TOOLS = new Set<string | undefined>(PAGES.map(({ tool }) => tool));
/** Returns whether a module belongs to the shell, the platform, a package, or a tool with an offline page. */
function isOfflineModule(key: string): boolean {
  const tool = /(?:^|\/)tools\/(\w+)\//.exec(key)?.[1];
  return tool === undefined || OFFLINE_TOOLS.has(tool) || PAGES.some(({ part }) => part?.test(key));
}

function listChunkFiles(manifest: Manifest): ReadonlySet<string> {
  const visitedKeys = new Set<string>();
  const files = new Set<string>();
  function visit(key: string): void {
    const chunk = manifest[key];
    if (!chunk || visitedKeys.has(key) || !isOfflineModule(key)) return;
    visitedKeys.add(key);
    for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file);
    for (const next of [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]) visit(next);
  }
  visit('index.html');
  return files;
}

/** Finds files that only the text of chunks names, such as workers, because the manifest does not list them. */
async function listNamedFiles(
  dist: string,
  manifest: Manifest,
  files: ReadonlySet<string>,
): Promise<readonly string[]> {
  const listed = new Set(
    Object.values(manifest).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]),
  );
  const unlisted = globSync('assets/*', { cwd: dist }).filter(
    (file) => !listed.has(file) && !/\.(?:br|gz|map)$/.test(file),
  );
  const texts = await Promise.all(
    [...files].filter((file) => file.endsWith('.js')).map((file) => readFile(join(dist, file), 'utf8')),
  );
  return unlisted.filter((file) => texts.some((text) => text.includes(file.slice('assets/'.length))));
}

/** Lists the files of a built site that the service worker caches. */
export async function listOfflineFiles(dist: string): Promise<OfflineFiles> {
  const manifest = await readManifest(dist);
  const files = listChunkFiles(manifest);
  const extraFiles = EXTRA_FILES.flatMap((pattern) => globSync(pattern, { cwd: dist })).filter(
    (file) => !/\.(?:br|gz)$/.test(file),
  );
  const all = [...files, ...(await listNamedFiles(dist, manifest, files)), ...extraFiles].toSorted();
  const hash = createHash('sha256').update(await readFile(join(dist, 'index.html')));
  // Names of built files contain a hash of their content; the others do not.
  for (const file of extraFiles) hash.update(await readFile(join(dist, file)));
  hash.update(all.join('\n'));
  return {
    build: hash.digest('hex').slice(0, 16),
    pages: PAGES.map(({ path }) => path),
    files: all.map((file) => `/${file}`),
  };
}
