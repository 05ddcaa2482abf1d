import type { Timers } from '../realtime/timers.ts';
import type { JobRow } from './store.ts';

/** How far a running job is; in memory alone. */
export interface Live {
  readonly percent?: number;
  readonly stage?: string;
  readonly title?: string;
}

/** More often nobody is told. The first of a while is told at once. */
const PAUSE_MS = 80;

interface Told {
  readonly row: JobRow;
  live: Live;
  isNew: boolean;
  callOff: (() => void) | undefined;
}

/** Keeps how far each running job is, and tells it: of many changes in a moment the newest. */
export const makeProgress = ({
  timers,
  tell,
}: {
  readonly timers: Timers;
  readonly tell: (row: JobRow, live: Live) => void;
}) => {
  const running = new Map<number, Told>();

  const say = (one: Told): void => {
    one.isNew = false;
    tell(one.row, one.live);
    one.callOff = timers.after(PAUSE_MS, () => {
      one.callOff = undefined;
      if (one.isNew) say(one);
    });
  };
  const forget = (id: number): void => {
    running.get(id)?.callOff?.();
    running.delete(id);
  };
  return {
    begin: (row: JobRow): void => void running.set(row.id, { row, live: {}, isNew: false, callOff: undefined }),
    of: (id: number): Live | undefined => running.get(id)?.live,
    change: (id: number, change: Live): void => {
      const one = running.get(id);
      if (!one) return;
      one.live = { ...one.live, ...change };
      one.isNew = true;
      if (one.callOff === undefined) say(one);
    },
    end: forget,
    stop: (): void => {
      for (const id of running.keys()) forget(id);
    },
  };
};
export type Progress = ReturnType<typeof makeProgress>;
