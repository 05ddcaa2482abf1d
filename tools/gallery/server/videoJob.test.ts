import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#platform/server/database/open.ts';
import { makeFiles } from '#platform/server/files.ts';
import type { JobRun } from '#platform/server/jobs/jobs.ts';
import { MOST_STARTS } from '#platform/server/jobs/tries.ts';
import { brokenFolder } from './folders.ts';
import { galleryStore } from './store.ts';
import { videoJob, type VideoInput } from './videoJob.ts';

const log = pino({ level: 'silent' });

test('a recording at which the server was killed again and again is put aside before the queue drops it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  await using database = await openDatabase({ dataDir, log });
  const files = makeFiles(dataDir);
  const store = galleryStore(database);
  const told: unknown[] = [];
  const kept = { ...store, addBroken: async (_tx: unknown, broken: unknown) => void told.push(broken) };
  const ground = { files, database, log, now: Temporal.Now.instant } as unknown as Parameters<
    typeof videoJob
  >[0]['ground'];
  const kind = videoJob({ ground, store: kept, changed: () => undefined });
  const folder = join(dataDir, 'work');
  await mkdir(folder);
  await writeFile(join(folder, 'media.mkv'), 'what kills it');
  const input: VideoInput = { path: 'a.mkv', name: 'a.mkv', modifiedMs: 0, isCut: false };
  const job = { id: 1, account: 1, attempt: MOST_STARTS };
  const run = { job, input, folder, signal: new AbortController().signal, progress: () => undefined };
  await expect(kind.run(run as unknown as JobRun<never>)).rejects.toMatchObject({
    means: 'final',
    message: 'The server ended again and again while this was converted',
  });
  expect(told).toMatchObject([{ account: 1, name: 'a.mkv', reason: expect.stringContaining('again and again') }]);
  expect(await readdir(join(dataDir, brokenFolder(1)))).toEqual([expect.stringMatching(/\.mkv$/)]);
});
