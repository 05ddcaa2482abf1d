import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { scheduleRepeating, realTimers, type Timers } from '../schedule/timers.ts';

/** Whether the system says so, by its own short name: 'ENOENT', 'EXDEV'. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const MIB = 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;
const RESERVE_BYTES = 32 * MIB;
const MIN_FREE_FOR_FILES_BYTES = 500 * MIB;
const MIN_FREE_FOR_DOWNLOADS_BYTES = 2048 * MIB;

/** For whoever wanted a file kept. */
export const LOW_DISK_SPACE_MESSAGE =
  'The disk of this server is nearly full, so it keeps no new files. Its owner has to make room';

/** Whether the system says of a write that there is no room left for it, or for this user. */
export function isDiskFullError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** The room on the disk that the data folder lies on, as of the last 30 seconds (reliability.md section 5). */
export interface DiskSpace {
  readonly getFreeBytes: () => number;
  /** Uploads and what else a person hands in: until less than 500 MiB are free. */
  readonly canStoreFiles: () => boolean;
  /** Downloads, captures, conversions: until less than 2 GiB are free. */
  readonly canDownload: () => boolean;
}

export interface DiskMonitor extends DiskSpace {
  /** Asks now. @throws where the system does not say. */
  readonly measureFreeBytes: () => Promise<number>;
  /** Asks every 30 s from now on, and keeps the reserve. */
  readonly start: () => Promise<void>;
  /** Lets the reserve go at once: a full database cannot even delete without some room. It is made again when there is room. */
  readonly releaseReserve: () => void;
  readonly stop: () => Promise<void>;
}

export interface DiskMonitorOptions {
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** Bytes free to this user; tests hand in their own. */
  readonly read?: () => Promise<number>;
  /** 0 for none. */
  readonly reserveBytes?: number;
}

/** What is free to this user on the disk of a folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Bytes that no file system packs together. */
function* generateFiller(bytes: number): Generator<Uint8Array> {
  const chunk = randomBytes(MIB);
  for (let left = bytes; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk;
}

export function createDiskMonitor(options: DiskMonitorOptions): DiskMonitor {
  const { dataDir, log, timers = realTimers, reserveBytes = RESERVE_BYTES } = options;
  const read = options.read ?? (() => readFreeBytes(dataDir));
  const path = join(dataDir, 'reserve');
  let free = Infinity;
  let making: AbortController | undefined;
  let round = Promise.resolve();
  let callOff: (() => void) | undefined;

  const mayKeepFiles = (): boolean => free >= MIN_FREE_FOR_FILES_BYTES;
  const ask = async (): Promise<number> => {
    const could = mayKeepFiles();
    free = await read();
    if (could && !mayKeepFiles()) log.warn({ free }, 'disk.low: no files are kept until there is room');
    if (!could && mayKeepFiles()) log.info({ free }, 'disk.low is over');
    return free;
  };

  const keepReserve = async (): Promise<void> => {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === reserveBytes) return;
    if (size !== undefined) rmSync(path, { force: true }); // left by a server that was killed while it made it
    if (free < 2 * reserveBytes) return;
    making = new AbortController();
    try {
      await writeFile(path, generateFiller(reserveBytes), { mode: 0o600, signal: making.signal });
    } catch (error) {
      rmSync(path, { force: true });
      if (!making.signal.aborted) throw error;
    } finally {
      making = undefined;
    }
  };
  const look = async (): Promise<void> => {
    try {
      await ask();
      if (reserveBytes > 0) await keepReserve();
    } catch (error) {
      log.error({ err: error }, 'disk not looked at');
    }
  };

  return {
    getFreeBytes: () => free,
    canStoreFiles: mayKeepFiles,
    canDownload: () => free >= MIN_FREE_FOR_DOWNLOADS_BYTES,
    measureFreeBytes: ask,
    start: async () => {
      await ask();
      round = look();
      callOff = scheduleRepeating(timers, CHECK_INTERVAL_MS, () => {
        round = round.then(look);
      });
    },
    // Not later: whoever asks again after a refused write shall find the room.
    releaseReserve: () => {
      making?.abort();
      if (!existsSync(path)) return;
      rmSync(path, { force: true });
      log.error({ path }, 'disk.full: the reserve is given up');
    },
    stop: async () => {
      callOff?.();
      making?.abort();
      await round;
    },
  };
}
