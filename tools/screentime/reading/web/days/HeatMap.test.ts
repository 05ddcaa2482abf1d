import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';
import { parseIso, toIso } from '#tools/screentime/usage/domain/days.ts';

const { listMonthNames, getShade, getYearGrid } = await loadWithWindow(() => import('./HeatMap.tsx'));

test('a grid starts on a Monday, contains the same day of the year before, and ends with its last day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 400, max: 40_000 }), (last) => {
      const { first } = getYearGrid(last);
      expect(Temporal.PlainDate.from(toIso(first)).dayOfWeek).toBe(1);
      expect(last - first).toBeGreaterThanOrEqual(364);
      expect(last - first).toBeLessThanOrEqual(370);
    }),
  );
});

test('shades grow with the hours, and only an unused day has none', () => {
  expect([0, 1, 900, 901, 3600, 4000].map((seconds) => getShade(seconds, 3600))).toEqual([0, 1, 1, 2, 4, 4]);
  expect(getShade(0, 0)).toBe(0);
});

test('each month has its name once above the weeks', () => {
  const { first } = getYearGrid(parseIso('2026-11-22') ?? 0);
  expect(toIso(first)).toBe('2025-11-17');
  const names = listMonthNames(first).map(({ name }) => name);
  expect(names).toEqual(['Dec', 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov']);
});
