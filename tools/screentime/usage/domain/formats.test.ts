import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getWeekday } from './days.ts';
import {
  formatDayLabel,
  formatDayTick,
  formatInteger,
  formatDuration,
  formatLastUsed,
  type LocalMoment,
  computeChange,
  toPercent,
} from './formats.ts';

const formatsAsEnglish = (integer: number): boolean =>
  formatInteger(integer) === new Intl.NumberFormat('en').format(integer);

test('durations are formatted for people', () => {
  const written: readonly (readonly [number, string])[] = [
    [0, '0m'],
    [0.9, '0m'],
    [-5, '0m'],
    [42, '42s'],
    [60, '1m'],
    [3599, '59m'],
    [3600, '1h 00m'],
    [7800, '2h 10m'],
    [1204 * 3600 + 605, '1,204h 10m'],
  ];
  for (const [seconds, words] of written) expect(formatDuration(seconds)).toBe(words);
  fc.assert(fc.property(fc.nat(), formatsAsEnglish));
});

test('a change has a percentage, and a text without its sign', () => {
  expect(computeChange(88, 100)).toEqual({ percent: -12, text: 'less than before' });
  expect(computeChange(250, 100)).toEqual({ percent: 150, text: 'more than before' });
  expect(computeChange(100.1, 100)).toEqual({ percent: 0, text: 'the same as before' });
  expect(computeChange(0, 0)).toEqual({ percent: 0, text: 'the same as before' });
  expect(computeChange(5, 0)).toEqual({ percent: 0, text: 'nothing to compare with' });
  expect(computeChange(0, 7)).toEqual({ percent: -100, text: 'less than before' });
  expect([toPercent(1, 3), toPercent(0, 0), toPercent(7, 7)]).toEqual([33.3, 0, 100]);
});

test('the last use is formatted shorter the more recent it is', () => {
  const now: LocalMoment = { day: 20_778, year: 2026, month: 11, date: 21, minutes: 900 };
  const ago = (days: number, rest: Partial<LocalMoment> = {}): string =>
    formatLastUsed({ ...now, day: now.day - days, minutes: 852, ...rest }, now);
  expect(ago(0)).toBe('Today, 14:12');
  expect(ago(1)).toBe('Yesterday, 14:12');
  expect(ago(2)).toBe('Thursday, 14:12');
  expect(ago(6)).toBe('Sunday, 14:12');
  expect(ago(18, { date: 3, minutes: 485 })).toBe('3 November, 08:05');
  expect(ago(400, { date: 31, month: 12, year: 2025, minutes: 1439 })).toBe('31 December 2025, 23:59');
  expect(formatLastUsed(undefined, now)).toBe('Never');
});

test('weekdays are those of the calendar, also before 1970', () => {
  const names = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];
  for (const [index, name] of names.entries())
    for (const week of [-1500, -1, 0, 1, 2968]) expect(getWeekday(week * 7 + index).name).toBe(name);
});

test('days have short names on an axis and full names beside the cursor', () => {
  expect(formatDayTick('2026-11-01', false)).toBe('1 Nov');
  expect(formatDayTick('2026-11-21', true)).toBe('21 Nov 26');
  expect(formatDayLabel('2026-11-11')).toBe('Wed 11 Nov 2026');
  expect(formatDayLabel('2024-02-29')).toBe('Thu 29 Feb 2024');
});
