import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
/** File with the hash of the sources of the last build. Written at its end. */
export const STAMP_PATH = join(root, 'apps/web/dist/.stamp');
/** Sources of the pages and of the agent. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'build.ts',
  'vite{,.agent}.config.ts',
  'apps/{web,agent}/**/*',
  'platform/{contract,web,agent}/**/*',
  'tools/*/*.ts',
  'tools/*/contract/*.ts',
  'tools/{*,*/*}/{domain,web,agent}/**/*',
];
const EXCLUDED_FILES = ['apps/*/dist/**', '**/*.{test,e2e}.{ts,tsx}'];

/** Folder of Node's compile cache for the server. */
export const COMPILE_CACHE = join(root, 'node_modules/.cache/compile');

/** Computes one hash over files, because modification times mean nothing after a clone or checkout. */
export function hashFiles(patterns: readonly string[], exclude: readonly string[], folder = root): string {
  const entries = globSync(patterns, { cwd: folder, exclude, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const path of paths.toSorted())
    hash
      .update(`${relative(folder, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return hash.digest('hex');
}

/** Computes one hash over all sources of pages and agent. */
export function hashSources(): string {
  return hashFiles(SOURCES, EXCLUDED_FILES);
}

/** Returns whether pages and agent were built from the current sources. */
export function isBuilt(): boolean {
  return existsSync(STAMP_PATH) && readFileSync(STAMP_PATH, 'utf8') === hashSources();
}
