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
const span = fc
  .tuple(fc.integer({ min: 0, max: END }), fc.integer({ min: 0, max: END }))
  .map(([one, other]): SecondRange => ({ from: Math.min(one, other), until: Math.max(one, other) }));
const spans = fc.array(span, { maxLength: 12 });

const listSeconds = (all: readonly SecondRange[]): ReadonlySet<number> =>
  new Set(all.flatMap(({ from, until }) => Array.from({ length: until - from }, (_, index) => from + index)));
const sorted = (seconds: Iterable<number>): readonly number[] => [...seconds].toSorted((one, other) => one - other);

/** Sorted, none empty, none touching the next. */
const isTidy = (all: readonly SecondRange[]): boolean =>
  all.every(({ from, until }, index) => from < until && (all[index + 1]?.from ?? END + 1) > until);

test('adding and removing ranges works like a set of seconds', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ span, isPut: fc.boolean() }), { maxLength: 20 }), span, (actions, window) => {
      const ranges: SecondRange[] = [];
      const set = new Set<number>();
      for (const { span: each, isPut } of actions) {
        if (isPut) addRange(ranges, each);
        else removeRange(ranges, each);
        for (const second of listSeconds([each]))
          if (isPut) set.add(second);
          else set.delete(second);
        expect(isTidy(ranges)).toBe(true);
        expect(sorted(listSeconds(ranges))).toEqual(sorted(set));
      }
      expect(sumLengths(ranges)).toBe(set.size);
      const inside = sorted([...listSeconds([window])].filter((second) => set.has(second)));
      expect(sorted(listSeconds(clipRanges(ranges, window)))).toEqual(inside);
      const free = sorted([...listSeconds([window])].filter((second) => !set.has(second)));
      expect(sorted(listSeconds(listUncovered(ranges, window)))).toEqual(free);
    }),
  );
});

test('in any order, ranges merge to the same tidy list', () => {
  fc.assert(
    fc.property(spans, (all) => {
      const one = mergeRanges(all);
      expect(isTidy(one)).toBe(true);
      expect(sorted(listSeconds(one))).toEqual(sorted(listSeconds(all)));
      expect(mergeRanges(all.toReversed())).toEqual(one);
    }),
  );
});
