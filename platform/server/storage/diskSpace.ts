import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';
import { hasErrorCode } from './errorCode.ts';

const MIB = 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;
const RESERVE_BYTES = 32 * MIB;
const MIN_FREE_FOR_FILES_BYTES = 500 * MIB;
const MIN_FREE_FOR_LARGE_FILES_BYTES = 2048 * MIB;

/** Refusal for uploads and other files. */
export const LOW_DISK_SPACE_MESSAGE =
  'This server is low on disk space, so it stores no new files. Ask its owner to free some space';

/** Returns whether a write failed because the disk is full or the user's quota is used up. */
export function isDiskFullError(error: unknown): boolean {
  return hasErrorCode(error, 'ENOSPC') || hasErrorCode(error, 'EDQUOT');
}

/** Free disk space of the data folder, measured every 30 seconds (docs/design/reliability.md section 5). */
export interface DiskSpace {
  readonly getFreeBytes: () => number;
  /** For uploads: whether at least 500 MiB are free. */
  readonly canStoreFiles: () => boolean;
  /** For large files, such as videos and those of jobs: whether at least 2 GiB are free. */
  readonly canStoreLargeFiles: () => boolean;
}

/** Measures free disk space, and holds a reserve file. */
export interface DiskMonitor extends DiskSpace {
  /** Measures immediately. @throws if the system cannot report it. */
  readonly measureFreeBytes: () => Promise<number>;
  /** Starts to measure every 30 s, and creates the reserve file. */
  readonly start: () => Promise<void>;
  /** Deletes the reserve file, because a full database needs some space even to delete. It is created again later. */
  readonly releaseReserve: () => void;
  readonly stop: () => Promise<void>;
}

export interface DiskMonitorOptions {
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** Returns the bytes that are free to this user. Tests replace it. */
  readonly read?: () => Promise<number>;
  /** Size of the reserve file; 0 for none. */
  readonly reserveBytes?: number;
}

/** Returns the bytes that are free to this user on the disk of a folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Generates bytes that no file system can compress. */
function* generateFiller(bytes: number): Generator<Uint8Array> {
  const chunk = randomBytes(MIB);
  for (let remaining = bytes; remaining > 0; remaining -= chunk.length)
    yield remaining < chunk.length ? chunk.subarray(0, remaining) : chunk;
}

/** Creates a monitor. Until the first measurement, space is unlimited. */
export function createDiskMonitor(options: DiskMonitorOptions): DiskMonitor {
  const { dataDir, log, timers = realTimers, reserveBytes = RESERVE_BYTES } = options;
  const read = options.read ?? (() => readFreeBytes(dataDir));
  const path = join(dataDir, 'reserve');
  let freeBytes = Infinity;
  let reserveWrite: AbortController | undefined;
  let currentCheck = Promise.resolve();
  let cancelChecks: (() => void) | undefined;

  const canStoreFiles = (): boolean => freeBytes >= MIN_FREE_FOR_FILES_BYTES;
  async function measure(): Promise<number> {
    const couldStoreFiles = canStoreFiles();
    freeBytes = await read();
    if (couldStoreFiles && !canStoreFiles()) log.warn({ free: freeBytes }, 'disk.low');
    if (!couldStoreFiles && canStoreFiles()) log.info({ free: freeBytes }, 'disk.recovered');
    return freeBytes;
  }

  async function ensureReserve(): Promise<void> {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === reserveBytes) return;
    if (size !== undefined) rmSync(path, { force: true }); // left by a server that was killed while it wrote it
    if (freeBytes < 2 * reserveBytes) return;
    reserveWrite = new AbortController();
    try {
      await writeFile(path, generateFiller(reserveBytes), { mode: 0o600, signal: reserveWrite.signal });
    } catch (error) {
      rmSync(path, { force: true });
      if (!reserveWrite.signal.aborted) throw error;
    } finally {
      reserveWrite = undefined;
    }
  }
  async function check(): Promise<void> {
    try {
      await measure();
      if (reserveBytes > 0) await ensureReserve();
    } catch (error) {
      log.error({ err: error }, 'disk.check.failed');
    }
  }

  return {
    getFreeBytes: () => freeBytes,
    canStoreFiles,
    canStoreLargeFiles: () => freeBytes >= MIN_FREE_FOR_LARGE_FILES_BYTES,
    measureFreeBytes: measure,
    start: async () => {
      await measure();
      currentCheck = check();
      cancelChecks = scheduleRepeating(timers, CHECK_INTERVAL_MS, () => {
        currentCheck = currentCheck.then(check);
      });
    },
    // Synchronous, so that a retry right after the refused write finds the space.
    releaseReserve: () => {
      reserveWrite?.abort();
      if (!existsSync(path)) return;
      rmSync(path, { force: true });
      log.error({ path }, 'disk.full');
    },
    stop: async () => {
      cancelChecks?.();
      reserveWrite?.abort();
      await currentCheck;
    },
  };
}
