import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readMedia } from '#testing/kits/media/media.ts';
import { processPicture } from './coverPicture.ts';

const createPicture = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } });

test('a picture is re-encoded: a square thumbnail, a jpeg for the tag, and its colour', async () => {
  const picture = await processPicture(await createPicture(1600, 900, '#c01030').png().toBuffer());
  const thumbnail = await sharp(picture?.thumbnail).metadata();
  const tag = await sharp(picture?.tag).metadata();
  expect([thumbnail.format, thumbnail.width, thumbnail.height]).toEqual(['webp', 320, 320]);
  expect([tag.format, tag.width, tag.height]).toEqual(['jpeg', 600, 338]);
  expect(picture?.colour).toMatch(/^rgb\((18|19|20)\d, (8|\d\d), (4|5)\d\)$/);
});

test('transparency becomes black, and rotated photos become upright', async () => {
  expect((await processPicture(await createPicture(50, 50, '#ffffff00').webp().toBuffer()))?.colour).toBe(
    'rgb(8, 8, 8)',
  );
  const rotated = await createPicture(400, 200, '#fff').jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const tag = await sharp((await processPicture(rotated))?.tag).metadata();
  expect([tag.width, tag.height, tag.exif]).toEqual([200, 400, undefined]);
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';

test.each([
  ['half a picture', async () => (await readMedia('cover.jpg')).subarray(0, 700)],
  ['a vector picture', async () => Buffer.from(svg)],
  [
    'a vector picture in disguise',
    async () => Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), Buffer.from(svg)]),
  ],
  ['one of too many dots', async () => createPicture(8000, 6000, '#fff').png().toBuffer()],
  ['a text', async () => Buffer.from('hello')],
  ['nothing', async () => Buffer.alloc(0)],
])('%s is not a picture, and causes no error', async (_name, bytes) => {
  expect(await processPicture(await bytes())).toBe(undefined);
});
