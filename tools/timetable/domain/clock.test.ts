import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseClock, toClock } from './clock.ts';
import { END_OF_DAY } from './slot.ts';

const anyMinute = fc.integer({ min: 0, max: END_OF_DAY });

describe('times of a day', () => {
  test('what is written is read again, and written alike', () => {
    fc.assert(
      fc.property(anyMinute, (minute) => {
        expect(toClock(minute)).toMatch(/^\d\d:\d\d$/);
        expect(parseClock(toClock(minute))).toBe(minute);
        expect(parseClock(` ${toClock(minute).replace(':', '')} `)).toBe(minute);
        expect(parseClock(toClock(minute).replace(':', '.'))).toBe(minute);
      }),
    );
  });

  test('texts stand in the order of the times', () => {
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
  ])('%s is %s', (text, time) => {
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
    'noon',
    'NaN',
    '９:３０',
    '٩:٣٠',
    `${' '.repeat(50)}9`,
  ])('"%s" is no time', (text) => {
    expect(parseClock(text)).toBeUndefined();
  });

  test('any text is a whole minute of the day or none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9:.,hapm -]{0,12}$/)), (text) => {
        const minute = parseClock(text);
        expect(minute === undefined || (Number.isInteger(minute) && minute >= 0 && minute <= END_OF_DAY)).toBe(true);
      }),
    );
  });
});
