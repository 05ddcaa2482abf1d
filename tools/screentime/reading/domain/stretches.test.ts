import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseIso, toIso } from '../../usage/domain/days.ts';
import { periodsOf } from './period.ts';

test('every day is in one range, and none is longer than a request allows', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 20_000, max: 20_700 }), { maxLength: 80 }), (days) => {
      const dates = days.toSorted((a, b) => b - a).map(toIso);
      const ranges = periodsOf(dates);
      for (const { from, until } of ranges) {
        const span = (parseIso(until) ?? 0) - (parseIso(from) ?? 0);
        expect(span >= 0 && span < 62).toBe(true);
      }
      for (const date of dates)
        expect(ranges.filter(({ from, until }) => from <= date && date <= until)).toHaveLength(1);
    }),
  );
});
