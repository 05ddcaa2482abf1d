import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { listGridHours } from './Breakdown.tsx';

test('there are five gridlines above 0, and the highest is the next multiple of 5 hours', () => {
  expect(listGridHours([61.2, 48.4])).toEqual([65, 52, 39, 26, 13, 0]);
  expect(listGridHours([65])).toEqual([65, 52, 39, 26, 13, 0]);
  expect(listGridHours([0.2])).toEqual([5, 4, 3, 2, 1, 0]);
  expect(listGridHours([])).toEqual([5, 4, 3, 2, 1, 0]);
});

test('every bar fits below the highest line, and none is needlessly small', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 336 * 5, noNaN: true }), { minLength: 1 }), (hours) => {
      const [top = 0] = listGridHours(hours);
      expect(top).toBeGreaterThanOrEqual(Math.max(...hours));
      expect(top - Math.max(...hours)).toBeLessThanOrEqual(5);
      expect(top % 5).toBe(0);
    }),
  );
});
