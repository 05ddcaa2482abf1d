import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_DAY, LAST_DAY, toCivilDate, toDay, getMonday } from '#platform/contract/day.ts';
import { formatDay, formatInterval, formatShortDate } from './dateNames.ts';
import { parseDay, getWeekday } from './day.ts';
import {
  findDayByKey,
  formatDayLabel,
  isSupportedDay,
  clampDay,
  formatRemainingDays,
  formatMonthLabel,
  getMonth,
  stepMonths,
  listWeekDays,
  formatWeekLabel,
  listWeeks,
} from './monthGrid.ts';

const parse = (iso: string): number => parseDay(iso) ?? Number.NaN;
const anyDay = fc.integer({ min: FIRST_DAY, max: LAST_DAY });

describe('the weeks of a month', () => {
  test('contain all of its days once, from Monday to Sunday, in four to six weeks', () => {
    fc.assert(
      fc.property(anyDay, (some) => {
        const month = getMonth(some);
        const weeks = listWeeks(month);
        const days = weeks.flatMap(listWeekDays);
        expect(weeks.length).toBeGreaterThanOrEqual(4);
        expect(days.length).toBeLessThanOrEqual(42);
        expect(days.map((each, at) => each - at)).toEqual(days.map(() => days[0]));
        expect(weeks.every((monday) => getWeekday(monday) === 1)).toBe(true);
        expect(days).toContain(some);
        for (const monday of weeks) expect(listWeekDays(monday).some((each) => getMonth(each) === month)).toBe(true);
      }),
    );
  });

  test('match a printed calendar', () => {
    expect(listWeeks(getMonth(parse('2026-11-21')))).toEqual(
      ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23', '2026-11-30'].map(parse),
    );
    expect(listWeeks(getMonth(parse('2027-02-01')))).toHaveLength(4);
  });

  test('of the first and the last supported month exist', () => {
    expect(listWeeks(getMonth(FIRST_DAY))[0]).toBe(FIRST_DAY);
    const last = listWeeks(getMonth(LAST_DAY)).flatMap(listWeekDays);
    expect(last.filter((each) => !isSupportedDay(each))).toHaveLength(2);
    expect(stepMonths(FIRST_DAY, -1)).toBe(FIRST_DAY);
    expect(stepMonths(LAST_DAY, 1)).toBe(LAST_DAY);
  });
});

describe('keys in a grid of days', () => {
  test('move by days, weeks and months, and to the ends of the week', () => {
    const from = parse('2026-01-31');
    const to = (key: string, page: 'month' | 'week' = 'month') => findDayByKey(from, key, page);
    expect(to('ArrowLeft')).toBe(from - 1);
    expect(to('ArrowRight')).toBe(from + 1);
    expect(to('ArrowUp')).toBe(from - 7);
    expect(to('ArrowDown')).toBe(from + 7);
    expect(to('Home')).toBe(getMonday(from));
    expect(to('End')).toBe(getMonday(from) + 6);
    expect(to('PageUp')).toBe(parse('2025-12-31'));
    expect(to('PageDown')).toBe(parse('2026-02-28'));
    expect(to('PageDown', 'week')).toBe(from + 7);
    expect(to('Enter')).toBeUndefined();
    expect(to('toString')).toBeUndefined();
  });

  test('never leave the supported days', () => {
    const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];
    fc.assert(
      fc.property(fc.constantFrom(FIRST_DAY, LAST_DAY, LAST_DAY - 3), fc.constantFrom(...keys), (from, key) => {
        const to = findDayByKey(from, key, 'month');
        expect(to !== undefined && isSupportedDay(to)).toBe(true);
      }),
    );
    expect(clampDay(LAST_DAY + 9)).toBe(LAST_DAY);
  });

  test('PageDown keeps the date, or goes to the last day of a shorter month', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -30, max: 30 }), (from, months) => {
        const to = stepMonths(from, months);
        expect(isSupportedDay(to)).toBe(true);
        if (getMonth(from) + months === getMonth(to))
          expect(toCivilDate(to).date === toCivilDate(from).date || toCivilDate(to + 1).date === 1).toBe(true);
      }),
    );
  });
});

test('days, weeks and months have names', () => {
  const today = parse('2026-11-21');
  expect(formatDay(today)).toBe('Saturday 21 November');
  expect(formatShortDate(today)).toBe('21 Nov');
  expect(formatMonthLabel(getMonth(today))).toBe('November 2026');
  expect(formatDayLabel(today, { events: 3, today })).toBe('Saturday 21 November, 3 events, today');
  expect(formatDayLabel(today + 1, { events: 1, today })).toBe('Sunday 22 November, 1 event');
  expect(formatDayLabel(parse('2027-01-01'), { events: 0, today })).toBe('Friday 1 January 2027, no events');
  expect(formatWeekLabel(parse('2026-11-16'))).toBe('16 to 22 November 2026, week 47');
  expect(formatWeekLabel(parse('2026-11-30'))).toBe('30 November to 6 December 2026, week 49');
  expect(formatWeekLabel(parse('2026-12-28'))).toBe('28 December 2026 to 3 January 2027, week 53');
  expect(formatWeekLabel(getMonday(LAST_DAY))).toBe('27 to 31 December 9999, week 52');
  expect(formatMonthLabel(getMonth(toDay({ year: 1, month: 1, date: 1 })))).toBe('January 1');
});

test('repeats and the rest of a duration are described briefly', () => {
  expect(formatInterval(1, 'week')).toBe('every week');
  expect(formatInterval(7, 'week')).toBe('every 7 weeks');
  expect(formatRemainingDays(10, 20)).toBe('10 days left');
  expect(formatRemainingDays(20, 20)).toBe('last day');
});
