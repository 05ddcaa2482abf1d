/**
 * Creates a queue that runs work of the same key in order, one at a time, even after errors. Different keys run
 * concurrently.
 */
export function createSerialQueue() {
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
