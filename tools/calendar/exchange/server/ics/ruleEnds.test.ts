import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { padTwo } from '#platform/contract/text.ts';
import { formatIcsDay } from '../../domain/icsText.ts';
import { readObject } from './readIcs.ts';

/** Returns the days of a rule that starts on Tuesday 1 December 2026. */
function listDays(time: string, ...lines: readonly string[]): readonly string[] {
  const event = ['BEGIN:VEVENT', 'UID:a', 'SUMMARY:A', `DTSTART:20261201T${time}`, ...lines, 'END:VEVENT'];
  const text = ['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR', ''].join('\r\n');
  const { pattern, day } = readObject(text, { zone: 'Europe/Berlin' }).events[0]?.draft ?? {};
  if (pattern?.kind === 'foreign') return pattern.days.map(formatIcsDay);
  return day === undefined ? [] : [formatIcsDay(day)];
}
const formatDecemberDays = (...dates: readonly number[]): readonly string[] =>
  dates.map((date) => `202612${padTwo(date)}`);

test.each([
  ['090000', 'FREQ=DAILY;BYHOUR=9,17;COUNT=4', [1, 2]],
  ['090000', 'FREQ=DAILY;BYHOUR=9,17;COUNT=5', [1, 2, 3]],
  ['170000', 'FREQ=DAILY;BYHOUR=9,17;COUNT=4', [1, 2]],
  ['170000', 'FREQ=DAILY;BYHOUR=9,17;COUNT=5', [1, 2, 3]],
  ['170000', 'FREQ=DAILY;BYHOUR=9,17;COUNT=2', [1]],
  ['090000', 'FREQ=DAILY;BYHOUR=9,12;BYMINUTE=0,30;COUNT=9', [1, 2, 3]],
  ['090000', 'FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=17,9;COUNT=6', [1, 3, 8]],
  ['090000', 'FREQ=DAILY;BYMINUTE=0,20,40;COUNT=7', [1, 2, 3]],
  // The start is on no day of the rule.
  ['090000', 'FREQ=WEEKLY;BYDAY=TH;BYHOUR=9,17;COUNT=4', [1, 3, 10]],
] as const)('a rule of several times counts each of them: %s %s', (time, rule, dates) => {
  expect(listDays(time, `RRULE:${rule}`)).toEqual(formatDecemberDays(...dates));
});

test('a COUNT of times of day ends where the times are counted', () => {
  const hours = fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 2, maxLength: 5 });
  const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(hours, minutes, fc.nat(14), fc.integer({ min: 1, max: 40 }), (byHour, byMinute, own, count) => {
      const times = byHour.flatMap((hour) => byMinute.map((minute) => `${padTwo(hour)}${padTwo(minute)}00`)).toSorted();
      const start = times[own % times.length] ?? '';
      const all = Array.from({ length: 41 }, (_, day) => times.map((time) => ({ date: day + 1, time }))).flat();
      const counted = all.slice(times.indexOf(start)).slice(0, count);
      const dates = counted.filter(({ time }) => time === start).map(({ date }) => date);
      const rule = `RRULE:FREQ=DAILY;BYHOUR=${byHour.join()};BYMINUTE=${byMinute.join()};COUNT=${count}`;
      expect(listDays(start, rule)).toHaveLength(dates.length);
    }),
  );
});

test('a rule of exceptions counts its times of day too', () => {
  const days = listDays('090000', 'RRULE:FREQ=DAILY;COUNT=5', 'EXRULE:FREQ=DAILY;BYHOUR=9,17;COUNT=4');
  expect(days).toEqual(formatDecemberDays(3, 4, 5));
});

const list = (length: number): string => Array.from({ length }, (_, at) => at).join();

test('a file with a rule of every second is read without delay', () => {
  const times = `BYHOUR=${list(24)};BYMINUTE=${list(60)};BYSECOND=${list(60)}`;
  expect(listDays('000000', `RRULE:FREQ=DAILY;${times};COUNT=86401`)).toEqual(formatDecemberDays(1, 2));
});
