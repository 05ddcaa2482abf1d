/** Counts by key. */
export interface Tally {
  readonly getCount: (key: string | number) => number;
  /** Adds one, and returns a function that removes it once. */
  readonly add: (key: string | number) => () => void;
  readonly getTotal: () => number;
}

/** Creates an empty tally. */
export function createTally(): Tally {
  const counts = new Map<string | number, number>();
  let total = 0;
  const getCount = (key: string | number): number => counts.get(key) ?? 0;
  function add(key: string | number): () => void {
    let isCounted = true;
    total += 1;
    counts.set(key, getCount(key) + 1);
    return () => {
      if (!isCounted) return;
      isCounted = false;
      total -= 1;
      const remaining = getCount(key) - 1;
      if (remaining === 0) counts.delete(key);
      else counts.set(key, remaining);
    };
  }
  return { getCount, add, getTotal: () => total };
}
