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

/** Splits a list into batches. Between two batches other work can run. */
export async function* iterateBatches<T>(
  list: Iterable<T> | AsyncIterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void> {
  let batch: T[] = [];
  for await (const item of list) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    await setImmediate();
  }
  if (batch.length > 0) yield batch;
}

/** Runs the same work without pauses, if it is known to be small. */
export function runToEnd<Result>(steps: Generator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
