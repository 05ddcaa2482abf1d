import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { JobFailure, type JobRun, MAX_STARTS, MAX_ATTEMPTS } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessedVideo, Media } from '#platform/server/media/media.ts';
import { createFileStorage } from '#platform/server/storage/fileStorage.ts';
import { createLinkSigner } from '#platform/server/storage/linkSigner.ts';
import { VIDEOS } from '../domain/recording.ts';
import { brokenFolder, INBOX } from './galleryFiles.ts';
import { galleryStore } from './galleryStore.ts';
import { videoJob, type VideoInput } from './videoJob.ts';

const log = pino({ level: 'silent' });

interface Setting {
  readonly attempt: number;
  readonly finishVideo?: Media['processVideo'];
  readonly lack?: string;
}

/** A job of account 1 at one of its attempts, and its outcome. */
const tryJob = async ({ attempt, finishVideo, lack = '' }: Setting) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const database = await openDatabase({ dataDir, log });
  onTestFinished(() => database[Symbol.asyncDispose]());
  const files = createFileStorage(dataDir);
  const notices: { readonly file: string; readonly name: string; readonly reason: string }[] = [];
  const salvaged: string[] = [];
  const store = {
    ...galleryStore(database),
    addBroken: async (_tx: unknown, broken: (typeof notices)[number]) => void notices.push(broken),
    takeBackBroken: async () => void notices.pop(),
  };
  const deps = {
    files,
    database,
    log,
    now: Temporal.Now.instant,
    links: createLinkSigner(Buffer.alloc(32)),
    programs: { getSetupProblem: async () => lack, refresh: async () => undefined },
    identity: { resolveZone: async () => 'UTC' },
    media: {
      processVideo: finishVideo,
      salvageVideo: async ({ name }: { readonly name: string }) => salvaged.push(name) === 0,
    },
  } as unknown as Parameters<typeof videoJob>[0]['context'];
  const kind = videoJob({ context: deps, store, changed: () => undefined });
  const folder = join(dataDir, 'work');
  await mkdir(folder);
  await mkdir(files.getPath(INBOX), { recursive: true });
  await writeFile(join(folder, 'media.mkv'), 'a film');
  const input: VideoInput = { path: 'a.mkv', name: 'a.mkv', modifiedMs: 0, isCut: false };
  const job = { id: 1, account: 1, attempt, created: Temporal.Instant.fromEpochMilliseconds(0) };
  const run = { job, input, folder, signal: new AbortController().signal, reportProgress: () => undefined };
  const namesIn = (name: string): Promise<readonly string[]> => readdir(files.getPath(name)).catch(() => []);
  return {
    files,
    folder,
    notices,
    salvaged,
    run: () => kind.run(run as unknown as JobRun<never>),
    inbox: () => namesIn(INBOX),
    broken: () => namesIn(brokenFolder(1)),
    videos: async () => (await namesIn(VIDEOS)).toSorted(),
  };
};

const failing = (retry: 'again' | 'final', options?: ErrorOptions) => () =>
  Promise.reject(new JobFailure(retry, 'Took too long', options));

test('a recording during which the server was killed again and again is put aside before the queue drops it', async () => {
  const { run, notices, broken } = await tryJob({ attempt: MAX_STARTS });
  await expect(run()).rejects.toMatchObject({
    retry: 'final',
    message: 'The server stopped several times during this job, so it was cancelled',
  });
  expect(notices).toMatchObject([{ account: 1, name: 'a.mkv', reason: expect.stringContaining('several times') }]);
  expect(await broken()).toEqual([expect.stringMatching(/\.mkv$/)]);
});

test('a recording that can’t be put aside is returned to the inbox, next to a file with its name', async () => {
  const { files, run, notices, inbox } = await tryJob({ attempt: MAX_ATTEMPTS, finishVideo: failing('final') });
  await writeFile(files.getPath('gallery/broken'), ''); // in the place of its folder
  await writeFile(join(files.getPath(INBOX), 'a.mkv'), 'another');
  await expect(run()).rejects.toMatchObject({ retry: 'final', message: 'Took too long' });
  expect(await inbox()).toEqual(['a.mkv', 'job-1 a.mkv']);
  expect(await readFile(join(files.getPath(INBOX), 'job-1 a.mkv'), 'utf8')).toBe('a film');
  expect(notices).toEqual([]);
});

test('without ffmpeg on the server a recording is returned to the inbox, and waits there', async () => {
  const lack = 'ffmpeg is missing';
  const job = await tryJob({ attempt: MAX_ATTEMPTS, lack, finishVideo: failing('again') });
  await expect(job.run()).rejects.toMatchObject({ retry: 'final', message: lack });
  expect([await job.inbox(), await job.broken(), job.notices]).toEqual([['a.mkv'], [], []]);
});

test('a temporary failure is retried completely; only the last attempt salvages a part', async () => {
  const first = await tryJob({ attempt: 1, finishVideo: failing('again') });
  await expect(first.run()).rejects.toMatchObject({ retry: 'again' });
  expect(first.salvaged).toEqual([]);
  const last = await tryJob({ attempt: MAX_ATTEMPTS, finishVideo: failing('again') });
  await expect(last.run()).rejects.toMatchObject({ retry: 'final' });
  expect(last.salvaged).toEqual(['media.mkv']);
});

test('a video has one name in all attempts, so that one interrupted between file and row leaves no file behind', async () => {
  const made = {
    name: 'final.webm',
    thumbnail: 'thumbnail.png',
    seconds: 2,
    announced: 2,
    bytes: 1,
    width: 2,
    height: 2,
  };
  const job = await tryJob({
    attempt: 1,
    finishVideo: async ({ folder }): Promise<ProcessedVideo> => {
      for (const name of [made.name, made.thumbnail]) await writeFile(join(folder, name), 'x');
      return made;
    },
  });
  await job.run();
  const placed = await job.videos();
  expect(placed).toEqual([expect.stringMatching(/^[\w-]{22}\.png$/), expect.stringMatching(/^[\w-]{22}\.webm$/)]);
  const again = await job.run();
  expect(await job.videos()).toEqual(placed);
  await again.undo?.();
  expect(await job.videos()).toEqual([]);
});
