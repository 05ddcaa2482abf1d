/** Sockets at once (reliability.md section 4). */
export const MAX_SOCKETS = { all: 2000, address: 100, unproven: 20, account: 50 } as const;

/** How many there are by each key, with a most. */
export interface Tally {
  readonly isFull: (key: string | number, most: number) => boolean;
  /** Gives back how to take it out again, which counts once. */
  readonly add: (key: string | number) => () => void;
  readonly total: () => number;
}

export const createTally = (): Tally => {
  const counts = new Map<string | number, number>();
  let total = 0;
  return {
    isFull: (key, most) => (counts.get(key) ?? 0) >= most,
    add: (key) => {
      let isIn = true;
      total += 1;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return () => {
        if (!isIn) return;
        isIn = false;
        total -= 1;
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
    total: () => total,
  };
};
