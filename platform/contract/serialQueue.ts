/** Runs work in order, one at a time. Resolves and rejects as the work does. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue that continues after errors. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work);
    last = run;
    return run;
  };
}

/** Runs work of the same key in order, one at a time. Different keys run concurrently. */
export type KeyedQueue = <T>(key: string | number, work: () => Promise<T>) => Promise<T>;

/** Creates a keyed queue that continues after errors. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string | number, Promise<unknown>>();
  return async <T>(key: string | number, work: () => Promise<T>): Promise<T> => {
    const previous = last.get(key) ?? Promise.resolve();
    const run = previous.then(work, work);
    last.set(key, run);
    try {
      return await run;
    } finally {
      // Remove keys that nothing waits for.
      if (last.get(key) === run) last.delete(key);
    }
  };
}
