import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { JobFailure, type JobRun, MAX_STARTS, MAX_ATTEMPTS } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessedVideo, Media } from '#platform/server/media/media.ts';
import { createFileStorage } from '#platform/server/storage/fileStorage.ts';
import { createLinkSigner } from '#platform/server/storage/linkSigner.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { VIDEOS_FOLDER } from '../domain/recording.ts';
import { getBrokenFolder, INBOX_FOLDER } from './galleryFiles.ts';
import { createGalleryStore } from './galleryStore.ts';
import { defineVideoJob, type VideoInput } from './videoJob.ts';

const log = pino({ level: 'silent' });

interface JobSetup {
  readonly attempt: number;
  readonly finishVideo?: Media['processVideo'];
  readonly setupProblem?: string;
}

/** Creates a job of account 1 at one of its attempts. */
async function createJob({ attempt, finishVideo, setupProblem = '' }: JobSetup) {
  const dataDir = await createTempFolder();
  const database = await openDatabase({ dataDir, log });
  onTestFinished(() => database[Symbol.asyncDispose]());
  const files = createFileStorage(dataDir);
  const notices: { readonly file: string; readonly name: string; readonly reason: string }[] = [];
  const salvaged: string[] = [];
  const store = {
    ...createGalleryStore(database),
    insertBroken: async (_tx: unknown, broken: (typeof notices)[number]) => void notices.push(broken),
    removeBrokenFile: async () => void notices.pop(),
  };
  const deps = {
    files,
    database,
    log,
    now: Temporal.Now.instant,
    links: createLinkSigner(Buffer.alloc(32)),
    programs: { getSetupProblem: async () => setupProblem, refresh: async () => undefined },
    identity: { resolveZone: async () => 'UTC' },
    media: {
      processVideo: finishVideo,
      salvageVideo: async ({ name }: { readonly name: string }) => salvaged.push(name) === 0,
    },
  } as unknown as Parameters<typeof defineVideoJob>[0]['context'];
  const kind = defineVideoJob({ context: deps, store, onChange: () => undefined });
  const folder = join(dataDir, 'work');
  await mkdir(folder);
  await mkdir(files.getPath(INBOX_FOLDER), { recursive: true });
  await writeFile(join(folder, 'media.mkv'), 'a film');
  const input: VideoInput = { path: 'a.mkv', name: 'a.mkv', modifiedMs: 0, isCut: false };
  const job = { id: 1, account: 1, attempt, created: Temporal.Instant.fromEpochMilliseconds(0) };
  const run = { job, input, folder, signal: new AbortController().signal, reportProgress: () => undefined };
  const listNames = (name: string): Promise<readonly string[]> => readdir(files.getPath(name)).catch(() => []);
  return {
    files,
    folder,
    notices,
    salvaged,
    run: () => kind.run(run as unknown as JobRun<never>),
    listInbox: () => listNames(INBOX_FOLDER),
    listBroken: () => listNames(getBrokenFolder(1)),
    listVideos: async () => (await listNames(VIDEOS_FOLDER)).toSorted(),
  };
}

const failWith = (retry: 'again' | 'final', options?: ErrorOptions) => () =>
  Promise.reject(new JobFailure(retry, 'Took too long', options));

test('a recording that repeatedly kills the server is set aside before the queue removes it', async () => {
  const { run, notices, listBroken } = await createJob({ attempt: MAX_STARTS });
  await expect(run()).rejects.toMatchObject({
    retry: 'final',
    message: 'The server stopped several times during this job, so it was cancelled',
  });
  expect(notices).toMatchObject([{ account: 1, name: 'a.mkv', reason: expect.stringContaining('several times') }]);
  expect(await listBroken()).toEqual([expect.stringMatching(/\.mkv$/)]);
});

test('a recording that can’t be set aside is returned to the inbox without replacing a file of the same name', async () => {
  const { files, run, notices, listInbox } = await createJob({ attempt: MAX_ATTEMPTS, finishVideo: failWith('final') });
  await writeFile(files.getPath('gallery/broken'), ''); // blocks its folder
  await writeFile(join(files.getPath(INBOX_FOLDER), 'a.mkv'), 'another');
  await expect(run()).rejects.toMatchObject({ retry: 'final', message: 'Took too long' });
  expect(await listInbox()).toEqual(['a.mkv', 'job-1 a.mkv']);
  expect(await readFile(join(files.getPath(INBOX_FOLDER), 'job-1 a.mkv'), 'utf8')).toBe('a film');
  expect(notices).toEqual([]);
});

test('without ffmpeg a recording is returned to the inbox', async () => {
  const setupProblem = 'ffmpeg is missing';
  const job = await createJob({ attempt: MAX_ATTEMPTS, setupProblem, finishVideo: failWith('again') });
  await expect(job.run()).rejects.toMatchObject({ retry: 'final', message: setupProblem });
  expect([await job.listInbox(), await job.listBroken(), job.notices]).toEqual([['a.mkv'], [], []]);
});

test('only the last attempt salvages a part after temporary failures', async () => {
  const first = await createJob({ attempt: 1, finishVideo: failWith('again') });
  await expect(first.run()).rejects.toMatchObject({ retry: 'again' });
  expect(first.salvaged).toEqual([]);
  const last = await createJob({ attempt: MAX_ATTEMPTS, finishVideo: failWith('again') });
  await expect(last.run()).rejects.toMatchObject({ retry: 'final' });
  expect(last.salvaged).toEqual(['media.mkv']);
});

test('a video has the same name in all attempts, so that an interrupted attempt leaves no orphaned file', async () => {
  const video = {
    name: 'final.webm',
    thumbnail: 'thumbnail.png',
    seconds: 2,
    announcedSeconds: 2,
    bytes: 1,
    width: 2,
    height: 2,
  };
  const job = await createJob({
    attempt: 1,
    finishVideo: async ({ folder }): Promise<ProcessedVideo> => {
      for (const name of [video.name, video.thumbnail]) await writeFile(join(folder, name), 'x');
      return video;
    },
  });
  await job.run();
  const storedNames = await job.listVideos();
  expect(storedNames).toEqual([expect.stringMatching(/^[\w-]{22}\.png$/), expect.stringMatching(/^[\w-]{22}\.webm$/)]);
  const outcome = await job.run();
  expect(await job.listVideos()).toEqual(storedNames);
  await outcome.undo?.();
  expect(await job.listVideos()).toEqual([]);
});
