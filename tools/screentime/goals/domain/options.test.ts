import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  amountAs,
  amountLabel,
  DAYS,
  daysLabel,
  isAmount,
  isDays,
  OPENED_AMOUNTS,
  TIME_AMOUNTS,
  TIME_SPENT,
  TIMES_OPENED,
  USUAL_TIME,
  USUAL_TIMES,
} from './goal.ts';

test('times are 15, 20, 30, 40 and 45 minutes, 1 hour, and 2 to 3001 hours', () => {
  const labels = TIME_AMOUNTS.map((amount) => amountLabel(TIME_SPENT, amount));
  expect(labels.slice(0, 8)).toEqual([
    '15 minutes',
    '20 minutes',
    '30 minutes',
    '40 minutes',
    '45 minutes',
    '1 hour',
    '2 hours',
    '3 hours',
  ]);
  expect(labels.at(-1)).toBe('3001 hours');
  expect(labels).toHaveLength(3006);
  expect(new Set(labels).size).toBe(3006);
});

test('times opened are 1 to 201, days are today or the last 2 to 999', () => {
  const opened = OPENED_AMOUNTS.map((amount) => amountLabel(TIMES_OPENED, amount));
  expect([opened[0], opened[1], opened.at(-1), opened.length]).toEqual(['1 time', '2 times', '201 times', 201]);
  const days = DAYS.map(daysLabel);
  expect([days[0], days[1], days.at(-1), days.length]).toEqual(['Today', 'last 2 days', 'last 999 days', 999]);
});

test('changing the type resets only implausible amounts', () => {
  expect(amountAs(TIME_SPENT, 898)).toBe(USUAL_TIME);
  expect(amountAs(TIME_SPENT, 899)).toBe(899);
  expect(amountAs(TIMES_OPENED, 3600)).toBe(USUAL_TIMES);
  expect(amountAs(TIMES_OPENED, 3599)).toBe(3599);
  const amount = fc.nat({ max: 20_000_000 });
  const type = fc.constantFrom(TIME_SPENT, TIMES_OPENED);
  fc.assert(fc.property(type, amount, (to, from) => amountAs(to, amountAs(to, from)) === amountAs(to, from)));
  fc.assert(fc.property(type, fc.integer({ min: 900, max: 3599 }), (to, from) => amountAs(to, from) === from));
});

test('any other value is invalid', () => {
  for (const none of [0, -900, 1, 899, 901, 3599, 3602 * 3600, Number.NaN, 0.5])
    expect(isAmount(TIME_SPENT, none)).toBe(false);
  for (const none of [0, -1, 202, 1.5, Number.NaN]) expect(isAmount(TIMES_OPENED, none)).toBe(false);
  for (const none of [0, -1, 1000, 1.5, Number.NaN]) expect(isDays(none)).toBe(false);
  expect(TIME_AMOUNTS.every((amount) => isAmount(TIME_SPENT, amount))).toBe(true);
  expect(DAYS.every(isDays)).toBe(true);
});
