/** Waiting, by a clock that no change of the wall clock moves. Tests hand in one that they turn. */
export interface Timers {
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Gives back how to call it off. */
  readonly schedule: (ms: number, then: () => void) => () => void;
}

export const realTimers: Timers = {
  now: () => performance.now(),
  schedule: (ms, then) => {
    const timer = setTimeout(then, ms).unref(); // waiting keeps no process alive
    return () => clearTimeout(timer);
  },
};

/** Runs again and again until it is called off. */
export function scheduleRepeating(timers: Timers, ms: number, then: () => void): () => void {
  const again = (): (() => void) =>
    timers.schedule(ms, () => {
      callOff = again();
      then();
    });
  let callOff = again();
  return () => callOff();
}
