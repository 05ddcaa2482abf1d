/** Lets work of one key be done one after another, in the order in which it came, whatever became of what was before it; that of different keys at once. */
export function createSerialQueue() {
  const last = new Map<string | number, Promise<unknown>>();
  return async <T>(key: string | number, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve();
    const run = before.then(work, work);
    last.set(key, run);
    try {
      return await run;
    } finally {
      // Nothing is remembered of keys that nobody waits for.
      if (last.get(key) === run) last.delete(key);
    }
  };
}
