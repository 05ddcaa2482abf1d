import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { layMedia, mediaBytes } from '#testing/media.ts';
import { makeChildren } from '../children/make.ts';
import { JobFailure } from '../jobs/jobs.ts';
import { makeMedia } from './make.ts';

const children = makeChildren({ log: pino({ level: 'silent' }) });
const media = makeMedia(children);
afterAll(() => children.stop());

const tempFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test('a recording becomes webm that browsers play, with a picture of it', async () => {
  const folder = await tempFolder();
  await layMedia('silent.mp4', join(folder, 'a.mp4'));
  const percents: number[] = [];
  const made = await media.finishVideo({ folder, name: 'a.mp4', onProgress: (percent) => percents.push(percent) });
  expect(made).toMatchObject({ name: 'final.webm', thumbnail: 'thumbnail.png', width: 320, height: 180 });
  expect(made.seconds).toBeCloseTo(6, 0);
  expect(made.announced).toBeCloseTo(6, 0);
  expect(made.bytes).toBe((await stat(join(folder, made.name))).size);
  const { video, audio } = await media.probe('video', { folder, name: made.name });
  expect([video?.codec, video?.pixels, audio]).toEqual(['vp9', 'yuv420p', undefined]);
  const picture = await sharp(join(folder, made.thumbnail)).metadata();
  expect([picture.format, picture.width, picture.height]).toEqual(['png', 480, 270]);
  expect(percents.at(-1)).toBe(100);
});

test.each([1, 2])('a recording of so few pictures (%i) has a picture of it too', async (pictures) => {
  const folder = await tempFolder();
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=30', '-frames:v', String(pictures)];
  execFileSync('ffmpeg', ['-v', 'error', ...source, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', join(folder, 'a.mkv')]);
  const made = await media.finishVideo({ folder, name: 'a.mkv' });
  expect(made.seconds).toBeGreaterThan(0);
  const picture = await sharp(join(folder, made.thumbnail)).metadata();
  expect([picture.width, picture.height]).toEqual([480, 270]);
});

test('what plays as it is, is copied', async () => {
  const folder = await tempFolder();
  await layMedia('video.webm', join(folder, 'a.webm'));
  const made = await media.finishVideo({ folder, name: 'a.webm' });
  const { video, audio } = await media.probe('video', { folder, name: made.name });
  expect([video?.codec, audio?.codec]).toEqual(['vp8', 'opus']);
  expect(Math.abs(made.bytes - (await mediaBytes('video.webm')).length)).toBeLessThan(5000);
});

test('of a recording without an end as much is saved as can be read, of one without a beginning nothing', async () => {
  const folder = await tempFolder();
  await layMedia('video.webm', join(folder, 'cut.webm'), 0.5);
  expect(await media.salvageVideo({ folder, name: 'cut.webm' }, 'saved.mkv')).toBe(true);
  expect((await media.probe('video', { folder, name: 'saved.mkv' })).seconds).toBeGreaterThan(2);
  const bytes = await mediaBytes('video.mp4');
  await writeFile(join(folder, 'late.mp4'), bytes.subarray(bytes.length >> 1));
  expect(await media.salvageVideo({ folder, name: 'late.mp4' }, 'none.mkv')).toBe(false);
});

test('a list that leads elsewhere is no recording', async () => {
  const folder = await tempFolder();
  await layMedia('video.mp4', join(folder, 'inner.mp4'));
  await writeFile(join(folder, 'a.mkv'), `ffconcat version 1.0\nfile '${folder}/inner.mp4'\n`);
  await expect(media.finishVideo({ folder, name: 'a.mkv' })).rejects.toThrow(
    new JobFailure('final', 'No video in this file'),
  );
  await expect(readFile(join(folder, 'final.webm'))).rejects.toThrow('ENOENT');
});
