import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, constantFrom, oneof, property, record, string } from 'fast-check';
import { expect, test } from 'vitest';
import { computeSha256 } from '../storage/sha256.ts';
import { formatChecksumLine, parseChecksumList } from './checksumList.ts';

const sha256 = string({ unit: constantFrom(...Array.from('0123456789abcdef')), minLength: 64, maxLength: 64 });
const path = oneof(
  string({ minLength: 1 }),
  constantFrom('a\\nb', 'line\nbreak', 'line\u2028separator', '\\', 'back\\slash\r'),
).filter((text) => !text.includes('\0'));

test('a list that was written is read again, whatever the names of the files are', () => {
  assert(
    property(array(record({ path, sha256 })), (files) => {
      expect(parseChecksumList(files.map(formatChecksumLine).join(''))).toEqual(files);
    }),
  );
});

test('a damaged list is refused', () => {
  expect(() => parseChecksumList('abc  file\n')).toThrow('damaged');
});

test('sha256sum accepts the list, also with odd names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-checksums-'));
  try {
    const lines: string[] = [];
    for (const name of ['plain', 'with space', 'line\nbreak', 'back\\slash', 'ümlaut']) {
      await writeFile(join(folder, name), name);
      lines.push(formatChecksumLine({ path: name, sha256: await computeSha256(join(folder, name)) }));
    }
    await writeFile(join(folder, 'list'), lines.join(''));
    expect(spawnSync('sha256sum', ['--check', '--strict', 'list'], { cwd: folder, encoding: 'utf8' })).toMatchObject({
      status: 0,
    });
    await writeFile(join(folder, 'plain'), 'changed');
    expect(spawnSync('sha256sum', ['--check', 'list'], { cwd: folder, encoding: 'utf8' })).toMatchObject({ status: 1 });
  } finally {
    await rm(folder, { recursive: true });
  }
});
