import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  sumLengths,
  addRange,
  removeRange,
  listUncovered,
  mergeRanges,
  clipRanges,
  type SecondRange,
} from './track.ts';

const END = 60;
const someRange = fc
  .tuple(fc.integer({ min: 0, max: END }), fc.integer({ min: 0, max: END }))
  .map(([a, b]): SecondRange => ({ from: Math.min(a, b), until: Math.max(a, b) }));
const someRanges = fc.array(someRange, { maxLength: 12 });

const listSeconds = (all: readonly SecondRange[]): ReadonlySet<number> =>
  new Set(all.flatMap(({ from, until }) => Array.from({ length: until - from }, (_, index) => from + index)));
const sorted = (seconds: Iterable<number>): readonly number[] => [...seconds].toSorted((a, b) => a - b);

/** Sorted, none empty, none touching the next. */
const isTidy = (all: readonly SecondRange[]): boolean =>
  all.every(({ from, until }, index) => from < until && (all[index + 1]?.from ?? END + 1) > until);

test('adding and removing ranges works like a set of seconds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ range: someRange, isAdded: fc.boolean() }), { maxLength: 20 }),
      someRange,
      (actions, bounds) => {
        const ranges: SecondRange[] = [];
        const set = new Set<number>();
        for (const { range: changedRange, isAdded } of actions) {
          if (isAdded) addRange(ranges, changedRange);
          else removeRange(ranges, changedRange);
          for (const second of listSeconds([changedRange]))
            if (isAdded) set.add(second);
            else set.delete(second);
          expect(isTidy(ranges)).toBe(true);
          expect(sorted(listSeconds(ranges))).toEqual(sorted(set));
        }
        expect(sumLengths(ranges)).toBe(set.size);
        const inside = sorted([...listSeconds([bounds])].filter((second) => set.has(second)));
        expect(sorted(listSeconds(clipRanges(ranges, bounds)))).toEqual(inside);
        const free = sorted([...listSeconds([bounds])].filter((second) => !set.has(second)));
        expect(sorted(listSeconds(listUncovered(ranges, bounds)))).toEqual(free);
      },
    ),
  );
});

test('in any order, ranges merge to the same tidy list', () => {
  fc.assert(
    fc.property(someRanges, (all) => {
      const merged = mergeRanges(all);
      expect(isTidy(merged)).toBe(true);
      expect(sorted(listSeconds(merged))).toEqual(sorted(listSeconds(all)));
      expect(mergeRanges(all.toReversed())).toEqual(merged);
    }),
  );
});
