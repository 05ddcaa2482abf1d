import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { loneCluster, type Cluster } from '../cluster/cluster.ts';
import { createReplicatedMap } from '../cluster/replicatedMap.ts';
import type { Database } from '../database/database.ts';
import { killOrphanedSandboxes } from '../programs/launchPlan.ts';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';
import type { DiskMonitor } from '../storage/diskSpace.ts';
import type { FileStorage } from '../storage/fileStorage.ts';
import type { Job, JobKind, JobProgress, JobQueue } from './jobQueue.ts';
import { createJobFolderCleanup, createJobRunner, DISK_WAIT_MESSAGE, createProgressTracker } from './jobRunner.ts';
import { type JobRow, createJobStore } from './jobStore.ts';

/** Number of concurrent jobs of the whole server. */
const DEFAULT_WORKER_COUNT = 2;
const POLL_INTERVAL_MS = 1000;
/** Time after which ended jobs are removed. */
const RETENTION = Temporal.Duration.from({ hours: 30 * 24 });

export interface JobQueueOptions {
  readonly database: Database;
  readonly files: FileStorage;
  readonly disk: Pick<DiskMonitor, 'measureFreeBytes' | 'canStoreLargeFiles'>;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
  /** Other instances may run jobs of the same queue. Then leases of others must expire first. */
  readonly cluster?: Cluster;
}

/** The job queue with its lifecycle, for the server. */
export interface JobQueueService extends JobQueue {
  /**
   * Resumes jobs of an earlier server, and starts to run jobs. Jobs of unknown kinds stay queued.
   * @param workers number of concurrent jobs of the whole server
   */
  readonly start: (kinds: readonly JobKind[], workers?: number) => Promise<void>;
  /** Cancels all jobs of an account before it is deleted, and removes their folders. */
  readonly removeAccount: (account: number) => Promise<void>;
  readonly runNightlyCleanup: () => Promise<void>;
  /** Requeues running jobs, and resolves when that is done. */
  readonly stop: () => Promise<void>;
}

const toInstant = (ms: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(ms);

const toJob = (row: JobRow, progress: JobProgress = {}): Job => ({
  id: row.id,
  account: row.account,
  kind: row.kind,
  input: JSON.parse(row.input),
  title: progress.title ?? row.title,
  key: row.key,
  parent: row.parent ?? undefined,
  position: row.position,
  state: row.state,
  attempt: row.attempt,
  percent: progress.percent,
  stage: progress.stage ?? '',
  error: row.error,
  result: row.result === null ? undefined : JSON.parse(row.result),
  isDismissed: row.dismissed === 1,
  created: toInstant(row.created),
  ended: row.ended === null ? undefined : toInstant(row.ended),
  notBefore: row.state === 'queued' && row.run_after > 0 ? toInstant(row.run_after) : undefined,
});

/** Creates the queue of this server, and the workers that run its jobs. */
export function createJobQueue(options: JobQueueOptions): JobQueueService {
  const { database, files, disk, log, now, timers = realTimers, cluster = loneCluster } = options;
  const isAlone = !cluster.isShared;
  let workerCount = DEFAULT_WORKER_COUNT;
  const workerId = randomUUID();
  const store = createJobStore(database);
  const kinds = new Map<string, JobKind>();
  const getNowMs = () => now().epochMilliseconds;
  const getWorker = () => ({ workerId, now: getNowMs() });
  const stopController = new AbortController();
  let currentPoll: Promise<void> | undefined;
  let isPollRequested = false;
  /** Whether nothing is queued or running, and no other server can add jobs. Then only `wake` polls. */
  let isIdle = false;
  let cancelPolling: (() => void) | undefined;

  function notify(job: Job): void {
    try {
      kinds.get(job.kind)?.onChange?.(job);
    } catch (error) {
      log.error({ err: error, job: job.id }, 'jobs.notification.failed');
    }
  }
  const sharedProgress = createReplicatedMap<JobProgress>(cluster, 'job progress');
  const progressTracker = createProgressTracker({
    timers,
    notify: (row, current) => {
      sharedProgress.set(row.id, current);
      notify(toJob(row, current));
    },
    onRemoved: (id) => void sharedProgress.delete(id),
  });
  const toCurrentJob = (row: JobRow): Job =>
    toJob(row, row.state === 'running' ? (progressTracker.get(row.id) ?? sharedProgress.get(row.id)) : undefined);
  const folderCleanup = createJobFolderCleanup({ store, files, getNowMs });
  const runner = createJobRunner({
    store,
    database,
    files,
    folderCleanup,
    disk,
    log,
    timers,
    progressTracker,
    getWorker,
    getNowMs,
    toJob: toCurrentJob,
    notify,
  });

  /** Lists kinds that may run one more job. */
  const listAvailableKinds = (): readonly string[] =>
    [...kinds.values()]
      .filter(({ name, maxConcurrent = Infinity }) => runner.countByKind(name) < maxConcurrent)
      .map(({ name }) => name);

  function startJob(row: JobRow): void {
    const kind = kinds.get(row.kind);
    if (kind) void runner.run(row, kind).then(wake, wake);
  }
  async function startJobs(): Promise<void> {
    for (const row of await store.endOrphanedCancellations({ now: getNowMs() })) {
      await files.removeJobFolder(row.id);
      notify(toCurrentJob(row));
    }
    while (!stopController.signal.aborted && runner.countRunning() < workerCount) {
      const filter = { kinds: listAvailableKinds(), activeJobIds: runner.listRunningIds() };
      if (!(await store.isAnyDue({ now: getNowMs(), ...filter }))) {
        isIdle = isAlone && runner.countRunning() === 0 && !(await store.isAnyOpen());
        return;
      }
      await disk.measureFreeBytes();
      if (!disk.canStoreLargeFiles()) {
        await folderCleanup.freeSpace();
        return;
      }
      const row = await store.claim({ ...getWorker(), ...filter });
      if (row === undefined) return;
      startJob(row);
    }
  }
  async function poll(): Promise<void> {
    try {
      do {
        isPollRequested = false;
        await startJobs();
      } while (isPollRequested && !stopController.signal.aborted);
    } catch (error) {
      log.error({ err: error }, 'jobs.poll.failed');
    } finally {
      currentPoll = undefined;
    }
  }
  function wake(): void {
    if (stopController.signal.aborted || kinds.size === 0) return;
    isIdle = false;
    if (currentPoll === undefined) currentPoll = poll();
    else isPollRequested = true;
  }

  /** Aborts a running job, at any instance. */
  async function abort(id: number): Promise<void> {
    cluster.publish('job.cancelled', id);
    await runner.abort(id, 'cancelled');
  }
  cluster.subscribe('job.cancelled', (id: number) => {
    runner.abort(id, 'cancelled').catch((error: unknown) => log.error({ err: error, job: id }, 'jobs.abort.failed'));
  });
  cluster.subscribe('job.added', wake);
  function wakeAll(): void {
    wake();
    cluster.publish('job.added', null);
  }

  return {
    add: async ({ tx, afterCommit }, jobs) => {
      const rows = await store.insert(tx, jobs, getNowMs());
      afterCommit(() => {
        for (const row of rows) notify(toCurrentJob(row));
        wakeAll();
      });
      return rows.map(toCurrentJob);
    },
    find: async (account, id, tx) => {
      const row = await store.find(account, id, tx);
      return row && toCurrentJob(row);
    },
    list: async (account, { kinds: kindNames, endedAfter, parent } = {}, tx) => {
      const filter = {
        ...(kindNames === undefined ? {} : { kinds: kindNames }),
        ...(parent === undefined ? {} : { parent }),
        ...(endedAfter === undefined ? {} : { endedAfter: endedAfter.epochMilliseconds }),
      };
      const rows = await store.list(account, filter, tx);
      return rows.map(toCurrentJob);
    },
    listOpenByKey: async (account, kind, key, tx) =>
      (await store.listOpenByKey({ account, kind, key }, tx)).map(toCurrentJob),
    countOpen: (account, tx) => store.countOpen(account, tx),
    cancel: async (account, id) => {
      const row = await store.cancel(account, id, getNowMs());
      if (row === undefined) return false;
      if (row.state === 'running') await abort(id);
      else {
        await files.removeJobFolder(id);
        notify(toCurrentJob(row));
      }
      return true;
    },
    retry: async (account, id) => {
      const row = await store.requeue(account, id);
      if (row === undefined) return false;
      notify(toCurrentJob(row));
      wakeAll();
      return true;
    },
    dismiss: async (account, id) => {
      const row = await store.dismiss(account, id);
      if (row === undefined) return false;
      await files.removeJobFolder(id);
      notify(toCurrentJob(row));
      return true;
    },
    getPauseReason: () => (disk.canStoreLargeFiles() ? '' : DISK_WAIT_MESSAGE),

    start: async (jobKinds, workers = DEFAULT_WORKER_COUNT) => {
      workerCount = workers;
      for (const kind of jobKinds) kinds.set(kind.name, kind);
      if (kinds.size === 0) return;
      // Those of other instances on this computer are not orphaned.
      if (isAlone) await killOrphanedSandboxes(files.getPath('work'));
      await folderCleanup.removeExpired();
      if (isAlone) await store.expireOtherLeases({ workerId });
      cancelPolling = scheduleRepeating(timers, POLL_INTERVAL_MS, () => {
        if (!isIdle) wake();
      });
      wake();
    },
    removeAccount: async (account) => {
      const ids = await store.listUnfinishedIds(account);
      for (const id of ids) await store.cancel(account, id, getNowMs());
      await Promise.all(ids.map(abort));
      await Promise.all(ids.map((id) => files.removeJobFolder(id)));
    },
    runNightlyCleanup: async () => {
      await store.removeEndedBefore(now().subtract(RETENTION).epochMilliseconds);
      await folderCleanup.removeExpired();
    },
    stop: async () => {
      stopController.abort();
      cancelPolling?.();
      await currentPoll;
      await runner.stop();
      progressTracker.stop();
    },
  };
}
