import type { FastifyBaseLogger } from 'fastify';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { Database } from '../database/database.ts';
import { scheduleRepeating, type Timers } from '../schedule/timers.ts';
import { isDiskFullError } from '../storage/diskFullError.ts';
import type { DiskMonitor } from '../storage/diskSpace.ts';
import type { FileStorage } from '../storage/fileStorage.ts';
import { FILE_STORE_MESSAGE, FileStoreError } from '../storage/fileStore.ts';
import {
  type Job,
  JobFailure,
  type JobKind,
  type JobOutcome,
  type JobProgress,
  MAX_STARTS,
  getRetryDelaySeconds,
} from './jobQueue.ts';
import { type JobRow, type JobStore, LEASE_TTL_MS, type WorkerIdentity } from './jobStore.ts';

/** Maximum number of folders of failed jobs per account, which a retry can use. */
const MAX_RETAINED_FOLDERS = 3;
/** Time for which the folder of a failed job is retained. */
const RETENTION_MS = DAY_MS;

interface JobFolderCleanupDeps {
  readonly store: JobStore;
  readonly files: FileStorage;
  readonly getNowMs: () => number;
}

/** Returns the ids of the last failed jobs of each account. */
function selectRetained(failedJobs: readonly Pick<JobRow, 'id' | 'account'>[]): readonly number[] {
  const counts = new Map<number, number>();
  const retainedIds: number[] = [];
  for (const { id, account } of failedJobs) {
    const count = (counts.get(account) ?? 0) + 1;
    counts.set(account, count);
    if (count <= MAX_RETAINED_FOLDERS) retainedIds.push(id);
  }
  return retainedIds;
}

/** Creates the cleanup of folders of ended jobs. Those of open jobs are never removed. */
export function createJobFolderCleanup({ store, files, getNowMs }: JobFolderCleanupDeps) {
  const removeExcept = (retentionMs: number): Promise<void> =>
    files.removeStaleJobFolders(async (jobIds) => {
      const jobs = await store.listUnfinished(jobIds);
      const openJobs = jobs.filter(({ state }) => state !== 'failed');
      const failedJobs = jobs.filter(
        ({ state, ended }) => state === 'failed' && (ended ?? 0) > getNowMs() - retentionMs,
      );
      return new Set([...openJobs.map(({ id }) => id), ...selectRetained(failedJobs)]);
    });
  return {
    /** Removes all folders except those of recently failed jobs. */
    removeExpired: (): Promise<void> => removeExcept(RETENTION_MS),
    /** Removes the folders of failed jobs too, to free disk space. */
    freeSpace: (): Promise<void> => removeExcept(0),
  };
}

/** Minimum time between two calls of a listener. The first change is reported immediately. */
const THROTTLE_INTERVAL_MS = 80;

interface TrackedJob {
  readonly row: JobRow;
  progress: JobProgress;
  isChanged: boolean;
  cancelTimer: (() => void) | undefined;
}

/** Creates a tracker of running jobs, which holds their progress in memory and reports the newest at a limited rate. */
export function createProgressTracker({
  timers,
  notify,
  onRemoved,
}: {
  readonly timers: Timers;
  readonly notify: (row: JobRow, progress: JobProgress) => void;
  readonly onRemoved?: (id: number) => void;
}) {
  const jobs = new Map<number, TrackedJob>();

  function report(job: TrackedJob): void {
    job.isChanged = false;
    notify(job.row, job.progress);
    job.cancelTimer = timers.schedule(THROTTLE_INTERVAL_MS, () => {
      job.cancelTimer = undefined;
      if (job.isChanged) report(job);
    });
  }
  function remove(id: number): void {
    jobs.get(id)?.cancelTimer?.();
    jobs.delete(id);
    onRemoved?.(id);
  }
  return {
    add: (row: JobRow): void => void jobs.set(row.id, { row, progress: {}, isChanged: false, cancelTimer: undefined }),
    get: (id: number): JobProgress | undefined => jobs.get(id)?.progress,
    update: (id: number, change: JobProgress): void => {
      const job = jobs.get(id);
      if (!job) return;
      job.progress = { ...job.progress, ...change };
      job.isChanged = true;
      if (job.cancelTimer === undefined) report(job);
    },
    remove,
    stop: (): void => {
      for (const id of jobs.keys()) remove(id);
    },
  };
}
export type ProgressTracker = ReturnType<typeof createProgressTracker>;

/** Why a running job must stop although it has not failed. */
type StopReason = 'cancelled' | 'stopping' | 'disk' | 'lost';

class JobStoppedError extends Error {
  override readonly name = 'JobStoppedError';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`the job must stop: ${reason}`);
    this.reason = reason;
  }
}

/** Thrown in the last transaction, to roll it back. */
class LeaseLostError extends Error {}

const RENEW_INTERVAL_MS = 10_000;
const DISK_CHECK_INTERVAL_MS = 10_000;
/** Shown while the disk is nearly full. */
export const DISK_WAIT_MESSAGE = 'Waiting: the server has less than 2 GiB of free disk space';
const FAULT_MESSAGE = 'Something went wrong on the server. Its log has the details';
const DISK_FULL_MESSAGE = 'The server ran out of disk space';

function describeFault(error: unknown): string {
  if (isDiskFullError(error)) return DISK_FULL_MESSAGE;
  return error instanceof FileStoreError ? FILE_STORE_MESSAGE : FAULT_MESSAGE;
}
const TOO_MANY_STARTS_MESSAGE = 'The server stopped several times during this job, so it was cancelled';

interface RunningJob {
  readonly kind: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** A run that threw, or whose outcome could not be saved. */
interface FailedRun {
  readonly error: unknown;
  readonly outcome: JobOutcome | undefined;
  readonly controller: AbortController;
}

interface JobAttempt {
  readonly controller: AbortController;
  /** Pending writes of titles, which must finish before the job ends. */
  readonly titleWrites: Promise<void>[];
}

interface JobRunnerDeps {
  readonly store: JobStore;
  readonly database: Database;
  readonly files: FileStorage;
  readonly folderCleanup: ReturnType<typeof createJobFolderCleanup>;
  readonly disk: Pick<DiskMonitor, 'measureFreeBytes' | 'canStoreLargeFiles'>;
  readonly log: FastifyBaseLogger;
  readonly timers: Timers;
  readonly progressTracker: ProgressTracker;
  readonly getWorker: () => WorkerIdentity;
  readonly getNowMs: () => number;
  readonly toJob: (row: JobRow) => Job;
  readonly notify: (job: Job) => void;
}

const getStopReason = ({ signal }: AbortController): StopReason | undefined =>
  signal.reason instanceof JobStoppedError ? signal.reason.reason : undefined;

const stopJob = (controller: AbortController, reason: StopReason): void =>
  controller.abort(new JobStoppedError(reason));

/** Creates a runner of claimed jobs. Each ends as done, failed, cancelled or requeued, or loses its lease. */
export function createJobRunner(deps: JobRunnerDeps) {
  const {
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
    toJob,
    notify,
  } = deps;
  const running = new Map<number, RunningJob>();

  function notifyIfChanged(row: JobRow | undefined): void {
    if (row) notify(toJob(row));
  }

  /** Renews the lease every ten seconds, and aborts the job if it may not continue. */
  function startRenewing(row: JobRow, controller: AbortController): () => void {
    let leaseUntil = row.lease_until;
    async function renew(): Promise<void> {
      try {
        const identity = getWorker();
        const leaseState = await store.renew(row.id, identity);
        if (leaseState !== 'held') stopJob(controller, leaseState);
        leaseUntil = identity.now + LEASE_TTL_MS;
        await disk.measureFreeBytes();
        if (!disk.canStoreLargeFiles()) stopJob(controller, 'disk');
      } catch (error) {
        log.error({ err: error, job: row.id }, 'jobs.lease.renewal_failed');
        if (getNowMs() > leaseUntil) stopJob(controller, 'lost');
      }
    }
    return scheduleRepeating(timers, RENEW_INTERVAL_MS, () => void renew());
  }

  async function runKind(row: JobRow, kind: JobKind, { controller, titleWrites }: JobAttempt): Promise<JobOutcome> {
    if (row.attempt > MAX_STARTS) throw new JobFailure('final', TOO_MANY_STARTS_MESSAGE);
    const input = kind.input.parse(JSON.parse(row.input));
    const folder = await files.createJobFolder(row.id);
    controller.signal.throwIfAborted();
    return kind.run({
      job: toJob(row),
      input,
      folder,
      signal: controller.signal,
      reportProgress: (progress) => {
        if (controller.signal.aborted) return;
        progressTracker.update(row.id, progress);
        if (progress.title === undefined) return;
        titleWrites.push(
          store.setTitle(row.id, progress.title, getWorker()).catch((error: unknown) => {
            log.error({ err: error, job: row.id }, 'jobs.title.unsaved');
          }),
        );
      },
    });
  }

  /** Saves the outcome and marks the job as done, in one transaction. @throws LeaseLostError */
  const saveOutcome = (row: JobRow, outcome: JobOutcome): Promise<JobRow> =>
    database.transaction(async (unit) => {
      if (!(await store.finish(unit.tx, row.id, getWorker()))) throw new LeaseLostError();
      return store.saveResult(unit.tx, row.id, await outcome.save(unit));
    });

  async function endCancelled(row: JobRow): Promise<void> {
    await files.removeJobFolder(row.id);
    notifyIfChanged(await store.end(row.id, { state: 'cancelled' }, getWorker()));
  }
  /** Handles a job whose lease was lost. If that is because it was cancelled, ends it. */
  async function handleLostLease(row: JobRow): Promise<void> {
    if ((await store.renew(row.id, getWorker())) === 'cancelled') await endCancelled(row);
  }

  async function requeue(row: JobRow, requeueOptions: Parameters<JobStore['requeueRunning']>[1]): Promise<void> {
    const requeued = await store.requeueRunning(row.id, requeueOptions, getWorker());
    if (requeued) notifyIfChanged(requeued);
    else await handleLostLease(row);
  }
  const waitForDisk = (row: JobRow): Promise<void> =>
    requeue(row, { runAfter: getNowMs() + DISK_CHECK_INTERVAL_MS, error: DISK_WAIT_MESSAGE, countsAsAttempt: false });
  async function handleStop(row: JobRow, reason: StopReason): Promise<void> {
    if (reason === 'cancelled') await endCancelled(row);
    else if (reason === 'stopping') await requeue(row, { runAfter: 0, error: '', countsAsAttempt: false });
    else if (reason === 'disk') await waitForDisk(row);
  }

  /** Ends a job without further attempts. Its folder may remain for a retry by the user. */
  async function endFailed(
    row: JobRow,
    { keepsFolder = false }: JobKind,
    { message, retry }: JobFailure,
  ): Promise<void> {
    const keepsFiles = keepsFolder && retry === 'again';
    if (!keepsFiles) await files.removeJobFolder(row.id);
    notifyIfChanged(await store.end(row.id, { state: 'failed', error: message }, getWorker()));
    if (keepsFiles) await folderCleanup.removeExpired();
  }

  async function handleFailure(row: JobRow, kind: JobKind, error: unknown): Promise<void> {
    await disk.measureFreeBytes();
    if (!disk.canStoreLargeFiles()) {
      await waitForDisk(row);
      return;
    }
    const failure =
      error instanceof JobFailure ? error : new JobFailure('again', describeFault(error), { cause: error });
    if (failure !== error) log.error({ err: error, job: row.id, kind: row.kind }, 'jobs.job.crashed');
    const delaySeconds = failure.retry === 'again' ? getRetryDelaySeconds(row.attempt) : undefined;
    if (delaySeconds === undefined) {
      await endFailed(row, kind, failure);
      return;
    }
    const requeueOptions = {
      runAfter: getNowMs() + delaySeconds * 1000,
      error: `${failure.message}. Next attempt in ${delaySeconds} s`,
      countsAsAttempt: true,
    };
    await requeue(row, requeueOptions);
  }

  /** Returns whether the outcome was saved, which is possible after an error if the answer to the commit was lost. */
  const isSaved = async ({ account, id }: JobRow): Promise<boolean> =>
    (await store.find(account, id))?.state === 'done';

  async function handleError(row: JobRow, kind: JobKind, { error, outcome, controller }: FailedRun): Promise<void> {
    if (outcome) {
      if (await isSaved(row)) return;
      await outcome.undo?.();
    }
    const stopReason = getStopReason(controller);
    if (stopReason) await handleStop(row, stopReason);
    else if (error instanceof LeaseLostError) await handleLostLease(row);
    else await handleFailure(row, kind, error);
  }

  async function runToEnd(row: JobRow, kind: JobKind, attempt: JobAttempt): Promise<void> {
    const { controller, titleWrites } = attempt;
    let outcome: JobOutcome | undefined;
    let finishedRow: JobRow;
    try {
      outcome = await runKind(row, kind, attempt);
      await Promise.all(titleWrites);
      controller.signal.throwIfAborted();
      finishedRow = await saveOutcome(row, outcome);
    } catch (error) {
      progressTracker.remove(row.id);
      await handleError(row, kind, { error, outcome, controller });
      return;
    }
    progressTracker.remove(row.id);
    await files.removeJobFolder(row.id);
    notifyIfChanged(finishedRow);
  }

  async function runJob(row: JobRow, kind: JobKind, controller: AbortController): Promise<void> {
    progressTracker.add(row);
    notifyIfChanged(row);
    const stopRenewing = startRenewing(row, controller);
    try {
      await runToEnd(row, kind, { controller, titleWrites: [] });
    } catch (error) {
      // The database failed: the lease expires, and the job is claimed again.
      log.error({ err: error, job: row.id }, 'jobs.job.unsettled');
    } finally {
      stopRenewing();
      progressTracker.remove(row.id);
      running.delete(row.id);
    }
  }

  return {
    countRunning: (): number => running.size,
    listRunningIds: (): readonly number[] => [...running.keys()],
    countByKind: (kind: string): number => [...running.values()].filter((entry) => entry.kind === kind).length,
    /** Runs a job, and resolves when it has ended in any way. */
    run: (row: JobRow, kind: JobKind): Promise<void> => {
      const controller = new AbortController();
      const ended = runJob(row, kind, controller);
      running.set(row.id, { kind: row.kind, controller, ended });
      return ended;
    },
    /** Stops a job, and resolves when it has ended. */
    abort: async (id: number, reason: StopReason): Promise<void> => {
      const entry = running.get(id);
      if (!entry) return;
      stopJob(entry.controller, reason);
      await entry.ended;
    },
    stop: async (): Promise<void> => {
      for (const { controller } of running.values()) stopJob(controller, 'stopping');
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
