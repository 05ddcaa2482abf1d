import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const ignored = dockerignore.default().add(readFileSync(join(root, '.dockerignore'), 'utf8'));
const inImage = (paths: readonly string[]): readonly string[] => paths.filter((path) => !ignored.ignores(path));
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '');

const isSource = (path: string): boolean =>
  /^(?:apps\/(?!demo\/)|platform\/|tools\/)/.test(path) && !/\.(?:test|e2e|desktop)\.tsx?$/.test(path);

test('an image built in a used checkout contains no user data', () => {
  const used = [
    'data/data.db',
    'data/data.db-wal',
    'data/secret.key',
    'data/authority.json',
    'data.old/secret.key',
    'backup/data.db',
    'secret.key',
    'export.zip',
    '.env',
    '.git/config',
    'reports/figures.json',
    'node_modules/vite/package.json',
    'tools/node_modules/left/index.js',
    'apps/web/dist/index.html',
    'apps/agent/dist/agent.mjs',
    'apps/demo/main.ts',
    'testing/run.ts',
    'docs/running.md',
  ];
  expect(inImage(used)).toEqual([]);
});

test('an image contains the sources of the product and what builds and starts it', () => {
  const imageFiles = inImage(tracked);
  const top = new Set(imageFiles.map((path) => path.split('/', 1)[0] ?? ''));
  expect([...top].toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
    '.npmrc',
    'LICENSE',
    'apps',
    'build.ts',
    'package-lock.json',
    'package.json',
    'platform',
    'run.cjs',
    'tools',
    'tsconfig.json',
    'vite.agent.config.ts',
    'vite.config.ts',
  ]);
  expect(imageFiles.filter(isSource)).toEqual(tracked.filter(isSource));
  expect(imageFiles.filter((path) => /\.(?:test|e2e|desktop)\.tsx?$/.test(path))).toEqual([]);
});
