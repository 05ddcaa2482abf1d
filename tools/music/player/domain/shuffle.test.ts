import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getNextSeed, createShuffledOrder } from './queue.ts';

test('a shuffled order has every place once, and is the same for the same seed', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer(), (length, seed) => {
      const order = createShuffledOrder(length, seed);
      expect(order.toSorted((one, other) => one - other)).toEqual(Array.from({ length }, (_, place) => place));
      expect(createShuffledOrder(length, seed)).toEqual(order);
    }),
  );
});

test('every song is first about equally often', () => {
  const firsts = [0, 0, 0, 0, 0];
  let seed = 7;
  for (let round = 0; round < 5000; round += 1) {
    seed = getNextSeed(seed);
    const [first = 0] = createShuffledOrder(5, seed);
    firsts[first] = (firsts[first] ?? 0) + 1;
  }
  for (const count of firsts) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
