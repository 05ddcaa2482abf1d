/** Random choices that are the same for the same seed, so that every demo shows the same household. */
export interface Random {
  /** From 0 to 1, exclusive. */
  readonly fraction: () => number;
  /** A whole number; both ends are included. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <T>(all: readonly [T, ...T[]]) => T;
}

/** Uses the generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    fraction,
    between: (low, high) => low + Math.floor(fraction() * (high - low + 1)),
    pick: (all) => all[Math.floor(fraction() * all.length)] ?? all[0],
  };
}
