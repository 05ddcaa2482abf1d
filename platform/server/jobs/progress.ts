import type { Timers } from '../schedule/timers.ts';
import type { JobRow } from './jobStore.ts';

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
export const createProgressTracker = ({
  timers,
  tell,
}: {
  readonly timers: Timers;
  readonly tell: (row: JobRow, live: JobProgress) => void;
}) => {
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
};
export type ProgressTracker = ReturnType<typeof createProgressTracker>;
