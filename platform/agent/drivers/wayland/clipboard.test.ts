import { openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { openLibc } from '../native/libc.ts';
import { writeDescriptor } from './clipboard.ts';

const TEXT = 'Grüße 👋\n'.repeat(20_000);

test('a program that pastes into a pipe gets the text', async () => {
  const { readEnd, writeEnd } = openLibc().createPipe();
  writeDescriptor(writeEnd, TEXT);
  expect(await readText(new Socket({ fd: readEnd, readable: true, writable: false }))).toBe(TEXT);
});

test('a program that pastes into a file gets the text', async () => {
  const folder = createTempFolderSync();
  const path = join(folder, 'pasted');
  writeDescriptor(openSync(path, 'w'), TEXT);
  await expect.poll(() => readFileSync(path, 'utf8') === TEXT).toBe(true);
});
