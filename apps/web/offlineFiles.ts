import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, readManifest } from './siteManifest.ts';

/** Pages that open with no line: all that their tools' pages may load is kept by the service worker. The one list of them. */
const PAGES: readonly { readonly path: string; readonly tool?: string; readonly part?: RegExp }[] = [
  { path: '/shopplanner', tool: 'shopping' },
  { path: '/stopwatch', tool: 'timer' },
  { path: '/stopwatch/minify', tool: 'timer' },
  // Whoever logs out with no line is led there.
  { path: '/login', part: /accounts\/web\/(?:LoginPage|notKept)\./ },
];
/** What stands beside the built files, by its place in the folder. */
const EXTRA_FILES = ['scheme.js', 'mark.svg', 'images/minify/*'];

/** What the service worker reads at /offline.json. */
export interface OfflineFiles {
  /** Another one with every build that differs. */
  readonly build: string;
  readonly pages: readonly string[];
  readonly files: readonly string[];
}

const tools = new Set<string | undefined>(PAGES.map(({ tool }) => tool));
/** Shell, platform and packages go with every page; of the tools, those that have one. */
const isOfflineModule = (key: string): boolean => {
  const tool = /(?:^|\/)tools\/(\w+)\//.exec(key)?.[1];
  return tool === undefined || tools.has(tool) || PAGES.some(({ part }) => part?.test(key));
};

const filesFrom = (manifest: Manifest): ReadonlySet<string> => {
  const seen = new Set<string>();
  const files = new Set<string>();
  const visit = (key: string): void => {
    const chunk = manifest[key];
    if (!chunk || seen.has(key) || !isOfflineModule(key)) return;
    seen.add(key);
    for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file);
    for (const next of [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]) visit(next);
  };
  visit('index.html');
  return files;
};

/** Workers and the like are built beside the manifest: chunks name them. */
const named = async (dist: string, manifest: Manifest, files: ReadonlySet<string>): Promise<readonly string[]> => {
  const told = new Set(Object.values(manifest).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]));
  const beside = globSync('assets/*', { cwd: dist }).filter(
    (file) => !told.has(file) && !/\.(?:br|gz|map)$/.test(file),
  );
  const texts = await Promise.all(
    [...files].filter((file) => file.endsWith('.js')).map((file) => readFile(join(dist, file), 'utf8')),
  );
  return beside.filter((file) => texts.some((text) => text.includes(file.slice('assets/'.length))));
};

/** What is to be kept of the site built in this folder. */
export async function listOfflineFiles(dist: string): Promise<OfflineFiles> {
  const manifest = await readManifest(dist);
  const files = filesFrom(manifest);
  const beside = EXTRA_FILES.flatMap((pattern) => globSync(pattern, { cwd: dist })).filter(
    (file) => !/\.(?:br|gz)$/.test(file),
  );
  const all = [...files, ...(await named(dist, manifest, files)), ...beside].toSorted();
  const hash = createHash('sha256').update(await readFile(join(dist, 'index.html')));
  // Names of built files carry their hash; the others do not.
  for (const file of beside) hash.update(await readFile(join(dist, file)));
  hash.update(all.join('\n'));
  return {
    build: hash.digest('hex').slice(0, 16),
    pages: PAGES.map(({ path }) => path),
    files: all.map((file) => `/${file}`),
  };
}
