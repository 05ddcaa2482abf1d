import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { realTimers, type Timers } from '../schedule/timers.ts';

const MIB = 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;
/** While the reserve is in use, so that writing works again soon after space was freed. */
const FULL_CHECK_INTERVAL_MS = 2000;
const RESERVE_BYTES = 32 * MIB;
/** A state ends only with this much more space than it began with, so that it does not flicker. */
const RECOVERY_FACTOR = 1.25;
const MIN_FREE_FOR_FILES_BYTES = 500 * MIB;
const MIN_FREE_FOR_LARGE_FILES_BYTES = 2048 * MIB;

/** Refusal for uploads and other files. */
export const LOW_DISK_SPACE_MESSAGE =
  'This server is low on disk space, so it stores no new files. Ask its owner to free some space';

/** Free disk space of the data folder, measured every 30 seconds (docs/design/reliability.md section 5). */
export interface DiskSpace {
  readonly getFreeBytes: () => number;
  /** Free space below which the owner is warned. */
  readonly getWarningBytes: () => number;
  /** For uploads: whether at least 500 MiB are free. */
  readonly canStoreFiles: () => boolean;
  /** For large files, such as videos and those of jobs: whether at least 2 GiB are free. */
  readonly canStoreLargeFiles: () => boolean;
  /** Whether writes that can wait are allowed. After the reserve was released, they need more than its space. */
  readonly acceptsDeferrableWrites: () => boolean;
}

/** Measures free disk space, and holds a reserve file. */
export interface DiskMonitor extends DiskSpace {
  /** Measures immediately. @throws if the system cannot report it. */
  readonly measureFreeBytes: () => Promise<number>;
  /**
   * Starts to measure every 30 s, and creates the reserve file.
   * @param getReusableBytes Returns the space inside the database that deleted rows have left.
   */
  readonly start: (getReusableBytes?: () => Promise<number>) => Promise<void>;
  /**
   * Deletes the reserve file, because a full database needs some space even to delete. It is created again later.
   * Returns whether this made space.
   */
  readonly releaseReserve: () => boolean;
  readonly stop: () => Promise<void>;
}

export interface DiskMonitorOptions {
  readonly dataDir: string;
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
  /** Free space below which the owner is warned: in bytes, or as a share of the disk. Default: 2 GiB. */
  readonly warning?: DiskWarning | undefined;
  /** Called with a sentence for the owner when the free space falls below the warning while the server runs. */
  readonly onWarning?: (message: string) => void;
  /** Returns the bytes that are free to this user. Tests replace it. */
  readonly read?: () => Promise<number>;
  /** Size of the reserve file; 0 for none. */
  readonly reserveBytes?: number;
}

/** Free space below which the owner is warned. */
export type DiskWarning = { readonly bytes: number } | { readonly share: number };

const UNIT_BYTES: Readonly<Record<string, number>> = { MiB: MIB, GiB: 1024 * MIB, TiB: 1024 ** 2 * MIB };

/** Parses a size such as `2GiB` or a share such as `5%`; undefined if it is neither. */
export function parseDiskWarning(text: string): DiskWarning | undefined {
  const [, number = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?(MiB|GiB|TiB|%)$/.exec(text.trim()) ?? [];
  if (number === '') return undefined;
  if (unit !== '%') return { bytes: Number(number) * (UNIT_BYTES[unit] ?? 0) };
  return Number(number) < 100 ? { share: Number(number) / 100 } : undefined;
}

/** Returns the free bytes below which the owner is warned, for the disk of a folder. */
export async function computeWarningBytes(folder: string, warning: DiskWarning): Promise<number> {
  if ('bytes' in warning) return warning.bytes;
  const { blocks, bsize } = await statfs(folder);
  return Math.round(blocks * bsize * warning.share);
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
  const { warning = { bytes: MIN_FREE_FOR_LARGE_FILES_BYTES }, onWarning = () => undefined } = options;
  const read = options.read ?? (() => readFreeBytes(dataDir));
  const path = join(dataDir, 'reserve');
  let freeBytes = Infinity;
  let warningBytes = 0;
  let isWarned = false;
  let isReserveInUse = false;
  let getReusableBytes: (() => Promise<number>) | undefined;
  let reserveWrite: AbortController | undefined;
  let currentCheck = Promise.resolve();
  let cancelNextCheck: (() => void) | undefined;
  let isStopped = false;

  const canStoreFiles = (): boolean => freeBytes >= MIN_FREE_FOR_FILES_BYTES;

  function warnOwner(isFirstMeasurement: boolean): void {
    if (freeBytes >= warningBytes * RECOVERY_FACTOR && isWarned) {
      isWarned = false;
      log.info({ free: freeBytes }, 'disk.warning.ended');
    }
    if (freeBytes >= warningBytes || isWarned) return;
    isWarned = true;
    log.warn({ free: freeBytes, threshold: warningBytes }, 'disk.warning');
    // At a start, the owner has been notified before, or sees the warning on the page.
    if (!isFirstMeasurement)
      onWarning(`${(freeBytes / (1024 * MIB)).toFixed(1)} GiB are free. Free some space before it is full`);
  }
  async function measure(): Promise<number> {
    const couldStoreFiles = canStoreFiles();
    const isFirstMeasurement = freeBytes === Infinity;
    warningBytes = await computeWarningBytes(dataDir, warning);
    freeBytes = await read();
    if (couldStoreFiles && !canStoreFiles()) log.warn({ free: freeBytes }, 'disk.low');
    if (!couldStoreFiles && canStoreFiles()) log.info({ free: freeBytes }, 'disk.recovered');
    warnOwner(isFirstMeasurement);
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
      setReserveInUse(false);
    } catch (error) {
      rmSync(path, { force: true });
      if (!reserveWrite.signal.aborted) throw error;
    } finally {
      reserveWrite = undefined;
    }
  }

  function setReserveInUse(isInUse: boolean): void {
    if (isInUse === isReserveInUse) return;
    isReserveInUse = isInUse;
    if (isInUse) {
      log.error({ path }, 'disk.full');
      scheduleCheck();
    } else log.info({ free: freeBytes }, 'disk.full.ended');
  }
  /** Without the reserve file, its space must stay free, apart from what deleted rows have left in the database. */
  async function checkReserveUse(): Promise<void> {
    if (existsSync(path)) return;
    const usableBytes = freeBytes + ((await getReusableBytes?.()) ?? 0);
    if (usableBytes < reserveBytes) setReserveInUse(true);
    else if (usableBytes >= RECOVERY_FACTOR * reserveBytes) setReserveInUse(false);
  }
  async function check(): Promise<void> {
    try {
      await measure();
      if (reserveBytes === 0) return;
      await ensureReserve();
      await checkReserveUse();
    } catch (error) {
      log.error({ err: error }, 'disk.check.failed');
    }
  }
  function scheduleCheck(): void {
    cancelNextCheck?.();
    if (isStopped) return;
    cancelNextCheck = timers.schedule(isReserveInUse ? FULL_CHECK_INTERVAL_MS : CHECK_INTERVAL_MS, () => {
      scheduleCheck();
      currentCheck = currentCheck.then(check);
    });
  }

  return {
    getFreeBytes: () => freeBytes,
    getWarningBytes: () => warningBytes,
    canStoreFiles,
    canStoreLargeFiles: () => freeBytes >= MIN_FREE_FOR_LARGE_FILES_BYTES,
    acceptsDeferrableWrites: () => !isReserveInUse,
    measureFreeBytes: measure,
    start: async (readReusableBytes) => {
      getReusableBytes = readReusableBytes;
      await measure();
      currentCheck = check();
      scheduleCheck();
    },
    // Synchronous, so that a retry right after the refused write finds the space.
    releaseReserve: () => {
      reserveWrite?.abort();
      if (reserveBytes === 0) return false;
      const hasReserve = existsSync(path);
      rmSync(path, { force: true });
      setReserveInUse(true);
      return hasReserve;
    },
    stop: async () => {
      isStopped = true;
      cancelNextCheck?.();
      reserveWrite?.abort();
      await currentCheck;
    },
  };
}
