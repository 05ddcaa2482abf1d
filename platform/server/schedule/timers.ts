/** Monotonic clock and timers. Tests advance a clock of their own. */
export interface Timers {
  /** Milliseconds since an arbitrary moment. */
  readonly now: () => number;
  /** Returns a function that cancels the timer. */
  readonly schedule: (ms: number, callback: () => void) => () => void;
}

/** Timers of Node, which do not keep the process alive. */
export const realTimers: Timers = {
  now: () => performance.now(),
  schedule: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Runs a callback periodically until it is cancelled. */
export function scheduleRepeating(timers: Timers, ms: number, callback: () => void): () => void {
  const scheduleNext = (): (() => void) =>
    timers.schedule(ms, () => {
      cancelNext = scheduleNext();
      callback();
    });
  let cancelNext = scheduleNext();
  return () => cancelNext();
}
