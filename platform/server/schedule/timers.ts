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
    const timer = setTimeout(callback, ms).unref(); // a timer does not keep the process alive
    return () => clearTimeout(timer);
  },
};

/** Runs a callback periodically until it is cancelled. */
export function scheduleRepeating(timers: Timers, ms: number, callback: () => void): () => void {
  const again = (): (() => void) =>
    timers.schedule(ms, () => {
      cancelNext = again();
      callback();
    });
  let cancelNext = again();
  return () => cancelNext();
}
