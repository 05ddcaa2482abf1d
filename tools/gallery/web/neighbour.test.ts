import { expect, test } from 'vitest';
import { findRemainingNeighbour, findGridNeighbour } from './texts.ts';

/** Two rows of three, and one row of two below a heading. */
const positions = [
  [0, 0],
  [1, 0],
  [2, 0],
  [0, 1],
  [1, 1],
  [2, 1],
  [0, 3],
  [1, 3],
].map(([column = 0, row = 0]) => ({ left: column * 240, top: row * 140 }));

test.each([
  ['ArrowRight', 2, 3],
  ['ArrowRight', 7, undefined],
  ['ArrowLeft', 3, 2],
  ['ArrowLeft', 0, undefined],
  ['ArrowDown', 1, 4],
  ['ArrowDown', 5, 7],
  ['ArrowDown', 6, undefined],
  ['ArrowUp', 7, 4],
  ['ArrowUp', 1, undefined],
  ['Home', 5, 0],
  ['End', 1, 7],
  ['a', 1, undefined],
])('%s on thumbnail %i leads to %s', (key, from, to) => {
  expect(findGridNeighbour(positions, from, key)).toBe(to);
});

test.each([
  ['b', ['a', 'c'], 'c'],
  ['c', ['a', 'b'], 'b'],
  ['a', ['c'], 'c'],
  ['a', [], undefined],
])('after %s is removed and %j remain, the neighbour is %s', (removed, remaining, neighbour) => {
  expect(findRemainingNeighbour(removed, ['a', 'b', 'c'], remaining)).toBe(neighbour);
});
