import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RangedFile } from '#platform/contract/call.ts';
import { createSongRow, createNoise } from '#testing/kits/media/songs.ts';
import { readZip } from '#testing/kits/server/zip.ts';
import type { Song } from '../../domain/song.ts';
import { computeZipLayout } from '../../domain/zipLayout.ts';
import { createSongsZip } from './fileSender.ts';

const run = promisify(execFile);

/** Creates a zip of songs with these contents. */
function createZip(contents: readonly Buffer[], overrides: Partial<Song> = {}): RangedFile {
  const songs = contents.map((content, number): Song => ({
    ...createSongRow(number, { size: content.length, crc: crc32(content) }),
    place: number,
    plays: 0,
    played: undefined,
    starred: undefined,
    rating: 0,
    isMissing: false,
    ...overrides,
  }));
  const byId = new Map(songs.map(({ id }, index) => [id, contents[index] ?? Buffer.alloc(0)]));
  return createSongsZip(songs, { createBytePart: ({ id }) => ({ bytes: byId.get(id) ?? Buffer.alloc(0) }) });
}

async function readAll(body: RangedFile, from = 0, to = body.size - 1): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body.read({ from, to })) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

test('any range of a zip is the same slice of it, whatever the songs are', async () => {
  const sizes = fc.array(fc.nat({ max: 400 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (lengths, one, other) => {
      const body = createZip(lengths.map((length, seed) => createNoise(seed, length)));
      const allBytes = await readAll(body);
      expect(allBytes.length).toBe(body.size);
      const [a, b] = [one % body.size, other % body.size];
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      expect((await readAll(body, from, to)).equals(allBytes.subarray(from, to + 1))).toBe(true);
    }),
  );
});

test('unpacked files equal the originals, and the same songs make the same zip', async () => {
  const contents = [createNoise(1, 500), Buffer.alloc(0), createNoise(2, 70_000)];
  const body = createZip(contents);
  const files = [...readZip(await readAll(body)).values()];
  for (const [index, content] of contents.entries()) expect(files[index]?.equals(content)).toBe(true);
  expect([createZip(contents).etag, (await readAll(createZip(contents))).equals(await readAll(body))]).toEqual([
    body.etag,
    true,
  ]);
  expect(createZip(contents, { title: 'Other' }).etag).not.toBe(body.etag);
  expect(createZip([createNoise(3, 500), ...contents.slice(1)]).etag).not.toBe(body.etag);
});

test('Python finds a file beyond 4 GiB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-zip-'));
  try {
    const small = Buffer.from('behind a large one');
    const files = [
      { name: 'large', size: 4_400_000_000, crc: 0, modified: 0 },
      { name: 'small', size: small.length, crc: crc32(small), modified: Date.UTC(2026, 10, 23) },
    ];
    const path = join(folder, 'large.zip');
    {
      // The large file is sparse: it takes no disk space.
      await using zip = await open(path, 'w');
      let at = 0;
      for (const part of computeZipLayout(files).parts) {
        const bytes = typeof part === 'number' ? [Buffer.alloc(0), small][part] : part;
        if (bytes && bytes.length > 0) await zip.write(bytes, 0, bytes.length, at);
        at += typeof part === 'number' ? (files[part]?.size ?? 0) : part.length;
      }
    }
    const python = `import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);print([(i.filename,i.file_size,i.date_time[0]) for i in z.infolist()],z.read('small').decode())`;
    expect((await run('python3', ['-c', python, path])).stdout.trim()).toBe(
      "[('large', 4400000000, 1980), ('small', 18, 2026)] behind a large one",
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
