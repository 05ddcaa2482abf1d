import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_DAY, LAST_DAY, getMonday, parseIso, toIso } from '#platform/contract/day.ts';
import {
  listDays,
  formatShortDate,
  getWeekday,
  formatWeekLabel,
  formatWeekRange,
  listWeeksAround,
  listWeeksFrom,
} from './week.ts';

const anyDay = fc.oneof(
  fc.integer({ min: FIRST_DAY, max: LAST_DAY }),
  fc.integer({ min: -40_000, max: 80_000 }),
  fc.constantFrom(FIRST_DAY, LAST_DAY, 0, -1),
);
/** The same day in Temporal, as a reference. */
const toPlainDate = (day: number) => Temporal.PlainDate.from('1970-01-01').add({ days: day });
const parseDay = (iso: string) => parseIso(iso) ?? NaN;

describe('weeks', () => {
  test('a column has its weekday and short date as header', () => {
    expect([getWeekday(parseDay('2026-11-21')), formatShortDate(parseDay('2026-11-21'))]).toEqual([
      'Saturday',
      '21/11',
    ]);
    expect(listDays(parseDay('2026-11-16')).map(getWeekday).join(' ')).toBe(
      'Monday Tuesday Wednesday Thursday Friday Saturday Sunday',
    );
  });

  test('a week starts on Monday and has its own number', () => {
    fc.assert(
      fc.property(anyDay, (any) => {
        expect(getWeekday(getMonday(any))).toBe('Monday');
        expect(listDays(getMonday(any))).toContain(any);
        expect(listDays(getMonday(any)).map(getMonday)).toEqual(Array.from({ length: 7 }, () => getMonday(any)));
        expect(formatWeekLabel(any)).toBe(`Week ${toPlainDate(any).weekOfYear}`);
      }),
      { numRuns: 500 },
    );
  });

  test('at the turn of the year, a week has the number of its Thursday', () => {
    expect(
      ['2026-11-23', '2026-12-31', '2027-01-03', '2027-01-04'].map((text) => formatWeekLabel(parseDay(text))),
    ).toEqual(['Week 48', 'Week 53', 'Week 53', 'Week 1']);
  });

  test('a week is named by its days', () => {
    expect(['2026-11-21', '2026-12-06', '2027-01-01'].map((text) => formatWeekRange(parseDay(text)))).toEqual([
      '16 to 22 Nov',
      '30 Nov to 6 Dec',
      '28 Dec 2026 to 3 Jan 2027',
    ]);
  });

  test('last week, this week and the next four are shown', () => {
    expect(listWeeksAround(parseDay('2026-11-21'), { before: 1, after: 4 }).map(toIso)).toEqual([
      '2026-11-09',
      '2026-11-16',
      '2026-11-23',
      '2026-11-30',
      '2026-12-07',
      '2026-12-14',
    ]);
  });

  test('weeks are consecutive, from any day of the first', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 0, max: 12 }), (any, count) => {
        const weeks = listWeeksFrom(any, count);
        expect(weeks).toEqual(listWeeksFrom(getMonday(any), count));
        weeks.forEach((monday, index) => expect(monday - (weeks[0] ?? 0)).toBe(index * 7));
        if (any > FIRST_DAY + 7 && any < LAST_DAY - 100) expect(weeks.length).toBe(count);
      }),
    );
  });

  test('at the ends of the calendar, only complete weeks are shown', () => {
    expect(listWeeksFrom(LAST_DAY, 3)).toEqual([]);
    expect(listWeeksAround(FIRST_DAY, { before: 3, after: 0 }).map(toIso)).toEqual(['0001-01-01']);
    expect(listWeeksFrom(0, -1)).toEqual([]);
  });
});
