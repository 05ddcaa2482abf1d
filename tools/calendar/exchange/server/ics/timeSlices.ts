import { setImmediate } from 'node:timers/promises';

/** Maximum time for which the event loop is blocked. */
const SLICE_MS = 8;

/** Runs a generator to its end. At its `yield`s other work can run every few milliseconds. */
export async function runInTimeSlices<Result>(steps: Generator<unknown, Result, undefined>): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await setImmediate();
  }
}

/** Runs the same work without pauses, if it is known to be small. */
export function runToEnd<Result>(steps: Generator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
