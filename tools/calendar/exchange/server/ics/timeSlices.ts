import { setImmediate } from 'node:timers/promises';

/** How long the event loop is held at once. */
const SLICE_MS = 8;

/** Runs work that pauses at each `yield` to its end, letting others have their turn every few milliseconds. */
export async function inSlices<Result>(work: Generator<unknown, Result, undefined>): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await setImmediate();
  }
}

/** Runs the same work at once: for what is known to be small. */
export function atOnce<Result>(work: Generator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
