import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseIso, toIso } from '../../usage/domain/days.ts';
import { getPreviousPeriod, comparePeriods, listNamedPeriods, findPeriodProblem, toPeriods } from './period.ts';

const day = (iso: string): number => parseIso(iso) ?? Number.NaN;

test('weeks start on Monday, months and years on their first day', () => {
  const by = Object.fromEntries(
    listNamedPeriods(day('2026-01-07')).map(({ name, from, until }) => [name, [from, until]]),
  );
  expect(by).toEqual({
    Today: ['2026-01-07', '2026-01-07'],
    'This week': ['2026-01-05', '2026-01-07'],
    'Last week': ['2025-12-29', '2026-01-04'],
    'Past 14 days': ['2025-12-25', '2026-01-07'],
    'This month': ['2026-01-01', '2026-01-07'],
    'Last month': ['2025-12-01', '2025-12-31'],
    'This year': ['2026-01-01', '2026-01-07'],
    'Last year': ['2025-01-01', '2025-12-31'],
  });
});

test('the previous period has the same length and ends the day before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 40_000 }), (today) => {
      for (const period of listNamedPeriods(today)) {
        expect(findPeriodProblem(period)).toBeUndefined();
        const earlier = getPreviousPeriod(period);
        expect(day(earlier.until)).toBe(day(period.from) - 1);
        expect(day(earlier.until) - day(earlier.from)).toBe(day(period.until) - day(period.from));
      }
    }),
  );
});

test('an invalid period says why', () => {
  expect(findPeriodProblem({ from: '', until: '2026-01-01' })).toBe('Choose a first and a last day');
  expect(findPeriodProblem({ from: '2026-01-02', until: '2026-01-01' })).toBe(
    'The last day must not be before the first day',
  );
});

const createUse = (name: string, seconds: number) => ({ name, category: 'work', seconds, opened: 1, longest: seconds });

test('a comparison of two periods has each application once, most used first', () => {
  const rows = comparePeriods(
    [createUse('code', 100), createUse('mail', 50)],
    [createUse('vlc', 80), createUse('code', 10)],
  );
  expect(rows.map(({ name, first, second }) => [name, first?.seconds, second?.seconds])).toEqual([
    ['code', 100, 10],
    ['vlc', undefined, 80],
    ['mail', 50, undefined],
  ]);
});

test('every day is in one range, and none is longer than a request allows', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 20_000, max: 20_700 }), { maxLength: 80 }), (days) => {
      const dates = days.toSorted((a, b) => b - a).map(toIso);
      const ranges = toPeriods(dates);
      for (const { from, until } of ranges) {
        const length = (parseIso(until) ?? 0) - (parseIso(from) ?? 0);
        expect(length >= 0 && length < 62).toBe(true);
      }
      for (const date of dates)
        expect(ranges.filter(({ from, until }) => from <= date && date <= until)).toHaveLength(1);
    }),
  );
});
