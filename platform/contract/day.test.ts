import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  toCivilDate,
  toDay,
  FIRST_DAY,
  LAST_DAY,
  getMonthLength,
  getMonday,
  parseIso,
  toIso,
  getWeekNumber,
} from './day.ts';

const anyDay = fc.oneof(
  fc.integer({ min: FIRST_DAY, max: LAST_DAY }),
  fc.integer({ min: -40_000, max: 80_000 }),
  fc.constantFrom(FIRST_DAY, LAST_DAY, 0, -1),
);
/** The same day in Temporal, as a reference. */
const toPlainDate = (day: number) => Temporal.PlainDate.from('1970-01-01').add({ days: day });

test('a day matches Temporal', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const reference = toPlainDate(day);
      expect(toIso(day)).toBe(reference.toString());
      expect(parseIso(toIso(day))).toBe(day);
      expect(toCivilDate(day)).toEqual({ year: reference.year, month: reference.month, date: reference.day });
      expect(toDay(toCivilDate(day))).toBe(day);
      expect(getMonthLength(reference.year, reference.month)).toBe(reference.daysInMonth);
      expect(toPlainDate(getMonday(day)).dayOfWeek).toBe(1);
      expect(day - getMonday(day)).toBe(reference.dayOfWeek - 1);
      expect(getWeekNumber(day)).toBe(reference.weekOfYear);
    }),
    { numRuns: 500 },
  );
});

test.each(['', '2026-02-29', '2026-13-01', '2026-00-10', '2026-11-31', '2026-11-00', '0000-01-01', '26-11-21'])(
  '"%s" is not a day',
  (text) => {
    expect(parseIso(text)).toBeUndefined();
  },
);

test.each(['21-11-2026', '2026-11-21T00:00', ' 2026-11-21', '2026-1-1', '+12026-01-01', '1e9', '２０２６-11-21'])(
  '"%s" is not an ISO date',
  (text) => {
    expect(parseIso(text)).toBeUndefined();
  },
);

test('leap days exist', () => {
  expect(['2024-02-29', '2000-02-29'].map((text) => toIso(parseIso(text) ?? NaN))).toEqual([
    '2024-02-29',
    '2000-02-29',
  ]);
  expect(parseIso('1900-02-29')).toBeUndefined();
});
