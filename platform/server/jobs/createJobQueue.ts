import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/database.ts';
import { killOrphanedSandboxes } from '../programs/launch.ts';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';
import type { DiskMonitor } from '../storage/diskSpace.ts';
import type { FileStorage } from '../storage/fileStorage.ts';
import { createJobFolders } from './jobFolders.ts';
import type { Job, JobKind, JobQueue } from './jobQueue.ts';
import { createJobRunner, DISK_WAIT_MESSAGE, createProgressTracker } from './jobRunner.ts';
import { type JobRow, createJobStore } from './jobStore.ts';

/** Of the server; `MUSIC_WORKERS`. */
const DEFAULT_WORKER_COUNT = 2;
const POLL_INTERVAL_MS = 1000;
/** What ended is forgotten after so long. */
const RETENTION = Temporal.Duration.from({ hours: 30 * 24 });

export interface JobQueueOptions {
  readonly database: Database;
  readonly files: FileStorage;
  readonly disk: Pick<DiskMonitor, 'measureFreeBytes' | 'canDownload'>;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  readonly timers?: Timers;
  readonly workers?: number | undefined;
  /** Another server may work on the same queue: what somebody has in hand is waited for. */
  readonly isAlone?: boolean;
}

export interface JobQueueService extends JobQueue {
  /** Takes up what a server before left, and works from now on. Kinds that nobody does stay queued. */
  readonly start: (kinds: readonly JobKind[]) => Promise<void>;
  /** Ends all of an account, before it is deleted; their folders go. */
  readonly removeAccount: (account: number) => Promise<void>;
  readonly runNightlyCleanup: () => Promise<void>;
  /** Puts back what runs; resolves when it is put back. */
  readonly stop: () => Promise<void>;
}

const instant = (ms: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(ms);

const toJob = (
  row: JobRow,
  live?: { readonly percent?: number; readonly stage?: string; readonly title?: string },
): Job => ({
  id: row.id,
  account: row.account,
  kind: row.kind,
  input: JSON.parse(row.input),
  title: live?.title ?? row.title,
  key: row.key,
  parent: row.parent ?? undefined,
  position: row.position,
  state: row.state,
  attempt: row.attempt,
  percent: live?.percent,
  stage: live?.stage ?? '',
  error: row.error,
  result: row.result === null ? undefined : JSON.parse(row.result),
  isDismissed: row.dismissed === 1,
  created: instant(row.created),
  ended: row.ended === null ? undefined : instant(row.ended),
  notBefore: row.state === 'queued' && row.run_after > 0 ? instant(row.run_after) : undefined,
});

/** The queue of this server, and the hands that work on it. */
export function createJobQueue(options: JobQueueOptions): JobQueueService {
  const {
    database,
    files,
    disk,
    log,
    now,
    timers = realTimers,
    workers = DEFAULT_WORKER_COUNT,
    isAlone = true,
  } = options;
  const me = randomUUID();
  const store = createJobStore(database);
  const kinds = new Map<string, JobKind>();
  const at = () => now().epochMilliseconds;
  const worker = () => ({ workerId: me, now: at() });
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;
  /** Nothing is queued or runs, and nobody else can queue anything: the next `wake` is the next work. */
  let isIdle = false;
  let callOff: (() => void) | undefined;

  const tell = (job: Job): void => {
    try {
      kinds.get(job.kind)?.changed?.(job);
    } catch (error) {
      log.error({ err: error, job: job.id }, 'job not told of');
    }
  };
  const progress = createProgressTracker({ timers, tell: (row, live) => tell(toJob(row, live)) });
  const view = (row: JobRow): Job => toJob(row, row.state === 'running' ? progress.of(row.id) : undefined);
  const folders = createJobFolders({ store, files, at });
  const runner = createJobRunner({ store, database, files, folders, disk, log, timers, progress, worker, view, tell });

  /** Those of which one more may run. */
  const openKinds = (): readonly string[] =>
    [...kinds.values()].filter(({ name, atMost = Infinity }) => runner.countOf(name) < atMost).map(({ name }) => name);

  const begin = (row: JobRow): void => {
    const kind = kinds.get(row.kind);
    if (kind) void runner.run(row, kind).then(wake, wake);
  };
  const fill = async (): Promise<void> => {
    for (const row of await store.endLeft({ now: at() })) {
      await files.removeJobFolder(row.id);
      tell(view(row));
    }
    while (!stopping.signal.aborted && runner.count() < workers) {
      const wanted = { kinds: openKinds(), activeJobIds: runner.ids() };
      if (!(await store.isAnyDue({ now: at(), ...wanted }))) {
        isIdle = isAlone && runner.count() === 0 && !(await store.isAnyOpen());
        return;
      }
      await disk.measureFreeBytes();
      if (!disk.canDownload()) {
        await folders.makeRoom();
        return;
      }
      const row = await store.claim({ ...worker(), ...wanted });
      if (row === undefined) return;
      begin(row);
    }
  };
  const look = async (): Promise<void> => {
    try {
      do {
        isAskedAgain = false;
        await fill();
      } while (isAskedAgain && !stopping.signal.aborted);
    } catch (error) {
      log.error({ err: error }, 'queue not looked at');
    } finally {
      looking = undefined;
    }
  };
  const wake = (): void => {
    if (stopping.signal.aborted || kinds.size === 0) return;
    isIdle = false;
    if (looking === undefined) looking = look();
    else isAskedAgain = true;
  };

  return {
    add: async ({ tx, afterCommit }, jobs) => {
      const rows = await store.add(tx, jobs, at());
      afterCommit(() => {
        for (const row of rows) tell(view(row));
        wake();
      });
      return rows.map((row) => view(row));
    },
    find: async (account, id, tx) => {
      const row = await store.find(account, id, tx);
      return row && view(row);
    },
    list: async (account, { kinds: wanted, endedAfter, parent } = {}, tx) => {
      const filter = {
        ...(wanted === undefined ? {} : { kinds: wanted }),
        ...(parent === undefined ? {} : { parent }),
        ...(endedAfter === undefined ? {} : { endedAfter: endedAfter.epochMilliseconds }),
      };
      const rows = await store.list(account, filter, tx);
      return rows.map(view);
    },
    listOpenByKey: async (account, kind, key, tx) => (await store.openOf({ account, kind, key }, tx)).map(view),
    countOpen: (account, tx) => store.countOpen(account, tx),
    cancel: async (account, id) => {
      const row = await store.cancel(account, id, at());
      if (row === undefined) return false;
      if (row.state === 'running') await runner.abort(id, 'cancelled');
      else {
        await files.removeJobFolder(id);
        tell(view(row));
      }
      return true;
    },
    retry: async (account, id) => {
      const row = await store.again(account, id);
      if (row === undefined) return false;
      tell(view(row));
      wake();
      return true;
    },
    dismiss: async (account, id) => {
      const row = await store.dismiss(account, id);
      if (row === undefined) return false;
      await files.removeJobFolder(id);
      tell(view(row));
      return true;
    },
    getPauseReason: () => (disk.canDownload() ? '' : DISK_WAIT_MESSAGE),

    start: async (all) => {
      for (const kind of all) kinds.set(kind.name, kind);
      if (kinds.size === 0) return;
      await killOrphanedSandboxes(files.getPath('work'));
      await folders.sweep();
      if (isAlone) await store.takeOver({ workerId: me });
      callOff = scheduleRepeating(timers, POLL_INTERVAL_MS, () => {
        if (!isIdle) wake();
      });
      wake();
    },
    removeAccount: async (account) => {
      const ids = await store.unfinishedIds(account);
      for (const id of ids) await store.cancel(account, id, at());
      await Promise.all(ids.map((id) => runner.abort(id, 'cancelled')));
      await Promise.all(ids.map((id) => files.removeJobFolder(id)));
    },
    runNightlyCleanup: async () => {
      await store.clear(now().subtract(RETENTION).epochMilliseconds);
      await folders.sweep();
    },
    stop: async () => {
      stopping.abort();
      callOff?.();
      await looking;
      await runner.stop();
      progress.stop();
    },
  };
}
