import { spawn } from 'node:child_process';
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { HOUR_MS, MINUTE_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ScheduledTask } from '../schedule/scheduler.ts';
import { isDiskFullError } from '../storage/diskFullError.ts';
import type { CopyTarget } from './backupCopies.ts';
import { BACKUPS_FOLDER } from './backupFiles.ts';
import {
  type BackupReason,
  type BackupRetention,
  getNextBackupTime,
  isBackupOverdue,
  selectExpiredBackups,
} from './backupPolicy.ts';
import type { CopyRequest, ProgramResult, WriteRequest } from './backupProgram.ts';
import { type Backup, listBackups, PART_SUFFIX, readBackup, removeBackups } from './backups.ts';
import { type BackupFailure, type CopyState, readCopyState, writeCopyState } from './copyState.ts';
import type { BackupSource } from './writeBackup.ts';

const PROGRAM = fileURLToPath(new URL('./backupProgram.ts', import.meta.url));
/** Niceness of the program: requests come first. */
const LOW_PRIORITY = 10;
/** After a failure, the next attempt. */
const RETRY_MS = HOUR_MS;
/** Time for the program to clean up when it is stopped. */
const STOP_TIMEOUT_MS = 2000;
/** The last attempt, if it failed. */
const FAILURE_FILE = 'failure.json';
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
  /** Whether other instances may be writing backups. */
  readonly isShared?: boolean | undefined;
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

/** Returns whether nothing was written in a folder for an hour. */
async function isAbandoned(folder: string): Promise<boolean> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const times = await Promise.all(
    ['.', ...names].map((name) =>
      stat(join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Date.now() - Math.max(...times) > HOUR_MS;
}

/** Creates the backups of a server. */
export function createBackupService(options: BackupServiceOptions): BackupService {
  const { source, intervalMs, retention, copyTo, log, now, onFailure } = options;
  const folder = join(source.dataDir, BACKUPS_FOLDER);
  const failurePath = join(folder, FAILURE_FILE);
  const zone = Temporal.Now.timeZoneId();
  const schedule = intervalMs === undefined ? undefined : { intervalMs, started: now(), zone };
  const stopController = new AbortController();
  let running: Promise<Backup> | undefined;
  /** A backup that is being copied. */
  let copying: { readonly id: string; readonly result: Promise<void> } | undefined;
  let failure: BackupFailure | undefined;
  /** Computed again after each backup, so that a minute costs nothing. */
  let dueAt: Temporal.Instant | undefined;
  /** Whether the newest backup may not be copied. */
  let isCopyDue = true;
  let copyState: CopyState | undefined;

  async function readFailure(): Promise<void> {
    try {
      const { time, message } = JSON.parse(await readFile(failurePath, 'utf8')) as { time: string; message: string };
      failure = { time: Temporal.Instant.from(time), message };
    } catch {
      failure = undefined;
    }
  }
  /** Forgets what another instance may have changed. */
  async function refresh(): Promise<void> {
    if (!options.isShared) return;
    await readFailure();
    dueAt = undefined;
    copyState = undefined;
    isCopyDue = true;
  }
  async function writeFailure(message: string): Promise<void> {
    failure = { time: now(), message };
    try {
      await writeFile(failurePath, JSON.stringify({ time: String(failure.time), message }), { mode: 0o600 });
    } catch {
      // A full disk may be why it failed. Then only this process knows.
    }
  }
  async function removeExpired(): Promise<void> {
    const backups = selectExpiredBackups(await listBackups(source.dataDir), retention, zone);
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
      failure = undefined;
      isCopyDue = true;
      await rm(failurePath, { force: true });
      await removeExpired();
      return backup;
    } catch (error) {
      if (stopController.signal.aborted) throw error;
      log.error({ err: error, reason }, 'backup.failed');
      const message = describeFailure(error);
      await writeFailure(message);
      throw new Refusal('backup.failed', `The backup failed: ${message}`, { cause: error });
    } finally {
      dueAt = undefined;
    }
  }
  async function getCopyState({ address }: CopyTarget): Promise<CopyState> {
    copyState ??= await readCopyState(source.dataDir, address);
    return copyState;
  }
  async function setCopyState(state: CopyState): Promise<void> {
    copyState = state;
    // On a full disk, only this process knows.
    await writeCopyState(source.dataDir, state).catch(() => undefined);
  }
  /** Copies a backup, unless that is done. */
  async function copy({ id, path }: Backup, target: CopyTarget): Promise<void> {
    const { address } = target;
    const before = await getCopyState(target);
    isCopyDue = false;
    if (before.newest?.id === id) return;
    const startedAt = performance.now();
    try {
      const expired = await runProgram({ task: 'copy', path, target, retention, zone }, stopController.signal);
      const ms = Math.round(performance.now() - startedAt);
      log.info({ backup: id, address, expired, ms }, 'backup.copied');
      await setCopyState({ address, newest: { id, time: now() }, failure: undefined });
    } catch (error) {
      if (stopController.signal.aborted) throw error;
      isCopyDue = true;
      log.error({ err: error, backup: id, address }, 'backup.copy.failed');
      const message = describeFailure(error);
      await setCopyState({ ...before, failure: { time: now(), message } });
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
    await refresh();
    if (!copyTo || !isCopyDue) return;
    const { failure: last } = await getCopyState(copyTo);
    if (last && Temporal.Instant.compare(now(), last.time.add({ milliseconds: RETRY_MS })) < 0) return;
    const [newest] = await listBackups(source.dataDir);
    if (newest) await copyAlone(newest, copyTo);
    else isCopyDue = false;
  }
  function findDueTime(newest: Temporal.Instant | undefined): Temporal.Instant | undefined {
    if (!schedule) return undefined;
    const next = getNextBackupTime(newest, schedule);
    const retry = failure?.time.add({ milliseconds: RETRY_MS });
    return retry && Temporal.Instant.compare(next, retry) < 0 ? retry : next;
  }
  async function backUpIfDue(): Promise<void> {
    if (!schedule) return;
    await refresh();
    dueAt ??= findDueTime((await listBackups(source.dataDir))[0]?.created);
    if (dueAt === undefined || Temporal.Instant.compare(now(), dueAt) < 0) return;
    await backUp('schedule');
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
      await refresh();
      const backups = await listBackups(source.dataDir);
      return {
        backups,
        failure,
        isRunning: running !== undefined || copying !== undefined,
        next: findDueTime(backups[0]?.created),
        isOverdue: schedule !== undefined && isBackupOverdue(backups[0]?.created, schedule, now()),
        copies: copyTo && (await getCopyState(copyTo)),
      };
    },
    tasks: [
      { name: 'backup', intervalSeconds: MINUTE_SECONDS, run: () => runAndReport(backUpIfDue) },
      { name: 'backup.copy', intervalSeconds: MINUTE_SECONDS, run: () => runAndReport(copyIfDue) },
    ],
    start: async () => {
      await readFailure();
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((each) => each.endsWith(PART_SUFFIX))) {
        const path = join(folder, name);
        if (!options.isShared || (await isAbandoned(path))) await rm(path, { recursive: true, force: true });
      }
    },
    stop: async () => {
      stopController.abort();
      await Promise.allSettled([running, copying?.result]);
    },
  };
}
