import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { getSkipReason } from '#testing/machine.ts';
import { createZip, type ZipEntry } from './accountExport.ts';

const modified = Temporal.Instant.from('2026-11-21T12:00:00Z');
const MIB = 1024 * 1024;

async function* yieldPieces(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* pieces;
}
async function* yieldEntries(...entries: readonly ZipEntry[]): AsyncGenerator<ZipEntry> {
  yield* entries;
}

const lack = getSkipReason('unzip');

test.skipIf(lack)(`another program can read the zip${lack === undefined ? '' : `, ${lack}`}`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const path = join(folder, 'a.zip');
  const song = new Uint8Array(MIB).map((_, index) => index * 31);
  const entries = yieldEntries(
    { path: 'notes.json', content: yieldPieces('{"text": ', '"hé 👋"}') },
    { path: 'music/1.mp3', content: yieldPieces(song.subarray(0, 1000), song.subarray(1000)), isPacked: true },
    { path: 'empty.txt', content: yieldPieces() },
  );
  await pipeline(createZip(entries, modified), createWriteStream(path));
  execFileSync('unzip', ['-t', path]);
  execFileSync('unzip', ['-q', path, '-d', folder]);
  expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('{"text": "hé 👋"}');
  expect(new Uint8Array(await readFile(join(folder, 'music/1.mp3')))).toEqual(song);
  expect(await readFile(join(folder, 'empty.txt'), 'utf8')).toBe('');
  await rm(folder, { recursive: true });
});

test('little is read ahead of a waiting reader', async () => {
  let created = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      created += MIB;
      yield new Uint8Array(MIB);
    }
  }
  const zip = createZip(yieldEntries({ path: 'a', content: endless(), isPacked: true }), modified);
  let read = 0;
  for await (const piece of zip) {
    read += (piece as Uint8Array).length;
    expect(created - read).toBeLessThan(8 * MIB);
    if (read > 64 * MIB) break;
  }
});

async function* failing(): AsyncGenerator<string> {
  yield 'half';
  throw new Error('the disk is gone');
}

test('a failing entry ends the zip with its error, so that it does not look complete', async () => {
  await expect(text(createZip(yieldEntries({ path: 'a', content: failing() }), modified))).rejects.toThrow(
    'the disk is gone',
  );
});

test('a reader that stops ends the entry that is being read', async () => {
  const entryEnded = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(MIB);
    } finally {
      entryEnded.resolve();
    }
  }
  const zip = createZip(yieldEntries({ path: 'a', content: endless(), isPacked: true }), modified);
  await zip[Symbol.asyncIterator]().next();
  zip.destroy();
  await entryEnded.promise;
});
