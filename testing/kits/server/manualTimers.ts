import type { Timers } from '#platform/server/schedule/timers.ts';

export interface ManualTimers extends Timers {
  /** Advances the clock, and runs timers that are due, in order. */
  readonly advance: (ms: number) => void;
}

/** Creates timers that only run when a test advances them. */
export function createManualTimers(): ManualTimers {
  const waiting = new Set<{ readonly at: number; readonly run: () => void }>();
  let time = 0;
  return {
    now: () => time,
    schedule: (ms, then) => {
      const one = { at: time + ms, run: then };
      waiting.add(one);
      return () => void waiting.delete(one);
    },
    advance: (ms) => {
      const end = time + ms;
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
        if (!next) break;
        time = next.at;
        waiting.delete(next);
        next.run();
      }
      time = end;
    },
  };
}
