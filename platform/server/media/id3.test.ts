import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { writeId3 } from './id3.ts';
import { readTags } from './tags.ts';
import { writeTags } from './writeTags.ts';

async function createId3File(name: string, frames: readonly (readonly [id: string, body: Buffer])[]): Promise<string> {
  const folder = await createTempFolder();
  const audioPath = join(folder, 'sound.mp3');
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=1', '-id3v2_version', '0', audioPath]);
  // Sizes of eight bits a byte, as old iTunes wrote them into version 4 too.
  const bodies = frames.map(([id, body]) => {
    const header = Buffer.alloc(10);
    header.write(id, 'latin1');
    header.writeUInt32BE(body.length, 4);
    return Buffer.concat([header, body]);
  });
  await writeFile(join(folder, name), Buffer.concat([writeId3(4, 0, bodies), await readFile(audioPath)]));
  return join(folder, name);
}
const createUtf8Body = (text: string): Buffer => Buffer.from(`\x03${text}`);

test('a tag with sizes as old iTunes wrote them is read completely, and renamed without loss', async () => {
  const picture = Buffer.concat([Buffer.from('\0image/jpeg\0\x03\0', 'latin1'), Buffer.alloc(3000, 0xe1)]);
  const path = await createId3File('itunes.mp3', [
    ['TIT2', createUtf8Body('Old')],
    ['APIC', picture],
    ['TPE1', createUtf8Body('Behind the picture')],
    ['TALB', createUtf8Body('L'.repeat(200))],
    ['TPE2', createUtf8Body('One\0Two')],
  ]);
  expect((await readTags(path)).artist).toBe('Behind the picture');
  const renamed = join(path, '..', 'to.mp3');
  expect(await writeTags(path, renamed, { title: 'New' })).toBe(true);
  expect(await readTags(renamed)).toMatchObject({
    title: 'New',
    artist: 'Behind the picture',
    album: 'L'.repeat(200),
    details: { albumArtist: 'One, Two' },
    picture: Buffer.alloc(3000, 0xe1),
  });
});

test('a tag that is only partly understood is not rewritten', async () => {
  const path = await createId3File('odd.mp3', [
    ['TIT2', createUtf8Body('Old')],
    ['t!ny', createUtf8Body('not a frame')],
    ['TPE1', createUtf8Body('Behind')],
  ]);
  expect(await writeTags(path, join(path, '..', 'to.mp3'), { title: 'New' })).toBe(false);
});

const createPictureFrame = (kind: number, fill: number): [string, Buffer] => [
  'APIC',
  Buffer.concat([Buffer.from([0, ...Buffer.from('image/png'), 0, kind, 0x64, fill, 0]), Buffer.alloc(40, fill)]),
];

test('the front cover is preferred to other pictures, and an icon only used if there is nothing else', async () => {
  const path = await createId3File('icon.mp3', [createPictureFrame(1, 0x61), createPictureFrame(3, 0x62)]);
  expect((await readTags(path)).picture).toEqual(Buffer.alloc(40, 0x62));
  expect((await readTags(await createId3File('one.mp3', [createPictureFrame(1, 0x61)]))).picture).toEqual(
    Buffer.alloc(40, 0x61),
  );
});
