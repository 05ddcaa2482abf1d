import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { every, realTimers, type Timers } from './realtime/timers.ts';

const MIB = 1024 * 1024;
const ROUND_MS = 30_000;
const RESERVE_BYTES = 32 * MIB;
const FILES_BYTES = 500 * MIB;
const DOWNLOADS_BYTES = 2048 * MIB;

/** For whoever wanted a file kept. */
export const NO_ROOM = 'The disk of this server is nearly full, so it keeps no new files. Its owner has to make room';

/** Whether the system says of a write that there is no room left for it, or for this user. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** The room on the disk that the data folder lies on, as of the last 30 seconds (reliability.md section 5). */
export interface Disk {
  readonly freeBytes: () => number;
  /** Uploads and what else a person hands in: until less than 500 MiB are free. */
  readonly mayKeepFiles: () => boolean;
  /** Downloads, captures, conversions: until less than 2 GiB are free. */
  readonly mayDownload: () => boolean;
}

export interface LiveDisk extends Disk {
  /** Asks now. @throws where the system does not say. */
  readonly ask: () => Promise<number>;
  /** Asks every 30 s from now on, and keeps the reserve. */
  readonly watch: () => Promise<void>;
  /** Lets the reserve go at once: a full database cannot even delete without some room. It is made again when there is room. */
  readonly giveUpReserve: () => void;
  readonly stop: () => Promise<void>;
}

export interface DiskOptions {
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** Bytes free to this user; tests hand in their own. */
  readonly read?: () => Promise<number>;
  /** 0 for none. */
  readonly reserveBytes?: number;
}

/** What is free to this user on the disk of a folder. */
export const freeBytesOf = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Bytes that no file system packs together. */
function* filling(bytes: number): Generator<Uint8Array> {
  const chunk = randomBytes(MIB);
  for (let left = bytes; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk;
}

export const makeDisk = (options: DiskOptions): LiveDisk => {
  const { dataDir, log, timers = realTimers, reserveBytes = RESERVE_BYTES } = options;
  const read = options.read ?? (() => freeBytesOf(dataDir));
  const path = join(dataDir, 'reserve');
  let free = Infinity;
  let making: AbortController | undefined;
  let round = Promise.resolve();
  let callOff: (() => void) | undefined;

  const mayKeepFiles = (): boolean => free >= FILES_BYTES;
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
      await writeFile(path, filling(reserveBytes), { mode: 0o600, signal: making.signal });
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
    freeBytes: () => free,
    mayKeepFiles,
    mayDownload: () => free >= DOWNLOADS_BYTES,
    ask,
    watch: async () => {
      await ask();
      round = look();
      callOff = every(timers, ROUND_MS, () => {
        round = round.then(look);
      });
    },
    // Not later: whoever asks again after a refused write shall find the room.
    giveUpReserve: () => {
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
};
