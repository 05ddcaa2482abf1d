import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startTestJobQueue, type JobBody } from '#testing/kits/server/jobs.ts';
import { JobFailure } from './jobQueue.ts';

testOnBothDatabases(
  'folders of failed jobs remain for a retry: the last three, for a day, until they are dismissed',
  async (storage) => {
    const contents: (readonly string[])[] = [];
    const work: JobBody = async ({ folder, input }) => {
      contents.push(await readdir(folder));
      await writeFile(join(folder, 'media.part'), 'half');
      throw new JobFailure(input.n === 0 ? 'final' : 'again', 'The connection to that site was lost');
    };
    await using queue = await startTestJobQueue(storage, work, { workers: 5, kind: { keepsFolder: true } });
    const { jobs, accounts, waitForState } = queue;
    const [account = 0] = accounts;
    const listFolders = async () =>
      (await readdir(join(storage.dataDir, 'work'))).map(Number).toSorted((a, b) => a - b);
    const [final, ...others] = (await queue.add({ input: { n: 0 } }, {}, {}, {}, {})).map(({ id }) => id);
    await waitForState(final ?? 0, 'failed');
    for (const seconds of [4, 16]) {
      const errors = async () => Promise.all(others.map(async (id) => (await jobs.find(account, id))?.error));
      await expect
        .poll(errors)
        .toEqual(others.map(() => `The connection to that site was lost. Next attempt in ${seconds} s`));
      queue.advance(seconds + 1);
    }
    for (const id of others) await waitForState(id, 'failed');
    await expect.poll(listFolders).toHaveLength(3);
    const remaining = await listFolders();
    expect(others).toEqual(expect.arrayContaining(remaining));

    contents.length = 0;
    expect(await jobs.retry(account, Number(remaining[0]))).toBe(true);
    await expect.poll(() => contents).toEqual([['media.part']]);
    expect(await jobs.cancel(account, Number(remaining[0]))).toBe(true);
    await waitForState(Number(remaining[0]), 'cancelled');
    expect(await jobs.dismiss(account, Number(remaining[1]))).toBe(true);
    await jobs.runNightlyCleanup();
    expect(await listFolders()).toEqual(remaining.slice(2));
    queue.advance(86_400);
    await jobs.runNightlyCleanup();
    expect(await listFolders()).toEqual([]);
  },
);

testOnBothDatabases(
  'a retry during the cleanup of the last attempt starts after it, and other jobs continue',
  async (storage) => {
    const started: number[] = [];
    const work: JobBody = async ({ job }) => {
      started.push(job.id);
      throw new JobFailure('again', 'The connection to that site was lost');
    };
    await using queue = await startTestJobQueue(storage, work, { kind: { keepsFolder: true } });
    const { jobs, accounts, files, waitForState } = queue;
    const [account = 0] = accounts;
    const canCleanUp = Promise.withResolvers<void>();
    const cleanUp = files.removeStaleJobFolders;
    vi.spyOn(files, 'removeStaleJobFolders').mockImplementationOnce(async (selectRetained) => {
      await canCleanUp.promise;
      await cleanUp(selectRetained);
    });
    const addJob = async () => (await queue.add({})).map(({ id }) => id)[0] ?? 0;
    const failedJob = await addJob();
    for (const seconds of [4, 16]) {
      await expect
        .poll(async () => (await jobs.find(account, failedJob))?.error)
        .toContain(`Next attempt in ${seconds} s`);
      queue.advance(seconds + 1);
    }
    await waitForState(failedJob, 'failed');
    expect(await jobs.retry(account, failedJob)).toBe(true);
    const other = await addJob();
    await expect.poll(() => started).toContain(other);
    expect(started.filter((id) => id === failedJob)).toHaveLength(3);
    canCleanUp.resolve();
    await expect.poll(() => started.filter((id) => id === failedJob)).toHaveLength(4);
  },
);
