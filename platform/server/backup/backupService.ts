import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { HOUR_MS, MINUTE_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ScheduledTask } from '../schedule/scheduler.ts';
import { isDiskFullError } from '../storage/diskFullError.ts';
import type { CopyTarget } from './backupCopies.ts';
import { lockBackups, removeUnfinished } from './backupLock.ts';
import {
  type BackupReason,
  type BackupRetention,
  getNextBackupTime,
  isBackupOverdue,
  selectExpiredBackups,
} from './backupPolicy.ts';
import type { CopyRequest, ProgramResult, WriteRequest } from './backupProgram.ts';
import { type Backup, findNewest, listBackups, readBackup, removeBackups } from './backups.ts';
import { type BackupFailure, type CopyState, openBackupStates } from './backupState.ts';
import type { BackupSource } from './writeBackup.ts';

const PROGRAM = fileURLToPath(new URL('./backupProgram.ts', import.meta.url));
/** Niceness of the program: requests come first. */
const LOW_PRIORITY = 10;
/** After a failure, the next attempt. */
const RETRY_MS = HOUR_MS;
/** Time for the program to clean up when it is stopped. */
const STOP_TIMEOUT_MS = 2000;
const DISK_FULL_MESSAGE = 'There is not enough free disk space for a backup. Free some space';

/** State of the backups, for the owner. */
export interface BackupState {
  /** Newest first. */
  readonly backups: readonly Backup[];
  /** Undefined if the last attempt succeeded. */
  readonly failure: BackupFailure | undefined;
  readonly isRunning: boolean;
  /** Undefined if `BACKUP_EVERY` is off. */
  readonly next: Temporal.Instant | undefined;
  readonly isOverdue: boolean;
  /** Copies of backups; undefined if `BACKUP_COPY_TO` is not set. */
  readonly copies: CopyState | undefined;
}

/** Scheduled and requested backups of this server. */
export interface Backups {
  /**
   * Makes a backup now, and copies it if it was requested. Others are copied within a minute, so that a start with an
   * upgrade does not wait for another server. If one is being made, it is awaited instead.
   * @throws Refusal that says why it failed.
   */
  readonly backUp: (reason: BackupReason) => Promise<Backup>;
  readonly getState: () => Promise<BackupState>;
}

export interface BackupServiceOptions {
  readonly source: BackupSource;
  /** Undefined makes no scheduled backups. */
  readonly intervalMs: number | undefined;
  readonly retention: BackupRetention;
  /** Undefined makes no copies. */
  readonly copyTo?: CopyTarget | undefined;
  readonly log: FastifyBaseLogger;
  readonly now: () => Temporal.Instant;
  /** Called with a sentence for the owner if a scheduled backup fails. */
  readonly onFailure: (message: string) => void;
}

/** The service, as the server runs it. */
export interface BackupService extends Backups {
  /** Make and copy a backup when it is due. Apart, so that a copy that takes days delays no backup. */
  readonly tasks: readonly ScheduledTask[];
  /** Removes what killed backups left. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Runs the program. The signal ends it. @throws Refusal or Error with the reason. */
async function runProgram(request: WriteRequest | CopyRequest, signal: AbortSignal): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'], signal });
  const kill = (): void => void setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS).unref();
  signal.addEventListener('abort', kill);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      // The signal outlives this program by months.
      signal.removeEventListener('abort', kill);
      resolve();
    });
  });
  child.once('error', () => undefined); // an abort, or no memory: then there is no result
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(request));
  if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
  const output = await text(child.stdout);
  await ended;
  signal.throwIfAborted();
  if (output === '') throw new Error('the program that writes backups ended without a result');
  const result = JSON.parse(output) as ProgramResult;
  if ('refused' in result) throw new Refusal(result.code, result.refused);
  if ('error' in result) throw Object.assign(new Error(result.error), { code: result.code });
  return result.result;
}

/** Describes a failure for the owner. */
function describeFailure(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (isDiskFullError(error)) return DISK_FULL_MESSAGE;
  return error instanceof Error ? error.message : String(error);
}

/** Creates the backups of a server. */
export function createBackupService(options: BackupServiceOptions): BackupService {
  const { source, intervalMs, retention, copyTo, log, now, onFailure } = options;
  const { dataDir } = source;
  const states = openBackupStates(dataDir);
  const zone = Temporal.Now.timeZoneId();
  const schedule = intervalMs === undefined ? undefined : { intervalMs, started: now(), zone };
  const stopController = new AbortController();
  let running: Promise<Backup> | undefined;
  /** A backup that is being copied. */
  let copying: { readonly id: string; readonly result: Promise<void> } | undefined;

  const isFuture = (time: Temporal.Instant): boolean => Temporal.Instant.compare(time, now()) > 0;

  async function removeExpired(): Promise<void> {
    using _lock = await lockBackups(dataDir, 'write', stopController.signal);
    const backups = selectExpiredBackups(await listBackups(dataDir), retention, { zone, now: now() });
    const expired = backups.filter(({ id }) => id !== copying?.id);
    await removeBackups(expired);
    if (expired.length > 0) log.info({ count: expired.length }, 'backup.expired');
  }
  async function writeNow(reason: BackupReason): Promise<Backup> {
    const startedAt = performance.now();
    try {
      const { signal } = stopController;
      const path = await runProgram({ task: 'write', source, reason, now: String(now()) }, signal);
      const backup = await readBackup(String(path));
      const ms = Math.round(performance.now() - startedAt);
      log.info({ backup: backup.id, reason, bytes: backup.bytes, ms }, 'backup.finished');
      await states.failure.write(undefined);
      await removeExpired();
      return backup;
    } catch (error) {
      if (stopController.signal.aborted) throw error;
      log.error({ err: error, reason }, 'backup.failed');
      const message = describeFailure(error);
      await states.failure.write({ time: now(), message });
      throw new Refusal('backup.failed', `The backup failed: ${message}`, { cause: error });
    }
  }
  /** Reads the state, which needs no request to the other server. Of another address it says nothing. */
  async function readCopyState({ address }: CopyTarget): Promise<CopyState> {
    const state = await states.copies.read();
    return state?.address === address
      ? { address, newest: state.newest, failure: state.failure }
      : { address, newest: undefined, failure: undefined };
  }
  /** Copies a backup, unless that is done. */
  async function copy({ id, path }: Backup, target: CopyTarget): Promise<void> {
    const { address } = target;
    const before = await readCopyState(target);
    if (before.newest?.id === id) return;
    const startedAt = performance.now();
    try {
      const expired = await runProgram(
        { task: 'copy', dataDir, path, target, retention, zone, now: String(now()) },
        stopController.signal,
      );
      const ms = Math.round(performance.now() - startedAt);
      log.info({ backup: id, address, expired, ms }, 'backup.copied');
      await states.copies.write({ address, newest: { id, time: now() } });
    } catch (error) {
      if (stopController.signal.aborted) throw error;
      log.error({ err: error, backup: id, address }, 'backup.copy.failed');
      const message = describeFailure(error);
      await states.copies.write({ ...before, failure: { time: now(), message } });
      throw new Refusal('backup.copy_failed', `The backup was not copied to ${address}: ${message}`, { cause: error });
    }
  }
  /** Copies a backup. Only one copy is made at a time. */
  function copyAlone(backup: Backup, target: CopyTarget): Promise<void> {
    copying ??= {
      id: backup.id,
      result: copy(backup, target).finally(() => {
        copying = undefined;
      }),
    };
    return copying.result;
  }
  function write(reason: BackupReason): Promise<Backup> {
    running ??= writeNow(reason).finally(() => {
      running = undefined;
    });
    return running;
  }
  async function backUp(reason: BackupReason): Promise<Backup> {
    const backup = await write(reason);
    if (copyTo && reason === 'request') await copyAlone(backup, copyTo);
    return backup;
  }
  /** Copies the newest backup if that was not done. */
  async function copyIfDue(): Promise<void> {
    if (!copyTo) return;
    const newest = findNewest(await listBackups(dataDir), now());
    const { failure } = await readCopyState(copyTo);
    if (newest && !isFuture(getRetryTime(failure) ?? now())) await copyAlone(newest, copyTo);
  }
  /** Returns when a failed attempt is repeated. One of the future says nothing: the clock was set back. */
  function getRetryTime(failure: BackupFailure | undefined): Temporal.Instant | undefined {
    return failure === undefined || isFuture(failure.time) ? undefined : failure.time.add({ milliseconds: RETRY_MS });
  }
  function findDueTime(backups: readonly Backup[], failure: BackupFailure | undefined): Temporal.Instant | undefined {
    if (!schedule) return undefined;
    const newest = findNewest(backups, now())?.created;
    const isClockSetBack = newest === undefined && isFuture(schedule.started);
    const next = isClockSetBack ? now() : getNextBackupTime(newest, schedule);
    const retry = getRetryTime(failure);
    return retry && Temporal.Instant.compare(next, retry) < 0 ? retry : next;
  }
  async function backUpIfDue(): Promise<void> {
    const dueAt = findDueTime(await listBackups(dataDir), await states.failure.read());
    if (dueAt && !isFuture(dueAt)) await backUp('schedule');
  }
  /** Notifies the owner if work fails. */
  async function runAndReport(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // It is logged, or the server is stopping.
      if (error instanceof Refusal) onFailure(error.message);
    }
  }

  return {
    backUp,
    getState: async () => {
      const backups = await listBackups(dataDir);
      const failure = await states.failure.read();
      const newest = findNewest(backups, now())?.created;
      return {
        backups,
        failure,
        isRunning: running !== undefined || copying !== undefined,
        next: findDueTime(backups, failure),
        isOverdue: schedule !== undefined && isBackupOverdue(newest, schedule, now()),
        copies: copyTo && (await readCopyState(copyTo)),
      };
    },
    tasks: [
      { name: 'backup', intervalSeconds: MINUTE_SECONDS, run: () => runAndReport(backUpIfDue) },
      { name: 'backup.copy', intervalSeconds: MINUTE_SECONDS, run: () => runAndReport(copyIfDue) },
    ],
    start: () => removeUnfinished(dataDir),
    stop: async () => {
      stopController.abort();
      await Promise.allSettled([running, copying?.result]);
    },
  };
}
