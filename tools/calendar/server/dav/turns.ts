/** Work of one key, one after another in the order in which it came; that of different keys at once. */
export const makeTurns = () => {
  const last = new Map<number, Promise<unknown>>();
  return async <T>(key: number, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve();
    const run = before.then(work, work);
    last.set(key, run);
    try {
      return await run;
    } finally {
      if (last.get(key) === run) last.delete(key);
    }
  };
};
