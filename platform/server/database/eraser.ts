import type { FastifyBaseLogger } from 'fastify';
import { realTimers, type Timers } from '../schedule/timers.ts';

export interface EraserOptions {
  /** Empties the log of the database. Gives false where somebody still reads from it; never waits for them. */
  readonly truncateLog: () => Promise<boolean>;
  readonly log: FastifyBaseLogger;
  readonly timers?: Timers;
}

/** Takes what deleted rows held off the disk. */
export interface Eraser {
  /** Resolves after the first attempt; where it did not succeed, further ones follow until one does. */
  readonly erase: () => Promise<void>;
  readonly stop: () => void;
}

const MIN_RETRY_DELAY_MS = 100;
const MAX_RETRY_DELAY_MS = 30_000;

/**
 * Empties SQLite's log once rows are deleted: SQLite overwrites them in the database itself (`secure_delete`), but its log has the older pages
 * until it is emptied. A backup that reads puts that off.
 */
export function createEraser({ truncateLog, log, timers = realTimers }: EraserOptions): Eraser {
  let cancelRetry: (() => void) | undefined;
  let isStopped = false;

  const attempt = async (retryMs: number): Promise<void> => {
    cancelRetry?.();
    cancelRetry = undefined;
    let isErased = false;
    try {
      isErased = await truncateLog();
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'database.erase.failed');
    }
    if (isErased || isStopped) return;
    cancelRetry = timers.schedule(retryMs, () => void attempt(Math.min(retryMs * 2, MAX_RETRY_DELAY_MS)));
  };

  return {
    erase: () => attempt(MIN_RETRY_DELAY_MS),
    stop: () => {
      isStopped = true;
      cancelRetry?.();
    },
  };
}
