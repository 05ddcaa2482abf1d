import { copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { parseFile } from 'music-metadata';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { copyMedia, MEDIA_SECONDS, readMedia, getMediaPath } from '#testing/kits/media/media.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createMedia } from '../../../apps/server/assemble.ts';
import { JobFailure } from '../jobs/jobQueue.ts';
import type { ProcessRunner } from '../programs/childProcesses.ts';
import { createProcessRunner } from '../programs/processRunner.ts';
import type { SongSource, SongStep } from './media.ts';

const processRunner = createProcessRunner({ log: pino({ level: 'silent' }) });
const media = createMedia(processRunner);
afterAll(() => processRunner.stop());

const processSong = async (folder: string, name: string, overrides: Partial<SongSource> = {}) =>
  media.processSong({ folder, name, tags: {}, fallbackTitle: 'song', ...overrides });

const describeFailure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'finished',
    (error: unknown) => (error instanceof JobFailure ? `${error.retry}: ${error.message}` : String(error)),
  );

test('a song becomes playable, with tags, picture and loudness, and without other data of its maker', async () => {
  const folder = await createTempFolder();
  await copyMedia('song.mp3', join(folder, 'media.mp3'));
  await writeFile(join(folder, 'cover.jpg'), await readMedia('cover.jpg'));
  const steps: SongStep[] = [];
  const percents: number[] = [];
  const title = '“Curly” ‮ ../../etc/passwd\n--exec=id; $(id) ü';
  const song = await processSong(folder, 'media.mp3', {
    tags: { title },
    cover: 'cover.jpg',
    announcedSeconds: MEDIA_SECONDS,
    onStep: (step) => steps.push(step),
    onProgress: (percent) => percents.push(percent),
  });
  const bytes = await readFile(join(folder, song.name));
  expect(song).toMatchObject({
    name: 'final.mp3',
    extension: 'mp3',
    type: 'audio/mpeg',
    bytes: bytes.length,
    crc32: crc32(bytes),
    tags: { title: title.replace('\n', ' '), artist: 'Inner artist', album: '' },
    thumbnail: 'thumbnail.webp',
  });
  expect(song.seconds).toBeCloseTo(MEDIA_SECONDS, 0);
  expect(song.colour).toMatch(/^rgb\((2\d|3\d|4\d), (8\d|9\d|10\d), (18\d|19\d|20\d)\)$/);
  // A sine at an eighth of full scale; measured once with ffmpeg's own filter.
  expect(song.loudness.gain).toBeGreaterThan(0);
  expect(song.loudness.peak).toBeCloseTo(0.125, 1);
  expect(new Set(steps)).toEqual(new Set(['probe', 'decode', 'picture', 'convert', 'verify']));
  expect(steps.indexOf('probe')).toBeLessThan(steps.indexOf('decode'));
  expect(percents.at(-1)).toBe(100);
  expect(percents.every((percent, index) => index === 0 || percent >= (percents[index - 1] ?? 0))).toBe(true);

  const { common, format } = await parseFile(join(folder, song.name));
  expect(common).toMatchObject({ title: song.tags.title, artist: 'Inner artist' });
  expect(common.comment).toBe(undefined);
  expect(common.picture?.map((cover) => cover.format)).toEqual(['image/jpeg']);
  expect(common.replaygain_track_gain?.dB).toBeCloseTo(song.loudness.gain, 2);
  expect(format.duration).toBeCloseTo(MEDIA_SECONDS, 0);
  const picture = await sharp(join(folder, 'thumbnail.webp')).metadata();
  expect([picture.format, picture.width, picture.height]).toEqual(['webp', 320, 320]);
});

test.each([
  ['song.wav', 'mp3'],
  ['song.opus', 'mp3'],
  ['song.m4a', 'm4a'],
  ['video.mp4', 'm4a'],
] as const)(
  '%s becomes %s, as long as it was',
  async (name, extension) => {
    const folder = await createTempFolder();
    await copyMedia(name, join(folder, name));
    const song = await processSong(folder, name);
    expect([song.extension, song.tags.title, song.thumbnail, song.colour]).toEqual([
      extension,
      'song',
      undefined,
      'rgb(90, 90, 90)',
    ]);
    expect(Math.abs(song.seconds - MEDIA_SECONDS)).toBeLessThan(0.5);
    const { common, format } = await parseFile(join(folder, song.name));
    expect([common.title, common.comment]).toEqual(['song', undefined]);
    expect([common.replaygain_track_gain?.dB, common.replaygain_track_peak?.ratio]).toEqual([
      expect.closeTo(song.loudness.gain, 2),
      expect.closeTo(song.loudness.peak, 4),
    ]);
    expect(format.container).toMatch(extension === 'mp3' ? /^MPEG$/ : /^M4A/);
  },
  20_000,
);

test('without a picture or title of the page, those of the file are used', async () => {
  const folder = await createTempFolder();
  await copyMedia('song.mp3', join(folder, 'a.mp3'));
  expect(await processSong(folder, 'a.mp3')).toMatchObject({
    tags: { title: 'Inner title' },
    thumbnail: 'thumbnail.webp',
  });
});

test.each(['song.mp3', 'video.mp4', 'video.webm'] as const)(
  'half of %s still announces its full length, and is detected as incomplete',
  async (name) => {
    const folder = await createTempFolder();
    await copyMedia(name, join(folder, name), 0.5);
    expect(await describeFailure(processSong(folder, name))).toMatch(
      /^again: Incomplete: (1[3-6] of 30 s|[2-4] of 6 s|cut off)/,
    );
  },
);

test('a file shorter than its page announces is incomplete', async () => {
  const folder = await createTempFolder();
  await copyMedia('song.wav', join(folder, 'a.wav'));
  expect(await describeFailure(processSong(folder, 'a.wav', { announcedSeconds: 60 }))).toBe(
    'again: Incomplete: 30 of 60 s',
  );
});

test('a bad frame in the middle is tolerated', async () => {
  const folder = await createTempFolder();
  const bytes = await readMedia('song.mp3');
  bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 300);
  await writeFile(join(folder, 'a.mp3'), bytes);
  expect(await describeFailure(processSong(folder, 'a.mp3'))).toBe('finished');
});

/** Playlists that refer to a file of the server, by the names that make ffmpeg recognize them. */
const playlists = {
  'hls.mp3': '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n',
  'hls.mkv': '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nSONG\n#EXT-X-ENDLIST\n',
  'hls.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nSONG\n#EXT-X-ENDLIST\n',
  'concat.webm': "ffconcat version 1.0\nfile 'SONG'\n",
  'concat.mp3': "ffconcat version 1.0\nfile 'SONG'\n",
  'dash.mp4': '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>SONG</BaseURL></MPD>',
  'script.mp3': '#!/bin/sh\necho hello\n',
  'vector.mp3': '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
  'empty.mp3': '',
};

test.each(Object.entries(playlists))(
  '%s is not a song, and the files that it refers to are not read',
  async (name, text) => {
    const folder = await createTempFolder();
    const song = join(folder, 'inner.mp3');
    await copyFile(await getMediaPath('song.mp3'), song);
    await writeFile(join(folder, name), text.replace('SONG', song));
    const before = (await stat(song)).atimeMs;
    expect(await describeFailure(processSong(folder, name))).toBe('final: No sound in this file');
    expect((await stat(song)).atimeMs).toBe(before);
  },
);

test('a recording without sound is not a song', async () => {
  const folder = await createTempFolder();
  await copyMedia('silent.mp4', join(folder, 'a.mp4'));
  expect(await describeFailure(processSong(folder, 'a.mp4'))).toBe('final: No sound in this file');
});

test.each([
  ['shorter', async (path: string) => truncate(path, (await stat(path)).size >> 1)],
  ['none', async (path: string) => writeFile(path, 'no song')],
])('a song that is %s after the conversion is not saved', async (_name, damage) => {
  const folder = await createTempFolder();
  await copyMedia('song.wav', join(folder, 'a.wav'));
  const damagingRunner: ProcessRunner = {
    ...processRunner,
    run: async (request) => {
      const result = await processRunner.run(request);
      if (request.args.at(-1) === 'final.mp3') await damage(join(request.folder, 'final.mp3'));
      return result;
    },
  };
  const processing = createMedia(damagingRunner).processSong({
    folder,
    name: 'a.wav',
    tags: {},
    fallbackTitle: 'song',
  });
  expect(await describeFailure(processing)).toBe('again: Conversion failed');
});

test('a cancelled song ends immediately', async () => {
  const folder = await createTempFolder();
  await copyMedia('song.opus', join(folder, 'a.opus'));
  const abort = new AbortController();
  const processing = processSong(folder, 'a.opus', {
    signal: abort.signal,
    onStep: (step) => {
      if (step === 'decode') abort.abort(new Error('called off'));
    },
  });
  await expect(processing).rejects.toThrow('called off');
});

test.each([
  ['song.mp3', 'mp3'],
  ['song.m4a', 'm4a'],
] as const)('a renamed %s sounds the same, and keeps its picture and loudness', async (name, extension) => {
  const folder = await createTempFolder();
  await copyMedia(name, join(folder, name));
  await writeFile(join(folder, 'cover.jpg'), await readMedia('cover.jpg'));
  const { loudness } = await processSong(folder, name, { cover: 'cover.jpg' });
  const from = join(folder, `final.${extension}`);
  const renamedFolder = await createTempFolder();
  const to = `renamed.${extension}`;
  const tags = { title: '-i /etc/passwd', artist: 'Somebody', album: 'Else' };
  const checksum = await media.retag({ from, folder: renamedFolder, to, tags, loudness });
  const { common } = await parseFile(join(renamedFolder, to));
  expect(common).toMatchObject(tags);
  expect([common.picture?.length, common.replaygain_track_gain?.dB]).toEqual([1, loudness.gain]);
  expect(crc32(await readFile(join(renamedFolder, to)))).toBe(checksum.crc32);
  const ffmpeg = async (path: string, args: readonly string[]) =>
    processRunner.run({
      program: 'ffmpeg',
      args: ['-i', path, ...args],
      folder: renamedFolder,
      limits: { timeoutMs: 60_000, maxCpuSeconds: 60, maxFileBytes: 1e6 },
      reads: [path],
    });
  const hashAudio = async (path: string) =>
    (await ffmpeg(path, ['-v', 'error', '-map', '0:a', '-c', 'copy', '-f', 'md5', '-'])).output;
  expect(await hashAudio(join(renamedFolder, to))).toBe(await hashAudio(from));
  // Players on computers often use ffmpeg's reader of tags.
  const { errorOutput } = await ffmpeg(join(renamedFolder, to), ['-v', 'info', '-map', '0:a', '-f', 'null', '-']);
  expect(errorOutput.toLowerCase()).toContain(`replaygain_track_gain: ${loudness.gain < 0 ? '-' : '+'}`);
});
