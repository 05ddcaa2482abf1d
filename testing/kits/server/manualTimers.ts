import type { Timers } from '#platform/server/schedule/timers.ts';

export interface ManualTimers extends Timers {
  /** Advances the clock, and runs timers that are due, in order. */
  readonly advance: (ms: number) => void;
}

/** Creates timers that only run when a test advances them. */
export function createManualTimers(): ManualTimers {
  const pending = new Set<{ readonly dueAt: number; readonly run: () => void }>();
  let time = 0;
  return {
    now: () => time,
    schedule: (ms, callback) => {
      const timer = { dueAt: time + ms, run: callback };
      pending.add(timer);
      return () => void pending.delete(timer);
    },
    advance: (ms) => {
      const end = time + ms;
      for (;;) {
        const [next] = [...pending].filter(({ dueAt }) => dueAt <= end).toSorted((a, b) => a.dueAt - b.dueAt);
        if (!next) break;
        time = next.dueAt;
        pending.delete(next);
        next.run();
      }
      time = end;
    },
  };
}
