/** Runs tasks in order, one at a time. Resolves and rejects as the task does. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a queue that continues after errors. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const run = last.then(task, task);
    last = run;
    return run;
  };
}

/** Runs tasks of the same key in order, one at a time. Different keys run concurrently. */
export type KeyedQueue = <T>(key: string | number, task: () => Promise<T>) => Promise<T>;

/** Creates a keyed queue that continues after errors. */
export function createKeyedQueue(): KeyedQueue {
  const lastByKey = new Map<string | number, Promise<unknown>>();
  return async <T>(key: string | number, task: () => Promise<T>): Promise<T> => {
    const previous = lastByKey.get(key) ?? Promise.resolve();
    const run = previous.then(task, task);
    lastByKey.set(key, run);
    try {
      return await run;
    } finally {
      // Remove keys that nothing waits for.
      if (lastByKey.get(key) === run) lastByKey.delete(key);
    }
  };
}
