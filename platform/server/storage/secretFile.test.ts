import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createSecretFile } from './secretFile.ts';

test('of several processes that create a secret file, one wins, and nothing else remains', async () => {
  const folder = await createTempFolder();
  const path = join(folder, 'secret.key');
  await Promise.all(['one', 'two', 'three'].map((content) => createSecretFile(path, content)));
  expect(await readdir(folder)).toEqual(['secret.key']);
  expect(['one', 'two', 'three']).toContain(await readFile(path, 'utf8'));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
