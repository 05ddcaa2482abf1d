import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openLibc } from '../native/libc.ts';
import { writeDescriptor } from './clipboard.ts';

const TEXT = 'Grüße 👋\n'.repeat(20_000);

test('a program that pastes into a pipe gets the text', async () => {
  const { readEnd, writeEnd } = openLibc().createPipe();
  writeDescriptor(writeEnd, TEXT);
  expect(await readText(new Socket({ fd: readEnd, readable: true, writable: false }))).toBe(TEXT);
});

test('a program that pastes into a file gets the text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-clipboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pasted');
  writeDescriptor(openSync(path, 'w'), TEXT);
  await expect.poll(() => readFileSync(path, 'utf8') === TEXT).toBe(true);
});
