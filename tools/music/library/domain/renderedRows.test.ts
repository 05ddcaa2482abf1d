import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HURRIED, stepTowards, type ScrollRange } from './pageLayout.ts';

const SPARE = 6;
const interval = fc
  .tuple(fc.integer({ min: -20, max: 500 }), fc.integer({ min: 1, max: 40 }))
  .map(([from, length]): ScrollRange => ({ from, until: from + length }));

/** Number of steps that are in both ranges. */
const countShared = (one: ScrollRange, other: ScrollRange): number =>
  Math.max(0, Math.min(one.until, other.until) - Math.max(one.from, other.from));
const getLength = ({ from, until }: ScrollRange): number => until - from;
const getTarget = ({ from, until }: ScrollRange): ScrollRange => ({ from: from - SPARE, until: until + SPARE });

const way = (from: ScrollRange, sight: ScrollRange): readonly ScrollRange[] => {
  const pieces = [from];
  for (;;) {
    const last = pieces.at(-1) ?? from;
    const next = stepTowards(last, sight, SPARE);
    if (next === last) return pieces;
    pieces.push(next);
    if (pieces.length > 1000) throw new Error('it never gets there');
  }
};

test('from any scroll position everything in view is rendered, and at most the overscan besides', () => {
  fc.assert(
    fc.property(interval, interval, (from, sight) => {
      expect(way(from, sight).at(-1)).toEqual(getTarget(sight));
    }),
  );
});

test('no step renders many rows, and what is rendered and in view stays', () => {
  fc.assert(
    fc.property(interval, interval, (from, sight) => {
      way(from, sight).reduce((before, after) => {
        const addedCount = getLength(after) - countShared(before, after);
        const isCalm = Math.min(sight.from - before.from, before.until - sight.until) >= SPARE / 2;
        expect(addedCount).toBeLessThanOrEqual(isCalm ? 1 : HURRIED);
        expect(countShared(after, sight)).toBeGreaterThanOrEqual(countShared(before, sight));
        return after;
      });
    }),
  );
});

test('after a jump old rows are removed first, and rows in view are rendered before those around them', () => {
  const sight = { from: 5000, until: 5014 };
  const full = way({ from: -6, until: 20 }, sight).findIndex((each) => countShared(each, sight) === getLength(sight));
  expect(full).toBe(1 + Math.ceil(getLength(sight) / HURRIED));
});
