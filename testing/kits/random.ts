/** Random choices that are the same for the same seed. */
export interface SeededRandom {
  /** Returns a number from 0 to 1, exclusive. */
  readonly next: () => number;
  /** Returns an integer from 0 to `below`, exclusive. */
  readonly nextInt: (below: number) => number;
  /** Returns true once in `count` calls, on average. */
  readonly isOneOf: (count: number) => boolean;
  /** Returns an element; undefined for an empty list. */
  readonly pick: <T>(all: readonly T[]) => T | undefined;
}

/** Creates random choices with the generator mulberry32. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const nextInt = (below: number): number => Math.floor(next() * below);
  return { next, nextInt, isOneOf: (count) => nextInt(count) === 0, pick: (all) => all[nextInt(all.length)] };
}
