import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { copyMedia, MEDIA_SECONDS, readMedia, getMediaPath, type MediaName } from '#testing/kits/media/media.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createMedia } from '../../../apps/server/assemble.ts';
import { JobFailure } from '../jobs/jobQueue.ts';
import type { ProcessResult, ProcessRunner } from '../programs/childProcesses.ts';
import { createProcessRunner } from '../programs/processRunner.ts';
import type { SongSource } from './media.ts';

const processRunner = createProcessRunner({ log: pino({ level: 'silent' }) });
afterAll(() => processRunner.stop());

/** Processes songs, and reports which programs that took. `rewriteOutput` replaces the output of ffmpeg. */
async function createFolder(rewriteOutput: (errors: string) => string = (errors) => errors) {
  const folder = await createTempFolder();
  const runs: string[] = [];
  const recordingRunner: ProcessRunner = {
    ...processRunner,
    run: async (request): Promise<ProcessResult> => {
      const last = request.args.at(-1) ?? '';
      runs.push(request.program === 'ffprobe' ? 'ffprobe' : last.startsWith('final') ? last : 'read');
      const result = await processRunner.run(request);
      return { ...result, errorOutput: rewriteOutput(result.errorOutput) };
    },
  };
  const processSong = (name: string, overrides: Partial<SongSource> = {}) =>
    createMedia(recordingRunner).processSong({ folder, name, tags: {}, fallbackTitle: 'song', ...overrides });
  return { folder, runs, processSong };
}

/** How a test file is made from a fixture, and what it becomes. */
interface Recipe {
  readonly from: MediaName;
  readonly args: string;
  readonly name: string;
  readonly extension: 'mp3' | 'm4a';
}

function ffmpeg(folder: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], { cwd: folder });
  if (status !== 0) throw new Error(stderr.toString());
}

const createTestFile = async (folder: string, { from, args, name }: Omit<Recipe, 'extension'>): Promise<void> =>
  ffmpeg(folder, ['-i', await getMediaPath(from), ...args.split(' ').filter((arg) => arg !== ''), name]);

/** Returns the packets of the first audio stream, whatever the container is. */
const readAudio = (path: string): string =>
  spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a:0', '-c', 'copy', '-f', 'md5', '-']).stdout.toString();

const describeFailure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'finished',
    (error: unknown) => (error instanceof JobFailure ? `${error.retry}: ${error.message}` : String(error)),
  );

const SECOND = '-filter_complex [0:a]atrim=duration=9[two] -map 0:a -map [two]';

const copied: Readonly<Record<string, Recipe>> = {
  'a video with sound': { from: 'video.mp4', args: '-c copy', name: 'a.mp4', extension: 'm4a' },
  'AAC in Matroska': { from: 'song.m4a', args: '-c copy', name: 'a.mka', extension: 'm4a' },
  'MP3 at half the rate': { from: 'song.wav', args: '-ar 22050 -c:a libmp3lame', name: 'a.mp3', extension: 'mp3' },
  'MP3 at a fifth of the rate': { from: 'song.wav', args: '-ar 8000 -c:a libmp3lame', name: 'a.mp3', extension: 'mp3' },
  'MP3 with a picture in it': { from: 'song.mp3', args: '-c copy', name: 'a.mp3', extension: 'mp3' },
  'MP3 in Matroska': { from: 'song.mp3', args: '-map 0:a -c copy', name: 'a.mka', extension: 'mp3' },
  'two sounds, the first AAC': {
    from: 'song.wav',
    args: `${SECOND} -c:a:0 aac -c:a:1 libopus`,
    name: 'a.mka',
    extension: 'm4a',
  },
};
const encoded: Readonly<Record<string, Recipe>> = {
  'MP2 that is called MP3': { from: 'song.wav', args: '-c:a mp2 -f mp2', name: 'a.mp3', extension: 'mp3' },
  ALAC: { from: 'song.wav', args: '-c:a alac', name: 'a.m4a', extension: 'mp3' },
  'AC-3': { from: 'song.wav', args: '-c:a ac3', name: 'a.mp4', extension: 'mp3' },
  FLAC: { from: 'song.wav', args: '', name: 'a.flac', extension: 'mp3' },
  'Opus in webm': { from: 'song.opus', args: '-c copy', name: 'a.webm', extension: 'mp3' },
};

test.each([
  ...Object.entries(copied).map(([description, recipe]) => ({ description, recipe, isSame: true })),
  ...Object.entries(encoded).map(([description, recipe]) => ({ description, recipe, isSame: false })),
])(
  '$description is processed in a single pass, without ffprobe',
  async ({ recipe, isSame }) => {
    const { folder, runs, processSong } = await createFolder();
    await createTestFile(folder, recipe);
    const song = await processSong(recipe.name);
    expect(song.extension).toBe(recipe.extension);
    expect(Math.abs(song.seconds - MEDIA_SECONDS)).toBeLessThan(0.5);
    expect(runs.toSorted()).toEqual([`final.${recipe.extension}`, 'read', 'read']);
    expect(readAudio(join(folder, song.name)) === readAudio(join(folder, recipe.name))).toBe(isSame);
  },
  20_000,
);

test.each<Recipe & { readonly content: string; readonly alwaysUsesFfprobe: boolean }>([
  {
    content: 'no length',
    alwaysUsesFfprobe: false,
    from: 'song.m4a',
    args: '-c copy',
    name: 'a.aac',
    extension: 'm4a',
  },
  {
    content: 'no length either',
    alwaysUsesFfprobe: false,
    from: 'song.wav',
    args: '-c:a libvorbis',
    name: 'a.ogg',
    extension: 'mp3',
  },
  { content: 'nothing', alwaysUsesFfprobe: true, from: 'song.m4a', args: '-c copy', name: 'a.ts', extension: 'm4a' },
])(
  'a file whose header says $content is read by ffprobe first, if its page does not help',
  async ({ alwaysUsesFfprobe, extension, ...recipe }) => {
    const { folder, runs, processSong } = await createFolder();
    await createTestFile(folder, recipe);
    expect(await processSong(recipe.name)).toMatchObject({ extension });
    expect(runs[0]).toBe('ffprobe');
    runs.length = 0;
    expect(await processSong(recipe.name, { announcedSeconds: MEDIA_SECONDS })).toMatchObject({ extension });
    expect(runs.includes('ffprobe')).toBe(alwaysUsesFfprobe);
  },
  20_000,
);

test.each<Recipe & { readonly description: string; readonly guess: string }>([
  {
    description: 'MP3 in MP4 AAC',
    guess: 'final.m4a',
    from: 'song.mp3',
    args: '-map 0:a -c copy',
    name: 'a.mp4',
    extension: 'mp3',
  },
  {
    description: 'another sound than the first its own',
    guess: 'final.mp3',
    from: 'song.wav',
    args: `${SECOND} -c:a:0 aac -c:a:1 libopus -disposition:a:0 0 -disposition:a:1 default`,
    name: 'a.mka',
    extension: 'm4a',
  },
])('a file whose header calls $description becomes a song', async ({ guess, extension, ...recipe }) => {
  const { folder, runs, processSong } = await createFolder();
  await createTestFile(folder, recipe);
  const percents: number[] = [];
  const song = await processSong(recipe.name, { onProgress: (percent) => percents.push(percent) });
  expect([song.extension, song.name]).toEqual([extension, `final.${extension}`]);
  expect(Math.abs(song.seconds - MEDIA_SECONDS)).toBeLessThan(0.5);
  expect(readAudio(join(folder, song.name))).toBe(readAudio(join(folder, recipe.name)));
  expect(runs.filter((run) => run.startsWith('final'))).toEqual([guess, song.name]);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  expect(percents.at(-1)).toBe(100);
});

test('a song that was cut by its edit list is as long as it announces', async () => {
  const { folder, processSong } = await createFolder();
  await copyMedia('video.mp4', join(folder, 'whole.mp4'));
  ffmpeg(folder, ['-ss', '4.5', '-i', 'whole.mp4', '-c', 'copy', 'a.mp4']);
  expect(await describeFailure(processSong('a.mp4'))).toBe('finished');
});

test('if the description of ffmpeg is lost, ffprobe is used instead', async () => {
  const { folder, runs, processSong } = await createFolder((errors) =>
    errors.replace(/^\[info\] Input[^]*?Stream mapping/m, '[info]'),
  );
  await copyMedia('song.mp3', join(folder, 'a.mp3'));
  expect(await processSong('a.mp3')).toMatchObject({ extension: 'mp3' });
  await copyMedia('song.mp3', join(folder, 'half.mp3'), 0.5);
  expect(await describeFailure(processSong('half.mp3'))).toMatch(/^again: Incomplete: 1\d of 30 s$/);
  expect(runs.filter((run) => run === 'ffprobe')).toHaveLength(2);
});

test('more than twelve hours are refused, whether page or file announces it', async () => {
  const { folder, runs, processSong } = await createFolder((errors) =>
    errors.replace('Duration: 00:00:3', 'Duration: 12:00:3'),
  );
  const refusal = 'final: This file is longer than 12 hours';
  await copyMedia('song.mp3', join(folder, 'a.mp3'));
  expect(await describeFailure(processSong('a.mp3', { announcedSeconds: 43_201 }))).toBe(refusal);
  const bytes = await readMedia('song.mp3');
  const header = bytes.indexOf('Info', 0, 'latin1');
  bytes.writeUInt32BE(2_000_000, header + 8); // frames of 26 ms each
  await writeFile(join(folder, 'long.mp3'), bytes);
  expect(await describeFailure(processSong('long.mp3'))).toBe(refusal);
  expect(runs).toEqual(['ffprobe', 'ffprobe']);
  expect(await describeFailure(processSong('a.mp3'))).toBe(refusal);
});

test('a tag that looks like output of ffmpeg is ignored', async () => {
  const { folder, processSong } = await createFolder();
  const tags = [
    'title=x\n  Duration: 99:00:00.00, start',
    'Stream #0:0: Audio: opus=y',
    'Duration: 99:00:00.00, start=z',
  ];
  const tagArgs = tags.flatMap((tag) => ['-metadata', tag]);
  ffmpeg(folder, ['-i', await getMediaPath('song.mp3'), '-map', '0:a', '-c', 'copy', ...tagArgs, 'a.mp3']);
  expect((await readFile(join(folder, 'a.mp3'))).includes('99:00')).toBe(true);
  const song = await processSong('a.mp3');
  expect(song.seconds).toBeCloseTo(MEDIA_SECONDS, 0);
  expect(readAudio(join(folder, song.name))).toBe(readAudio(join(folder, 'a.mp3')));
});
