import { pino } from 'pino';
import * as z from 'zod/mini';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { type JobQueueOptions, type JobQueueService, createJobQueue } from '#platform/server/jobs/createJobQueue.ts';
import {
  type Job,
  defineJobKind,
  type JobKind,
  type JobOutcome,
  type JobRun,
  type NewJob,
} from '#platform/server/jobs/jobQueue.ts';
import { jobMigrations } from '#platform/server/jobs/migrations.ts';
import { type FileStorage, createFileStorage } from '#platform/server/storage/fileStorage.ts';
import type { TestStorage } from './database.ts';
import { type ManualTimers, createManualTimers } from './handTimers.ts';

type Tables = {
  account: { id: number; name: string; folded: string; password: string; is_owner: number; created: number };
};

/** What the jobs of a test do. */
export type JobBody = (run: JobRun<{ readonly n?: number | undefined }>) => Promise<JobOutcome>;

/** Leaves nothing. */
export const EMPTY_OUTCOME: JobOutcome = { save: async () => undefined };

/** A queue of a test's own, with a clock turned by hand. */
export interface TestJobQueue extends AsyncDisposable {
  readonly database: Database;
  readonly files: FileStorage;
  readonly jobs: JobQueueService;
  readonly timers: ManualTimers;
  /** Turns the clock. */
  readonly advance: (seconds: number) => void;
  /** Two of them. */
  readonly accounts: readonly number[];
  /** Queues jobs of the kind `work`, of the first account where none is said. */
  readonly add: (...jobs: readonly Partial<NewJob>[]) => Promise<readonly Job[]>;
  /** Everything that was told of jobs, in order: `<id> <state> <percent> <stage>`. */
  readonly changes: readonly string[];
  /** Resolves when a job is told in that state, or was told so last; of 'queued', the next time. */
  readonly waitForState: (id: number, state: Job['state']) => Promise<Job>;
  /** Another worker on the same queue. */
  readonly startSecondWorker: (work: JobBody) => Promise<JobQueueService>;
}

export interface TestJobQueueOptions extends Partial<JobQueueOptions> {
  readonly kind?: Partial<Pick<JobKind, 'atMost' | 'keepsFolder'>>;
}

const accountsOf = async (database: Database): Promise<readonly number[]> => {
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'job', migrations: jobMigrations },
  ]);
  const db = database.db.$extendTables<Tables>();
  const ids = async () => (await db.selectFrom('account').select('id').orderBy('id').execute()).map(({ id }) => id);
  if ((await ids()).length === 0)
    await database.db
      .$extendTables<{ account: Omit<Tables['account'], 'id'> }>()
      .insertInto('account')
      .values(
        ['ann', 'bob'].map((name, at) => ({
          name,
          folded: name,
          password: '',
          is_owner: at === 0 ? 1 : 0,
          created: 0,
        })),
      )
      .execute();
  return ids();
};

/** Opens a queue whose jobs do `work`; opened again on the same storage it is a server that was started anew. */
export async function startTestJobQueue(
  { open, dataDir }: Pick<TestStorage, 'open' | 'dataDir'>,
  work: JobBody,
  { kind, ...options }: TestJobQueueOptions = {},
): Promise<TestJobQueue> {
  const database = await open();
  const accounts = await accountsOf(database);
  const files = createFileStorage(dataDir);
  const timers = createManualTimers();
  const told: string[] = [];
  const waiting = new Set<{ readonly id: number; readonly state: string; readonly done: (job: Job) => void }>();
  const latest = new Map<number, Job>();
  const changed = (job: Job): void => {
    latest.set(job.id, job);
    told.push([job.id, job.state, job.percent, job.stage].filter((one) => one !== undefined && one !== '').join(' '));
    for (const one of waiting) {
      if (one.id !== job.id || one.state !== job.state) continue;
      waiting.delete(one);
      one.done(job);
    }
  };
  const queues: JobQueueService[] = [];
  const startOne = async (run: JobBody, more: Partial<JobQueueOptions> = {}): Promise<JobQueueService> => {
    const queue = createJobQueue({
      database,
      files,
      timers,
      disk: { measureFreeBytes: async () => Infinity, canDownload: () => true },
      log: pino({ level: 'silent' }),
      now: () => Temporal.Instant.fromEpochMilliseconds(Date.UTC(2026, 10, 23) + timers.now()),
      ...options,
      ...more,
    });
    queues.push(queue);
    await queue.start([
      defineJobKind({ name: 'work', input: z.object({ n: z.optional(z.number()) }), run, changed, ...kind }),
    ]);
    return queue;
  };
  const jobs = await startOne(work);
  return {
    database,
    files,
    jobs,
    timers,
    accounts,
    changes: told,
    advance: (seconds) => timers.advance(seconds * 1000),
    add: (...wanted) =>
      database.transaction((tx) =>
        jobs.add(
          tx,
          wanted.map((one) => ({ account: accounts[0] ?? 0, kind: 'work', input: {}, title: 'A job', ...one })),
        ),
      ),
    waitForState: (id, state) => {
      const last = latest.get(id);
      if (last?.state === state && state !== 'queued') return Promise.resolve(last);
      return new Promise((done) => void waiting.add({ id, state, done }));
    },
    startSecondWorker: (run) => startOne(run, { isAlone: false }),
    [Symbol.asyncDispose]: async () => {
      for (const queue of queues) await queue.stop();
      await database[Symbol.asyncDispose]();
    },
  };
}
