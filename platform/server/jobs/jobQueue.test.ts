import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runDuringTransaction } from '#testing/kits/server/besideTransaction.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { EMPTY_OUTCOME, startTestJobQueue, type JobBody } from '#testing/kits/server/jobs.ts';
import { type Job, JobFailure } from './jobQueue.ts';

/** Creates work whose runs the test ends. */
function createControlledWork() {
  const started: number[] = [];
  const startsById = new Map<number, PromiseWithResolvers<void>>();
  const endsById = new Map<number, PromiseWithResolvers<void>>();
  function getResolvers(resolversById: typeof endsById, id: number): PromiseWithResolvers<void> {
    const resolvers = resolversById.get(id) ?? Promise.withResolvers<void>();
    resolversById.set(id, resolvers);
    return resolvers;
  }
  const work: JobBody = async ({ job, signal }) => {
    const end = getResolvers(endsById, job.id);
    started.push(job.id);
    getResolvers(startsById, job.id).resolve();
    signal.addEventListener('abort', () => end.reject(signal.reason), { once: true });
    await end.promise;
    return EMPTY_OUTCOME;
  };
  return {
    work,
    started,
    waitForStart: (id: number) => getResolvers(startsById, id).promise,
    end: (id: number) => getResolvers(endsById, id).resolve(),
  };
}

async function getFirst<T>(items: Promise<readonly T[]>): Promise<T> {
  const [item] = await items;
  if (item === undefined) throw new Error('there is no item');
  return item;
}

testOnBothDatabases(
  'a job runs in its own folder, reports progress, and its result is saved when it ends',
  async (storage) => {
    let folder = '';
    await using queue = await startTestJobQueue(storage, async ({ job, input, folder: jobFolder, reportProgress }) => {
      folder = jobFolder;
      await writeFile(join(jobFolder, 'half'), 'x');
      reportProgress({ percent: 10, stage: 'fetching', title: `A song\0 ${input.n}` });
      return { save: async () => ({ song: job.id * 10 }) };
    });
    const { id, account } = await getFirst(queue.add({ input: { n: 7 }, key: 'http://a/', parent: 3, position: 2 }));
    const done = await queue.waitForState(id, 'done');
    expect(done).toMatchObject({
      state: 'done',
      result: { song: id * 10 },
      attempt: 1,
      key: 'http://a/',
      parent: 3,
      position: 2,
    });
    expect(queue.changes).toEqual([`${id} queued`, `${id} running`, `${id} running 10 fetching`, `${id} done`]);
    expect(existsSync(folder)).toBe(false);
    expect(await queue.jobs.find(account, id)).toMatchObject({ state: 'done', title: 'A song 7', percent: undefined });
  },
);

testOnBothDatabases(
  'two jobs run concurrently, in order, and an account without running jobs goes first',
  async (storage) => {
    const { work, waitForStart, end, started } = createControlledWork();
    await using queue = await startTestJobQueue(storage, work);
    const [ann = 0, bob = 0] = queue.accounts;
    const added = await queue.add({ account: ann }, { account: ann }, { account: ann }, { account: bob });
    const ids = added.map((job) => job.id);
    const [firstId = 0, secondId = 0, , bobsId = 0] = ids;
    await Promise.all([waitForStart(firstId), waitForStart(bobsId)]);
    expect(new Set(started)).toEqual(new Set([firstId, bobsId]));
    end(firstId);
    await waitForStart(secondId);
    expect(started).toHaveLength(3);
  },
);

testOnBothDatabases('a kind with a limit leaves workers for others', async (storage) => {
  const { work, waitForStart, started, end } = createControlledWork();
  await using queue = await startTestJobQueue(storage, work, { kind: { maxConcurrent: 1 } });
  const [firstId = 0, secondId = 0] = (await queue.add({}, {})).map(({ id }) => id);
  await waitForStart(firstId);
  expect(started).toEqual([firstId]);
  end(firstId);
  await waitForStart(secondId);
});

testOnBothDatabases('a temporary failure is retried after 4 and 16 seconds, and then is final', async (storage) => {
  let attemptCount = 0;
  await using queue = await startTestJobQueue(storage, async () => {
    attemptCount += 1;
    throw new JobFailure('again', `The site responded with status 50${attemptCount}`);
  });
  const { id, account } = await getFirst(queue.add({}));
  const error = async () => (await queue.jobs.find(account, id))?.error;
  await expect.poll(error).toBe('The site responded with status 501. Next attempt in 4 s');
  queue.advance(3.9);
  expect(attemptCount).toBe(1);
  queue.advance(1);
  await expect.poll(error).toBe('The site responded with status 502. Next attempt in 16 s');
  queue.advance(17);
  expect(await queue.waitForState(id, 'failed')).toMatchObject({
    error: 'The site responded with status 503',
    attempt: 3,
  });
  expect(await queue.jobs.retry(account, id)).toBe(true);
  await expect.poll(error).toBe('The site responded with status 504. Next attempt in 4 s');
});

testOnBothDatabases('a final failure ends the job immediately; a fault is logged and retried', async (storage) => {
  await using queue = await startTestJobQueue(storage, async ({ input }) => {
    if (input.n === 1) throw new JobFailure('final', 'No sound in this file');
    throw new Error('a bug');
  });
  const [final, broken] = (await queue.add({ input: { n: 1 } }, { input: { n: 2 } })).map(({ id }) => id);
  expect((await queue.waitForState(final ?? 0, 'failed')).error).toBe('No sound in this file');
  await expect
    .poll(async () => (await queue.jobs.find(queue.accounts[0] ?? 0, broken ?? 0))?.error)
    .toBe('Something went wrong on the server. Its log has the details. Next attempt in 4 s');
});

testOnBothDatabases(
  'a queued job is cancelled immediately, a running one soon, and its folder is removed',
  async (storage) => {
    const { work, waitForStart } = createControlledWork();
    await using queue = await startTestJobQueue(storage, work, { workers: 1 });
    const [running = 0, queued = 0] = (await queue.add({}, {})).map(({ id }) => id);
    await waitForStart(running);
    const [ann = 0, bob = 0] = queue.accounts;
    expect(await queue.jobs.cancel(bob, running)).toBe(false);
    expect(await queue.jobs.cancel(ann, queued)).toBe(true);
    expect(await queue.jobs.cancel(ann, running)).toBe(true);
    for (const id of [running, queued]) expect((await queue.jobs.find(ann, id))?.state).toBe('cancelled');
    expect(await readdir(join(storage.dataDir, 'work'))).toEqual([]);
    expect(await queue.jobs.cancel(ann, running)).toBe(false);
  },
);

testOnBothDatabases('a job that is cancelled while an attempt fails is not retried', async (storage) => {
  await using queue = await startTestJobQueue(storage, async ({ job }) => {
    const table = queue.database.db.$extendTables<{ job: { id: number; cancel: number } }>();
    await table.updateTable('job').set({ cancel: 1 }).where('id', '=', job.id).execute();
    throw new JobFailure('again', 'The connection to that site was lost');
  });
  const { id } = await getFirst(queue.add({}));
  await queue.waitForState(id, 'cancelled');
});

testOnBothDatabases('a job that is cancelled while it is requeued is cancelled', async (storage) => {
  const { work, waitForStart } = createControlledWork();
  await using queue = await startTestJobQueue(storage, work);
  const { id, account } = await getFirst(queue.add({}));
  await waitForStart(id);
  const cancelled = await runDuringTransaction(queue.database, {
    change: async (tx) => {
      const table = tx.$extendTables<{ job: { id: number; state: string } }>();
      await table.updateTable('job').set({ state: 'queued' }).where('id', '=', id).execute();
    },
    other: () => queue.jobs.cancel(account, id),
  });
  expect(cancelled).toBe(true);
  expect(await queue.jobs.find(account, id)).toMatchObject({ state: 'cancelled' });
});

testOnBothDatabases('a job that is cancelled while its outcome is saved leaves nothing', async (storage) => {
  const undone: number[] = [];
  await using queue = await startTestJobQueue(storage, async ({ job }) => {
    // Cancels like another server, so this one is not notified.
    await queue.database.db
      .$extendTables<{ job: { id: number; cancel: number } }>()
      .updateTable('job')
      .set({ cancel: 1 })
      .where('id', '=', job.id)
      .execute();
    return {
      save: async () => {
        throw new Error('must not be kept');
      },
      undo: async () => void undone.push(job.id),
    };
  });
  const { id } = await getFirst(queue.add({}));
  await queue.waitForState(id, 'cancelled');
  expect(undone).toEqual([id]);
});

testOnBothDatabases('an outcome that cannot be saved is undone', async (storage) => {
  let undone = 0;
  await using queue = await startTestJobQueue(storage, async () => ({
    save: async () => {
      throw new JobFailure('final', 'No room in your library');
    },
    undo: async () => void (undone += 1),
  }));
  const { id, account } = await getFirst(queue.add({}));
  expect((await queue.waitForState(id, 'failed')).error).toBe('No room in your library');
  expect(undone).toBe(1);
  expect(await queue.jobs.countOpen(account)).toBe(0);
});

testOnBothDatabases('a worker that has lost its lease stops, and writes nothing more', async (storage) => {
  const started = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<void>();
  const canFinish = Promise.withResolvers<void>();
  let saveCount = 0;
  await using queue = await startTestJobQueue(storage, async ({ signal }) => {
    signal.addEventListener('abort', () => lost.resolve());
    started.resolve();
    await canFinish.promise;
    return { save: async () => void (saveCount += 1) };
  });
  const { id, account } = await getFirst(queue.add({}));
  await started.promise;
  const table = queue.database.db.$extendTables<{ job: { id: number; lease_by: string | null } }>();
  await table.updateTable('job').set({ lease_by: 'another' }).where('id', '=', id).execute();
  queue.advance(10);
  await lost.promise;
  canFinish.resolve();
  await queue.jobs.stop();
  expect(saveCount).toBe(0);
  expect(await queue.jobs.find(account, id)).toMatchObject({ state: 'running', attempt: 1 });
});

testOnBothDatabases(
  'a worker renews the lease of a long job, and two workers never run the same one',
  async (storage) => {
    const runCountById = new Map<number, number>();
    const countRun: JobBody = async ({ job }) => {
      runCountById.set(job.id, (runCountById.get(job.id) ?? 0) + 1);
      return EMPTY_OUTCOME;
    };
    await using queue = await startTestJobQueue(storage, countRun);
    await queue.startSecondWorker(countRun);
    const added = await queue.add(...Array.from({ length: 60 }, () => ({})));
    // A suspended machine must not use up a lease.
    let remainingSeconds = 25;
    await expect
      .poll(
        async () => {
          if (remainingSeconds > 0) queue.advance(1);
          remainingSeconds -= 1;
          return queue.jobs.countOpen(queue.accounts[0] ?? 0);
        },
        { timeout: 100_000, interval: 20 },
      )
      .toBe(0);
    expect([...runCountById.keys()].toSorted((one, other) => one - other)).toEqual(added.map(({ id }) => id));
    expect([...runCountById.values()].every((times) => times === 1)).toBe(true);
  },
);

testOnBothDatabases(
  'a job of a dead worker is claimed after its lease, one of a live worker is not',
  async (storage) => {
    const { work, waitForStart } = createControlledWork();
    await using queue = await startTestJobQueue(storage, work, { workers: 1 });
    const { id, account } = await getFirst(queue.add({}));
    await waitForStart(id);
    const attempts: number[] = [];
    await queue.startSecondWorker(async ({ job }) => {
      attempts.push(job.attempt);
      return EMPTY_OUTCOME;
    });
    const getLease = () =>
      queue.database.db
        .$extendTables<{ job: { id: number; lease_until: number } }>()
        .selectFrom('job')
        .select('lease_until')
        .executeTakeFirstOrThrow();
    for (let round = 0; round < 6; round += 1) {
      const before = (await getLease()).lease_until;
      queue.advance(10);
      await expect.poll(async () => (await getLease()).lease_until).toBeGreaterThan(before);
    }
    expect(attempts).toEqual([]);
    expect(await queue.jobs.find(account, id)).toMatchObject({ state: 'running', attempt: 1 });
  },
);

testOnBothDatabases(
  'stopping requeues running jobs with their folders, and the next start continues them',
  async (storage) => {
    const { work, waitForStart } = createControlledWork();
    let id = 0;
    {
      await using queue = await startTestJobQueue(storage, async (run) => {
        await writeFile(join(run.folder, 'media.part'), 'half');
        return work(run);
      });
      ({ id } = await getFirst(queue.add({})));
      await waitForStart(id);
    }
    const contents: string[] = [];
    await using nextQueue = await startTestJobQueue(storage, async ({ folder, job }) => {
      contents.push(...(await readdir(folder)), String(job.attempt));
      return EMPTY_OUTCOME;
    });
    await nextQueue.waitForState(id, 'done');
    expect(contents).toEqual(['media.part', '1']);
  },
);

testOnBothDatabases(
  'below 2 GiB no job starts, running ones wait, and all continue when there is space',
  async (storage) => {
    let isFull = true;
    const disk = { measureFreeBytes: async () => 0, canStoreLargeFiles: () => !isFull };
    const { work, waitForStart, started, end } = createControlledWork();
    await using queue = await startTestJobQueue(storage, work, { disk });
    const { id, account } = await getFirst(queue.add({}));
    queue.advance(5);
    await expect.poll(queue.jobs.getPauseReason).toBe('Waiting: the server has less than 2 GiB of free disk space');
    expect(started).toEqual([]);
    isFull = false;
    queue.advance(1);
    await waitForStart(id);
    isFull = true;
    const requeued = queue.waitForState(id, 'queued');
    queue.advance(10);
    expect(await requeued).toMatchObject({
      attempt: 0,
      error: 'Waiting: the server has less than 2 GiB of free disk space',
    });
    expect(await queue.jobs.find(account, id)).toMatchObject({ state: 'queued', attempt: 0 });
    expect(existsSync(join(storage.dataDir, 'work', String(id)))).toBe(true);
    end(id);
  },
);

testOnBothDatabases('a job that crashes the server repeatedly is not started indefinitely', async (storage) => {
  let runCount = 0;
  await using queue = await startTestJobQueue(storage, async () => {
    runCount += 1;
    return EMPTY_OUTCOME;
  });
  await queue.jobs.stop(); // this one runs nothing
  const { id, account } = await getFirst(queue.add({}));
  const table = queue.database.db.$extendTables<{ job: { id: number; attempt: number; state: string } }>();
  await table.updateTable('job').set({ attempt: 5, state: 'running' }).where('id', '=', id).execute();
  const next = await queue.startSecondWorker(async () => {
    runCount += 1;
    return EMPTY_OUTCOME;
  });
  queue.advance(1);
  await expect.poll(async () => (await next.find(account, id))?.state).toBe('failed');
  expect((await next.find(account, id))?.error).toBe(
    'The server stopped several times during this job, so it was cancelled',
  );
  expect(runCount).toBe(0);
});

testOnBothDatabases(
  'a job belongs to its account; ended jobs can be dismissed, and are removed after a month',
  async (storage) => {
    let now = Temporal.Instant.from('2026-11-23T00:00:00Z');
    await using queue = await startTestJobQueue(storage, async () => EMPTY_OUTCOME, { now: () => now });
    const [ann = 0, bob = 0] = queue.accounts;
    const { id } = await getFirst(queue.add({ key: 'k' }));
    await queue.waitForState(id, 'done');
    const { jobs } = queue;
    expect(await jobs.find(bob, id)).toBe(undefined);
    expect([await jobs.retry(bob, id), await jobs.dismiss(bob, id), await jobs.retry(ann, id)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await jobs.dismiss(ann, id)).toBe(true);
    const listEndedAfter = async (account: number, epochMs: number) =>
      (await jobs.list(account, { endedAfter: Temporal.Instant.fromEpochMilliseconds(epochMs) })).map((job: Job) => [
        job.id,
        job.isDismissed,
      ]);
    expect(await listEndedAfter(ann, 0)).toEqual([[id, true]]);
    expect([
      await listEndedAfter(bob, 0),
      await listEndedAfter(ann, Date.UTC(2027, 1, 1)),
      await jobs.list(ann),
    ]).toEqual([[], [], []]);
    expect(await jobs.listOpenByKey(ann, 'work', 'k')).toEqual([]);
    now = now.add({ hours: 29 * 24 });
    await jobs.runNightlyCleanup();
    expect(await jobs.find(ann, id)).not.toBe(undefined);
    now = now.add({ hours: 2 * 24 });
    await jobs.runNightlyCleanup();
    expect(await jobs.find(ann, id)).toBe(undefined);
  },
);

testOnBothDatabases('before an account is deleted, its jobs end and their folders are removed', async (storage) => {
  const { work, waitForStart } = createControlledWork();
  await using queue = await startTestJobQueue(storage, work, { workers: 1 });
  const [ann = 0, bob = 0] = queue.accounts;
  const [running = 0, , bobs = 0] = (await queue.add({}, {}, { account: bob })).map(({ id }) => id);
  await waitForStart(running);
  await queue.jobs.removeAccount(ann);
  expect(await queue.jobs.countOpen(ann)).toBe(0);
  expect(await queue.jobs.countOpen(bob)).toBe(1);
  await waitForStart(bobs);
  expect(await readdir(join(storage.dataDir, 'work'))).toEqual([String(bobs)]);
});

testOnBothDatabases('a job of an unknown kind stays queued', async (storage) => {
  await using queue = await startTestJobQueue(storage, async () => EMPTY_OUTCOME);
  const [unknownId, knownId] = (await queue.add({ kind: 'of an older server' }, {})).map(({ id }) => id);
  await queue.waitForState(knownId ?? 0, 'done');
  expect(await queue.jobs.find(queue.accounts[0] ?? 0, unknownId ?? 0)).toMatchObject({ state: 'queued', attempt: 0 });
});
