import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { daySeries, runningTotal } from './daySums.ts';

test('seconds become hours by day, and days without use in between are 0', () => {
  expect(daySeries({ '2026-03-01': { mail: 1800, code: 7200 }, '2026-02-27': { code: 3600 } })).toEqual({
    days: ['2026-02-27', '2026-02-28', '2026-03-01'],
    applications: [
      { name: 'code', hours: [1, 0, 2] },
      { name: 'mail', hours: [0, 0, 0.5] },
    ],
  });
  expect(daySeries({})).toEqual({ days: [], applications: [] });
});

test('a wrong date of long ago adds no decades: long gaps have only their ends', () => {
  const { days, applications } = daySeries({
    '2000-01-01': { code: 3600 },
    '2026-02-27': { code: 3600 },
    '2026-03-01': { code: 7200 },
  });
  expect(days).toEqual(['2000-01-01', '2000-01-02', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01']);
  expect(applications).toEqual([{ name: 'code', hours: [1, 0, 0, 1, 0, 2] }]);
  // A year without use is drawn.
  expect(daySeries({ '2025-01-01': { code: 1 }, '2026-01-03': { code: 1 } }).days).toHaveLength(368);
});

test('a program with a name that is special in JavaScript is like any other', () => {
  const seconds = { '2026-01-01': JSON.parse('{"__proto__": 3600, "constructor": 3600}') as Record<string, number> };
  expect(
    daySeries(seconds)
      .applications.map(({ name }) => name)
      .toSorted(),
  ).toEqual(['__proto__', 'constructor']);
});

test('a running total never falls, ends at the sum, and its steps are the values', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 86_400 })), (values) => {
      const totals = runningTotal(values);
      expect(totals.at(-1) ?? 0).toBe(values.reduce((sum, value) => sum + value, 0));
      expect(totals.map((total, index) => total - (totals[index - 1] ?? 0))).toEqual(values);
    }),
  );
});
