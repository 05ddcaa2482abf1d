import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSecretFile } from './secretFile.ts';

test('of several processes that create a secret file, one wins, and nothing else remains', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-secret-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'secret.key');
  await Promise.all(['one', 'two', 'three'].map((content) => createSecretFile(path, content)));
  expect(await readdir(folder)).toEqual(['secret.key']);
  expect(['one', 'two', 'three']).toContain(await readFile(path, 'utf8'));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
