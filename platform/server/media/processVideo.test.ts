import { execFileSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { copyMedia, readMedia } from '#testing/kits/media/media.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createMedia } from '../../../apps/server/assemble.ts';
import { JobFailure } from '../jobs/jobQueue.ts';
import { createProcessRunner } from '../programs/processRunner.ts';
import { NO_VIDEO_MESSAGE } from './media.ts';

const processRunner = createProcessRunner({ log: pino({ level: 'silent' }) });
const media = createMedia(processRunner);
afterAll(() => processRunner.stop());

test('a recording becomes webm that browsers play, with a thumbnail', async () => {
  const folder = await createTempFolder();
  await copyMedia('silent.mp4', join(folder, 'a.mp4'));
  const percents: number[] = [];
  const processed = await media.processVideo({
    folder,
    name: 'a.mp4',
    onProgress: (percent) => percents.push(percent),
  });
  expect(processed).toMatchObject({ name: 'final.webm', thumbnail: 'thumbnail.png', width: 320, height: 180 });
  expect(processed.seconds).toBeCloseTo(6, 0);
  expect(processed.announcedSeconds).toBeCloseTo(6, 0);
  expect(processed.bytes).toBe((await stat(join(folder, processed.name))).size);
  const { video, audio } = await media.probe('video', { folder, name: processed.name });
  expect([video?.codec, video?.pixels, audio]).toEqual(['vp9', 'yuv420p', undefined]);
  const picture = await sharp(join(folder, processed.thumbnail)).metadata();
  expect([picture.format, picture.width, picture.height]).toEqual(['png', 480, 270]);
  expect(percents.at(-1)).toBe(100);
});

test.each([1, 2])('a recording with few frames (%i) has a thumbnail too', async (frames) => {
  const folder = await createTempFolder();
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=30', '-frames:v', String(frames)];
  execFileSync('ffmpeg', ['-v', 'error', ...source, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', join(folder, 'a.mkv')]);
  const processed = await media.processVideo({ folder, name: 'a.mkv' });
  expect(processed.seconds).toBeGreaterThan(0);
  const picture = await sharp(join(folder, processed.thumbnail)).metadata();
  expect([picture.width, picture.height]).toEqual([480, 270]);
});

test('playable streams are copied', async () => {
  const folder = await createTempFolder();
  await copyMedia('video.webm', join(folder, 'a.webm'));
  const processed = await media.processVideo({ folder, name: 'a.webm' });
  const { video, audio } = await media.probe('video', { folder, name: processed.name });
  expect([video?.codec, audio?.codec]).toEqual(['vp8', 'opus']);
  expect(Math.abs(processed.bytes - (await readMedia('video.webm')).length)).toBeLessThan(5000);
});

test('the readable part of an unfinished recording is saved; without its start, nothing is', async () => {
  const folder = await createTempFolder();
  await copyMedia('video.webm', join(folder, 'cut.webm'), 0.5);
  expect(await media.salvageVideo({ folder, name: 'cut.webm' }, 'saved.mkv')).toBe(true);
  expect((await media.probe('video', { folder, name: 'saved.mkv' })).seconds).toBeGreaterThan(2);
  const bytes = await readMedia('video.mp4');
  await writeFile(join(folder, 'late.mp4'), bytes.subarray(bytes.length >> 1));
  expect(await media.salvageVideo({ folder, name: 'late.mp4' }, 'none.mkv')).toBe(false);
});

const COLOURS = ['red', 'lime', 'blue', 'gray', 'white'] as const;

/** Creates an HDR recording of five colour bars, like cameras and games. */
function createHdrRecording(path: string, transfer: string): void {
  const bars = COLOURS.map((colour, index) => `color=c=${colour}:s=64x120:r=10,format=gbrp[${index}]`).join(';');
  const filter = `${bars};${COLOURS.map((_, index) => `[${index}]`).join('')}hstack=${COLOURS.length}`;
  const convert = [
    'setparams=color_primaries=bt709:color_trc=iec61966-2-1:colorspace=gbr:range=pc',
    `zscale=tin=iec61966-2-1:pin=bt709:t=${transfer}:p=bt2020:m=bt2020nc:r=tv:npl=203`,
    'format=yuv420p10le',
  ].join(',');
  const tags = ['-color_primaries', 'bt2020', '-color_trc', transfer, '-colorspace', 'bt2020nc'];
  const codec = ['-c:v', 'libvpx-vp9', '-profile:v', '2', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '2M'];
  execFileSync(
    'ffmpeg',
    [['-v', 'error', '-f', 'lavfi', '-i', filter, '-frames:v', '10', '-vf', convert], codec, tags, [path]].flat(),
  );
}

/** Reads the colours of the five bars of a picture. */
async function readBars(path: string): Promise<readonly (readonly number[])[]> {
  const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return COLOURS.map((_, index) => {
    const x = Math.floor(((index + 0.5) / COLOURS.length) * info.width);
    const offset = (Math.floor(info.height / 2) * info.width + x) * info.channels;
    return [...data.subarray(offset, offset + 3)];
  });
}

// HLG is used by phones, PQ by games.
test.each(['arib-std-b67', 'smpte2084'])('an HDR recording (%s) keeps its visible colours', async (transfer) => {
  const folder = await createTempFolder();
  createHdrRecording(join(folder, 'a.mkv'), transfer);
  expect((await media.probe('video', { folder, name: 'a.mkv' })).video).toMatchObject({
    transfer,
    primaries: 'bt2020',
  });
  const processed = await media.processVideo({ folder, name: 'a.mkv' });
  expect((await media.probe('video', { folder, name: processed.name })).video).toMatchObject({
    pixels: 'yuv420p',
    transfer: 'bt709',
    primaries: 'bt709',
  });
  const bars = await readBars(join(folder, processed.thumbnail));
  for (const brightChannel of [0, 1, 2]) {
    const bar = bars[brightChannel] ?? [];
    for (const [channel, value] of bar.entries())
      if (channel === brightChannel) expect(value, `${COLOURS[brightChannel]}: ${bar.join(' ')}`).toBeGreaterThan(215);
      else expect(value, `${COLOURS[brightChannel]}: ${bar.join(' ')}`).toBeLessThan(70);
  }
  const [gray = [], white = []] = bars.slice(3);
  for (const value of gray) expect(Math.abs(value - 140), gray.join(' ')).toBeLessThan(22);
  for (const value of white) expect(value, white.join(' ')).toBeGreaterThan(225);
});

test('a file with only sound is refused with the reason', async () => {
  const folder = await createTempFolder();
  const source = ['-f', 'lavfi', '-i', 'sine=duration=1'];
  execFileSync('ffmpeg', ['-v', 'error', ...source, '-c:a', 'libopus', join(folder, 'a.mkv')]);
  await expect(media.probe('video', { folder, name: 'a.mkv' })).rejects.toThrow(
    new JobFailure('final', NO_VIDEO_MESSAGE),
  );
});

test('a playlist that refers to other files is not a recording', async () => {
  const folder = await createTempFolder();
  await copyMedia('video.mp4', join(folder, 'inner.mp4'));
  await writeFile(join(folder, 'a.mkv'), `ffconcat version 1.0\nfile '${folder}/inner.mp4'\n`);
  await expect(media.processVideo({ folder, name: 'a.mkv' })).rejects.toThrow(
    new JobFailure('final', 'No video in this file'),
  );
  await expect(readFile(join(folder, 'final.webm'))).rejects.toThrow('ENOENT');
});
