import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_CATCH_UP_STEPS, stepTowards, type ScrollRange } from './pageLayout.ts';

const OVERSCAN = 6;
const interval = fc
  .tuple(fc.integer({ min: -20, max: 500 }), fc.integer({ min: 1, max: 40 }))
  .map(([from, length]): ScrollRange => ({ from, until: from + length }));

/** Number of steps that are in both ranges. */
const countShared = (one: ScrollRange, other: ScrollRange): number =>
  Math.max(0, Math.min(one.until, other.until) - Math.max(one.from, other.from));
const getLength = ({ from, until }: ScrollRange): number => until - from;
const getTarget = ({ from, until }: ScrollRange): ScrollRange => ({ from: from - OVERSCAN, until: until + OVERSCAN });

function listSteps(from: ScrollRange, viewport: ScrollRange): readonly ScrollRange[] {
  const ranges = [from];
  for (;;) {
    const last = ranges.at(-1) ?? from;
    const next = stepTowards(last, viewport, OVERSCAN);
    if (next === last) return ranges;
    ranges.push(next);
    if (ranges.length > 1000) throw new Error('it never reaches the target');
  }
}

test('from any scroll position everything in view is rendered, and at most the overscan besides', () => {
  fc.assert(
    fc.property(interval, interval, (from, viewport) => {
      expect(listSteps(from, viewport).at(-1)).toEqual(getTarget(viewport));
    }),
  );
});

test('no step renders many rows, and rendered rows in view stay', () => {
  fc.assert(
    fc.property(interval, interval, (from, viewport) => {
      listSteps(from, viewport).reduce((before, after) => {
        const addedCount = getLength(after) - countShared(before, after);
        const isCalm = Math.min(viewport.from - before.from, before.until - viewport.until) >= OVERSCAN / 2;
        expect(addedCount).toBeLessThanOrEqual(isCalm ? 1 : MAX_CATCH_UP_STEPS);
        expect(countShared(after, viewport)).toBeGreaterThanOrEqual(countShared(before, viewport));
        return after;
      });
    }),
  );
});

test('after a jump old rows are removed first, and rows in view are rendered before those around them', () => {
  const viewport = { from: 5000, until: 5014 };
  const full = listSteps({ from: -6, until: 20 }, viewport).findIndex(
    (each) => countShared(each, viewport) === getLength(viewport),
  );
  expect(full).toBe(1 + Math.ceil(getLength(viewport) / MAX_CATCH_UP_STEPS));
});
