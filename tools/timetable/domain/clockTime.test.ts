import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseClock, parseEndClock, toClock } from './clockTime.ts';
import { END_OF_DAY } from './slot.ts';

const anyMinute = fc.integer({ min: 0, max: END_OF_DAY });

describe('times of a day', () => {
  test('formatted times are parsed back to the same time', () => {
    fc.assert(
      fc.property(anyMinute, (minute) => {
        expect(toClock(minute)).toMatch(/^\d\d:\d\d$/);
        expect(parseClock(toClock(minute))).toBe(minute);
        expect(parseClock(` ${toClock(minute).replace(':', '')} `)).toBe(minute);
        expect(parseClock(toClock(minute).replace(':', '.'))).toBe(minute);
      }),
    );
  });

  test('formatted times sort in the order of the times', () => {
    fc.assert(
      fc.property(anyMinute, anyMinute, (a, b) => {
        expect(toClock(a) < toClock(b)).toBe(a < b);
      }),
    );
  });

  test.each([
    ['9:5', '09:05'],
    ['9.30', '09:30'],
    ['9,30', '09:30'],
    ['0930', '09:30'],
    ['930', '09:30'],
    ['9', '09:00'],
    ['09', '09:00'],
    ['9h', '09:00'],
    ['9h30', '09:30'],
    ['9 : 30', '09:30'],
    ['0', '00:00'],
    ['00:00', '00:00'],
    ['24', '24:00'],
    ['24:00', '24:00'],
    ['2400', '24:00'],
    ['9pm', '21:00'],
    ['9:30 PM', '21:30'],
    ['12 am', '00:00'],
    ['12:15 p.m.', '12:15'],
    ['9p', '21:00'],
    ['9:30a', '09:30'],
    ['9 p. m.', '21:00'],
    ['half past nine', '09:30'],
    ['half 9', '09:30'],
    ['halb 10', '09:30'],
    ['quarter to 10', '09:45'],
    ['a quarter past 9 pm', '21:15'],
    ['quarter to 12 pm', '11:45'],
    ['quarter to 12 am', '23:45'],
    ['quarter to twelve am', '23:45'],
    ['quarter to 12', '11:45'],
    ['quarter to 1', '12:45'],
    ['quarter to 1 am', '00:45'],
    ['quarter to 1 pm', '12:45'],
    ['quarter to 0', '23:45'],
    ['quarter to 24', '23:45'],
    ['quarter to noon', '11:45'],
    ['quarter to midnight', '23:45'],
    ['half past midnight', '00:30'],
    ['half past 12 am', '00:30'],
    ['half past 12 pm', '12:30'],
    ['quarter past 12 am', '00:15'],
    ['quarter past 12 pm', '12:15'],
    ['halb 1', '12:30'],
    ['halb 12 Uhr', '11:30'],
    ['12 at night', '00:00'],
    ['12:30 at night', '00:30'],
    ['1230 at night', '00:30'],
    ['1 at night', '01:00'],
    ['2 at night', '02:00'],
    ['half past two at night', '02:30'],
    ['quarter to 12 at night', '23:45'],
    ['quarter to 1 at night', '00:45'],
    ['9 at night', '21:00'],
    ['9:12 at night', '21:12'],
    ['11 at night', '23:00'],
    ['eleven at night', '23:00'],
    ['23 at night', '23:00'],
    ['half past 11 at night', '23:30'],
    ['12 in the afternoon', '12:00'],
    ['12 in the evening', '00:00'],
    ['12 in the morning', '00:00'],
    ['nine', '09:00'],
    ['nine pm', '21:00'],
    ['7 in the evening', '19:00'],
    ['9 in the morning', '09:00'],
    ['9 30', '09:30'],
    ['9;30', '09:30'],
    ['@9', '09:00'],
    ['noon', '12:00'],
    ['12 noon', '12:00'],
    ['Midday', '12:00'],
    ['midnight', '00:00'],
    ['12 midnight', '00:00'],
    ['9 uhr', '09:00'],
    ['9 Uhr 30', '09:30'],
    ['9:30 Uhr', '09:30'],
    ['9.30 h', '09:30'],
    ['0930 hrs', '09:30'],
    ["9 o'clock", '09:00'],
    ['9 o’clock', '09:00'],
    ['at 9:30', '09:30'],
    ['um 9', '09:00'],
    ['9：30', '09:30'],
    ['９:３０', '09:30'],
    ['9∶30', '09:30'],
  ])('%s is parsed as %s', (text, time) => {
    expect(toClock(parseClock(text) ?? NaN)).toBe(time);
  });

  test.each([
    '',
    ' ',
    ':',
    '9:',
    ':30',
    '9:60',
    '24:01',
    '25:00',
    '2401',
    '99',
    '-1',
    '-9:30',
    '9:-5',
    '9:5:5',
    '09:30:00',
    '1e9',
    '1e2',
    '0x10',
    '12345',
    '1000000000',
    '9.5h',
    '13pm',
    '0am',
    'pm',
    'NaN',
    'p',
    'noonish',
    '9 uhr 60',
    'constructor',
    '٩:٣٠',
    `${' '.repeat(50)}9`,
  ])('"%s" is not a time', (text) => {
    expect(parseClock(text)).toBeUndefined();
  });

  test('midnight as an end is the end of the day', () => {
    expect(parseEndClock('midnight')).toBe(END_OF_DAY);
    expect(parseEndClock('noon')).toBe(720);
  });

  test('any text is a whole minute of the day or invalid', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9:.,hapm -]{0,12}$/)), (text) => {
        const minute = parseClock(text);
        expect(minute === undefined || (Number.isInteger(minute) && minute >= 0 && minute <= END_OF_DAY)).toBe(true);
      }),
    );
  });
});
