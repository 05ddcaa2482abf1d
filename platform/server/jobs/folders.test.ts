import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { onBothDatabases } from '#testing/database.ts';
import { startQueue, type Work } from '#testing/jobs.ts';
import { JobFailure } from './jobs.ts';

onBothDatabases(
  'what failed ones have fetched is kept for another try: of the last three, for a day, until they are dismissed',
  async (storage) => {
    const found: (readonly string[])[] = [];
    const work: Work = async ({ folder, input }) => {
      found.push(await readdir(folder));
      await writeFile(join(folder, 'media.part'), 'half');
      throw new JobFailure(input.n === 0 ? 'final' : 'again', 'The line broke off');
    };
    await using queue = await startQueue(storage, work, { workers: 5, kind: { keepsFolder: true } });
    const { jobs, accounts, until } = queue;
    const [account = 0] = accounts;
    const folders = async () => (await readdir(join(storage.dataDir, 'work'))).map(Number).toSorted((a, b) => a - b);
    const [final, ...others] = (await queue.add({ input: { n: 0 } }, {}, {}, {}, {})).map(({ id }) => id);
    await until(final ?? 0, 'failed');
    for (const seconds of [4, 16]) {
      const errors = async () => Promise.all(others.map(async (id) => (await jobs.find(account, id))?.error));
      await expect.poll(errors).toEqual(others.map(() => `The line broke off, next try in ${seconds} s`));
      queue.turn(seconds + 1);
    }
    for (const id of others) await until(id, 'failed');
    await expect.poll(folders).toHaveLength(3);
    const kept = await folders();
    expect(others).toEqual(expect.arrayContaining(kept));

    found.length = 0;
    expect(await jobs.again(account, Number(kept[0]))).toBe(true);
    await expect.poll(() => found).toEqual([['media.part']]);
    await jobs.cancel(account, Number(kept[0]));
    await until(Number(kept[0]), 'cancelled');
    expect(await jobs.dismiss(account, Number(kept[1]))).toBe(true);
    await jobs.nightly();
    expect(await folders()).toEqual(kept.slice(2));
    queue.turn(86_400);
    await jobs.nightly();
    expect(await folders()).toEqual([]);
  },
);
