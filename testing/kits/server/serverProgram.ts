import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import { COMPILE_CACHE, hashFiles } from '../../../apps/server/buildStamp.ts';
import { getSharedFolder } from './globalSetup.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Is in the repository, so that packages that are not bundled are found. */
const CACHE = join(root, 'node_modules/.cache/server-programs');
const SOURCES = [
  'package{,-lock}.json',
  'testing/kits/server/serverProgram.ts',
  '{apps/server,platform,tools}/**/*.{ts,tsx,json,txt}',
];
const EXCLUDED_SOURCES = ['**/*.{test,e2e}.{ts,tsx}'];
/** Native modules, and optional packages that others try to load; not bundled. */
const EXTERNAL_PACKAGES = ['better-sqlite3', 'sharp', 'zlib-sync', 'pg-native', 'bufferutil', 'utf-8-validate'];

const hashSources = (): string => hashFiles(SOURCES, EXCLUDED_SOURCES).slice(0, 16);

/** Makes a bundled module find the files beside its source. */
const keepSourcePaths: Plugin = {
  name: 'keep-source-paths',
  transform: (code, id) =>
    code.includes('import.meta.')
      ? code
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : undefined,
};

async function bundle(into: string): Promise<void> {
  // Loaded only if used, as it is large.
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [keepSourcePaths],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node26',
      outDir: into,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: { main: 'apps/server/main.ts', cli: 'apps/server/cli.ts' },
        external: [...builtinModules, ...EXTERNAL_PACKAGES],
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
}

/** Age at which no running test run can still need a build. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

async function removeOldBuilds(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - (await stat(path)).mtimeMs > MAX_AGE_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Builds the current sources, unless they are built already. */
async function buildPrograms(): Promise<string> {
  const folder = join(CACHE, hashSources());
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  await removeOldBuilds();
  const temporaryFolder = await mkdtemp(join(CACHE, 'making-'));
  await bundle(temporaryFolder);
  await rename(temporaryFolder, folder);
  // Node stores its compile cache when a program ends normally; those of tests are killed.
  const cli = join(folder, 'cli.mjs');
  spawnSync(process.execPath, [cli], {
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCache(cli) },
    stdio: 'ignore',
  });
  return folder;
}

/** Returns the `NODE_COMPILE_CACHE` of a program: the cache of a built one is beside it. */
export function getCompileCache(program: string): string {
  return program.startsWith(CACHE) ? join(dirname(program), 'compile') : COMPILE_CACHE;
}

let programFolder: Promise<string> | undefined;

async function getProgramFolder(): Promise<string> {
  // One file of a run builds it, the others wait.
  const sharedFolder = await getSharedFolder('server-programs', async (into) =>
    writeFile(join(into, 'path'), await buildPrograms()),
  );
  return sharedFolder === undefined ? buildPrograms() : readFile(join(sharedFolder, 'path'), 'utf8');
}

/**
 * Returns the path of a bundled program of the server, which starts in half the time of the sources.
 * For tests that start servers repeatedly. Built once per state of the sources, on first use.
 */
export async function getServerProgram(name: 'main' | 'cli'): Promise<string> {
  programFolder ??= getProgramFolder();
  return join(await programFolder, `${name}.mjs`);
}
