import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/database.ts';
import { scheduleRepeating, type Timers } from '../schedule/timers.ts';
import { isDiskFullError, type DiskMonitor } from '../storage/diskSpace.ts';
import type { FileStorage } from '../storage/fileStorage.ts';
import type { createJobFolders } from './jobFolders.ts';
import { type Job, JobFailure, type JobKind, type JobOutcome, MAX_STARTS, getRetryDelaySeconds } from './jobQueue.ts';
import { type JobRow, type JobStore, LEASE_TTL_MS, type WorkerIdentity } from './jobStore.ts';

/** How far a running job is; in memory alone. */
export interface JobProgress {
  readonly percent?: number;
  readonly stage?: string;
  readonly title?: string;
}

/** More often nobody is told. The first of a while is told at once. */
const THROTTLE_INTERVAL_MS = 80;

interface ProgressUpdate {
  readonly row: JobRow;
  live: JobProgress;
  isNew: boolean;
  cancel: (() => void) | undefined;
}

/** Keeps how far each running job is, and tells it: of many changes in a moment the newest. */
export function createProgressTracker({
  timers,
  tell,
}: {
  readonly timers: Timers;
  readonly tell: (row: JobRow, live: JobProgress) => void;
}) {
  const running = new Map<number, ProgressUpdate>();

  const say = (one: ProgressUpdate): void => {
    one.isNew = false;
    tell(one.row, one.live);
    one.cancel = timers.schedule(THROTTLE_INTERVAL_MS, () => {
      one.cancel = undefined;
      if (one.isNew) say(one);
    });
  };
  const forget = (id: number): void => {
    running.get(id)?.cancel?.();
    running.delete(id);
  };
  return {
    begin: (row: JobRow): void => void running.set(row.id, { row, live: {}, isNew: false, cancel: undefined }),
    of: (id: number): JobProgress | undefined => running.get(id)?.live,
    change: (id: number, change: JobProgress): void => {
      const one = running.get(id);
      if (!one) return;
      one.live = { ...one.live, ...change };
      one.isNew = true;
      if (one.cancel === undefined) say(one);
    },
    end: forget,
    stop: (): void => {
      for (const id of running.keys()) forget(id);
    },
  };
}
export type ProgressTracker = ReturnType<typeof createProgressTracker>;

/** Why a job that runs is to stop; none of it is a fault of its own. */
type StopReason = 'cancelled' | 'stopping' | 'disk' | 'lost';

class JobStopped extends Error {
  override readonly name = 'Stopped';
  readonly why: StopReason;
  constructor(why: StopReason) {
    super(`the job is to stop: ${why}`);
    this.why = why;
  }
}

/** Thrown in the last transaction, so that nothing of it is kept. */
class LeaseLost extends Error {}

const RENEW_INTERVAL_MS = 10_000;
const DISK_CHECK_INTERVAL_MS = 10_000;
/** Why nothing goes on while the disk is nearly full. */
export const DISK_WAIT_MESSAGE = 'Less than 2 GiB free: downloads wait';
const FAULT_MESSAGE = 'Something went wrong on the server; its operator finds it in the log';
const DISK_FULL_MESSAGE = 'There was no room on the disk of the server';
const TOO_MANY_STARTS_MESSAGE = 'The server ended again and again while this was done';

interface RunningJob {
  readonly kind: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** What a run threw, or what could not be kept of it. */
interface FailedRun {
  readonly error: unknown;
  readonly outcome: JobOutcome | undefined;
  readonly abort: AbortController;
}

interface JobAttempt {
  readonly abort: AbortController;
  /** On their way into the database: its end is not to overtake them. */
  readonly titles: Promise<void>[];
}

interface JobRunnerDeps {
  readonly store: JobStore;
  readonly database: Database;
  readonly files: FileStorage;
  readonly folders: ReturnType<typeof createJobFolders>;
  readonly disk: Pick<DiskMonitor, 'measureFreeBytes' | 'canDownload'>;
  readonly log: FastifyBaseLogger;
  readonly timers: Timers;
  readonly progress: ProgressTracker;
  readonly worker: () => WorkerIdentity;
  readonly view: (row: JobRow) => Job;
  readonly tell: (job: Job) => void;
}

const whyOf = ({ signal }: AbortController): StopReason | undefined =>
  signal.reason instanceof JobStopped ? signal.reason.why : undefined;

const stop = (abort: AbortController, why: StopReason): void => abort.abort(new JobStopped(why));

/** Runs claimed jobs, each to one of its ends: done, failed, cancelled, put back, or another's. */
export function createJobRunner(parts: JobRunnerDeps) {
  const { store, database, files, folders, disk, log, timers, progress, worker, view, tell } = parts;
  const running = new Map<number, RunningJob>();

  const told = (row: JobRow | undefined): void => {
    if (row) tell(view(row));
  };

  /** Says every ten seconds that this worker is at it, and hears whether it shall go on. */
  const holdOn = (row: JobRow, abort: AbortController): (() => void) => {
    let heldUntil = row.lease_until;
    const renew = async (): Promise<void> => {
      try {
        const asked = worker();
        const held = await store.renew(row.id, asked);
        if (held !== 'held') stop(abort, held);
        heldUntil = asked.now + LEASE_TTL_MS;
        await disk.measureFreeBytes();
        if (!disk.canDownload()) stop(abort, 'disk');
      } catch (error) {
        log.error({ err: error, job: row.id }, 'job not renewed');
        if (worker().now > heldUntil) stop(abort, 'lost');
      }
    };
    return scheduleRepeating(timers, RENEW_INTERVAL_MS, () => void renew());
  };

  const perform = async (row: JobRow, kind: JobKind, { abort, titles }: JobAttempt): Promise<JobOutcome> => {
    if (row.attempt > MAX_STARTS) throw new JobFailure('final', TOO_MANY_STARTS_MESSAGE);
    const input = kind.input.parse(JSON.parse(row.input));
    const folder = await files.createJobFolder(row.id);
    abort.signal.throwIfAborted();
    return kind.run({
      job: view(row),
      input,
      folder,
      signal: abort.signal,
      reportProgress: (now) => {
        if (abort.signal.aborted) return;
        progress.change(row.id, now);
        if (now.title === undefined) return;
        titles.push(
          store.entitle(row.id, now.title, worker()).catch((error: unknown) => {
            log.error({ err: error, job: row.id }, 'job keeps its old title');
          }),
        );
      },
    });
  };

  /** Writes what came of it, and that it is done, together. @throws NotMine */
  const keep = (row: JobRow, outcome: JobOutcome): Promise<JobRow> =>
    database.transaction(async (work) => {
      if (!(await store.finish(work.tx, row.id, worker()))) throw new LeaseLost();
      return store.keepResult(work.tx, row.id, await outcome.save(work));
    });

  const cancelled = async (row: JobRow): Promise<void> => {
    await files.removeJobFolder(row.id);
    told(await store.end(row.id, { state: 'cancelled' }, worker()));
  };
  /** What came of this try comes too late: somebody wants the job ended, or has it. */
  const tooLate = async (row: JobRow): Promise<void> => {
    if ((await store.renew(row.id, worker())) === 'cancelled') await cancelled(row);
  };

  const wait = async (row: JobRow, back: Parameters<JobStore['putBack']>[1]): Promise<void> => {
    const waiting = await store.putBack(row.id, back, worker());
    if (waiting) told(waiting);
    else await tooLate(row);
  };
  const waitForDisk = (row: JobRow): Promise<void> =>
    wait(row, { runAfter: worker().now + DISK_CHECK_INTERVAL_MS, error: DISK_WAIT_MESSAGE, uncounted: true });
  const stopped = async (row: JobRow, why: StopReason): Promise<void> => {
    if (why === 'cancelled') await cancelled(row);
    else if (why === 'stopping') await wait(row, { runAfter: 0, error: '', uncounted: true });
    else if (why === 'disk') await waitForDisk(row);
  };

  /** There is no further try. What may go better goes on where it was, once somebody asks for one. */
  const giveUp = async (
    row: JobRow,
    { keepsFolder = false }: JobKind,
    { message, retry }: JobFailure,
  ): Promise<void> => {
    const isKept = keepsFolder && retry === 'again';
    if (!isKept) await files.removeJobFolder(row.id);
    told(await store.end(row.id, { state: 'failed', error: message }, worker()));
    if (isKept) await folders.sweep();
  };

  const failed = async (row: JobRow, kind: JobKind, error: unknown): Promise<void> => {
    await disk.measureFreeBytes();
    if (!disk.canDownload()) {
      await waitForDisk(row);
      return;
    }
    const failure =
      error instanceof JobFailure
        ? error
        : new JobFailure('again', isDiskFullError(error) ? DISK_FULL_MESSAGE : FAULT_MESSAGE, { cause: error });
    if (failure !== error) log.error({ err: error, job: row.id, kind: row.kind }, 'job broke');
    const pause = failure.retry === 'again' ? getRetryDelaySeconds(row.attempt) : undefined;
    if (pause === undefined) {
      await giveUp(row, kind, failure);
      return;
    }
    const back = {
      runAfter: worker().now + pause * 1000,
      error: `${failure.message}, next try in ${pause} s`,
      uncounted: false,
    };
    await wait(row, back);
  };

  /** Whether it was kept after all: the answer to a commit may be lost. */
  const isKept = async ({ account, id }: JobRow): Promise<boolean> => (await store.find(account, id))?.state === 'done';

  const broken = async (row: JobRow, kind: JobKind, { error, outcome, abort }: FailedRun): Promise<void> => {
    if (outcome) {
      if (await isKept(row)) return;
      await outcome.undo?.();
    }
    const why = whyOf(abort);
    if (why) await stopped(row, why);
    else if (error instanceof LeaseLost) await tooLate(row);
    else await failed(row, kind, error);
  };

  const settle = async (row: JobRow, kind: JobKind, attempt: JobAttempt): Promise<void> => {
    const { abort, titles } = attempt;
    let outcome: JobOutcome | undefined;
    let done: JobRow;
    try {
      outcome = await perform(row, kind, attempt);
      await Promise.all(titles);
      abort.signal.throwIfAborted();
      done = await keep(row, outcome);
    } catch (error) {
      progress.end(row.id);
      await broken(row, kind, { error, outcome, abort });
      return;
    }
    progress.end(row.id);
    await files.removeJobFolder(row.id);
    told(done);
  };

  const runOne = async (row: JobRow, kind: JobKind, abort: AbortController): Promise<void> => {
    progress.begin(row);
    told(row);
    const letGo = holdOn(row, abort);
    try {
      await settle(row, kind, { abort, titles: [] });
    } catch (error) {
      // The database itself: its lease runs out, and somebody takes it again.
      log.error({ err: error, job: row.id }, 'job left as it was');
    } finally {
      letGo();
      progress.end(row.id);
      running.delete(row.id);
    }
  };

  return {
    count: (): number => running.size,
    ids: (): readonly number[] => [...running.keys()],
    countOf: (kind: string): number => [...running.values()].filter((one) => one.kind === kind).length,
    /** Resolves at its end, whichever it is. */
    run: (row: JobRow, kind: JobKind): Promise<void> => {
      const abort = new AbortController();
      const ended = runOne(row, kind, abort);
      running.set(row.id, { kind: row.kind, abort, ended });
      return ended;
    },
    /** Resolves when it has stopped. */
    abort: async (id: number, why: StopReason): Promise<void> => {
      const one = running.get(id);
      if (!one) return;
      stop(one.abort, why);
      await one.ended;
    },
    stop: async (): Promise<void> => {
      for (const { abort } of running.values()) stop(abort, 'stopping');
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
