import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getMediaPath } from '#testing/kits/media/media.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { readTags, cleanTagText } from './tags.ts';

const MIB = 1024 * 1024;

/** Encodes a number as in tags, with seven bits per byte. */
const encodeSynchsafe = (value: number): readonly number[] => [21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f);

/** Creates a sparse mp3 that starts with a picture of this size. */
async function createSongWithPicture(bytes: number): Promise<string> {
  const folder = await createTempFolder();
  const path = join(folder, 'media.mp3');
  await using file = await open(path, 'w');
  const start = Buffer.from('\0image/jpeg\0\x03\0', 'latin1');
  const frame = [...Buffer.from('APIC'), ...encodeSynchsafe(start.length + bytes), 0, 0];
  const tag = [...Buffer.from('ID3'), 4, 0, 0, ...encodeSynchsafe(frame.length + start.length + bytes)];
  await file.write(Buffer.concat([Buffer.from([...tag, ...frame]), start]));
  await file.truncate(10 + frame.length + start.length + bytes + 10_000);
  return path;
}

test('the tags and picture of a song are read', async () => {
  const { title, picture } = await readTags(await getMediaPath('song.mp3'));
  expect([title, (picture?.length ?? 0) > 100]).toEqual(['Inner title', true]);
  expect((await readTags(await createSongWithPicture(5 * MIB))).picture?.length).toBe(5 * MIB);
});

test('a picture of hundreds of megabytes is never loaded into memory', async () => {
  const path = await createSongWithPicture(200 * MIB);
  const before = process.resourceUsage().maxRSS;
  expect(await readTags(path)).toMatchObject({ title: '', artist: '', album: '', picture: undefined });
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(60);
});

test('a text of invisible characters is empty', () => {
  expect(['\u200b', ' \u202e\ufeff', '\u00a0', 'a\u200bb', '👩‍🚀'].map(cleanTagText)).toEqual([
    '',
    '',
    '',
    'a\u200bb',
    '👩‍🚀',
  ]);
});
