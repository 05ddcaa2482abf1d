/** Numbers from 0 to below 1 that look like chance, the same ones for the same seed (mulberry32). */
const diceOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** 0 to `length` - 1, each once, in an order that the seed chooses. */
export const shuffled = (length: number, seed: number): readonly number[] => {
  const throwDice = diceOf(seed);
  const order = Array.from({ length }, (_, place) => place);
  for (let last = length - 1; last > 0; last -= 1) {
    const other = Math.floor(throwDice() * (last + 1));
    [order[last], order[other]] = [order[other] ?? other, order[last] ?? last];
  }
  return order;
};

/** The seed for the round that follows. */
export const nextSeed = (seed: number): number => Math.floor(diceOf(seed)() * 2 ** 32);
