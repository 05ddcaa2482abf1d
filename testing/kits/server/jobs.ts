import { pino } from 'pino';
import * as z from 'zod/mini';
import { loneCluster } from '#platform/server/cluster/cluster.ts';
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
import { jobMigrations } from '#platform/server/jobs/jobStore.ts';
import { type FileStorage, createFileStorage } from '#platform/server/storage/fileStorage.ts';
import type { TestStorage } from './database.ts';
import { type ManualTimers, createManualTimers } from './manualTimers.ts';

type Tables = {
  account: { id: number; name: string; folded: string; password: string; is_owner: number; created: number };
};

/** The work of the test's jobs. */
export type JobBody = (run: JobRun<{ readonly n?: number | undefined }>) => Promise<JobOutcome>;

/** An outcome that saves nothing. */
export const EMPTY_OUTCOME: JobOutcome = { save: async () => undefined };

/** A job queue of one test, with a manual clock. */
export interface TestJobQueue extends AsyncDisposable {
  readonly database: Database;
  readonly files: FileStorage;
  readonly jobs: JobQueueService;
  readonly timers: ManualTimers;
  /** Advances the clock. */
  readonly advance: (seconds: number) => void;
  /** Two account ids. */
  readonly accounts: readonly number[];
  /** Queues jobs of the kind `work`, for the first account by default. */
  readonly add: (...jobs: readonly Partial<NewJob>[]) => Promise<readonly Job[]>;
  /** All published changes in order: `<id> <state> <percent> <stage>`. */
  readonly changes: readonly string[];
  /** Resolves when a job has this state, or had it last; for 'queued', the next time. */
  readonly waitForState: (id: number, state: Job['state']) => Promise<Job>;
  /** Starts another worker on the same queue. */
  readonly startSecondWorker: (work: JobBody) => Promise<JobQueueService>;
}

export interface TestJobQueueOptions extends Partial<JobQueueOptions> {
  readonly kind?: Partial<Pick<JobKind, 'maxConcurrent' | 'keepsFolder'>>;
  readonly workers?: number;
}

async function listAccounts(database: Database): Promise<readonly number[]> {
  await migrate(database, [
    { name: 'identity', migrations: identityMigrations },
    { name: 'job', migrations: jobMigrations },
  ]);
  const db = database.db.$extendTables<Tables>();
  const listIds = async () => (await db.selectFrom('account').select('id').orderBy('id').execute()).map(({ id }) => id);
  if ((await listIds()).length === 0)
    await database.db
      .$extendTables<{ account: Omit<Tables['account'], 'id'> }>()
      .insertInto('account')
      .values(
        ['ann', 'bob'].map((name, index) => ({
          name,
          folded: name,
          password: '',
          is_owner: index === 0 ? 1 : 0,
          created: 0,
        })),
      )
      .execute();
  return listIds();
}

/** Opens a queue whose jobs run `work`; opening it again on the same storage acts like a restarted server. */
export async function startTestJobQueue(
  { open, dataDir }: Pick<TestStorage, 'open' | 'dataDir'>,
  work: JobBody,
  { kind, workers, ...options }: TestJobQueueOptions = {},
): Promise<TestJobQueue> {
  const database = await open();
  const accounts = await listAccounts(database);
  const files = createFileStorage(dataDir);
  const timers = createManualTimers();
  const changes: string[] = [];
  const waiters = new Set<{
    readonly id: number;
    readonly state: string;
    readonly resolve: (job: Job) => void;
  }>();
  const latestJobs = new Map<number, Job>();
  function onChange(job: Job): void {
    latestJobs.set(job.id, job);
    const fields = [job.id, job.state, job.percent, job.stage];
    changes.push(fields.filter((field) => field !== undefined && field !== '').join(' '));
    for (const waiter of waiters) {
      if (waiter.id !== job.id || waiter.state !== job.state) continue;
      waiters.delete(waiter);
      waiter.resolve(job);
    }
  }
  const queues: JobQueueService[] = [];
  async function startQueue(run: JobBody, overrides: Partial<JobQueueOptions> = {}): Promise<JobQueueService> {
    const queue = createJobQueue({
      database,
      files,
      timers,
      disk: { measureFreeBytes: async () => Infinity, canStoreLargeFiles: () => true },
      log: pino({ level: 'silent' }),
      now: () => Temporal.Instant.fromEpochMilliseconds(Date.UTC(2026, 10, 23) + timers.now()),
      ...options,
      ...overrides,
    });
    queues.push(queue);
    const input = z.object({ n: z.optional(z.number()) });
    await queue.start([defineJobKind({ name: 'work', input, run, onChange, ...kind })], workers);
    return queue;
  }
  const jobs = await startQueue(work);
  return {
    database,
    files,
    jobs,
    timers,
    accounts,
    changes,
    advance: (seconds) => timers.advance(seconds * 1000),
    add: (...newJobs) =>
      database.transaction((tx) =>
        jobs.add(
          tx,
          newJobs.map((job) => ({ account: accounts[0] ?? 0, kind: 'work', input: {}, title: 'A job', ...job })),
        ),
      ),
    waitForState: (id, state) => {
      const latest = latestJobs.get(id);
      if (latest?.state === state && state !== 'queued') return Promise.resolve(latest);
      return new Promise((resolve) => void waiters.add({ id, state, resolve }));
    },
    startSecondWorker: (run) => startQueue(run, { cluster: { ...loneCluster, isShared: true } }),
    [Symbol.asyncDispose]: async () => {
      for (const queue of queues) await queue.stop();
      await database[Symbol.asyncDispose]();
    },
  };
}
