import { expect, test } from 'vitest';
import { offsetMinutes, offsetZone } from './requestClock.ts';

const zoneOf = (hours: string): string | undefined => {
  const minutes = offsetMinutes(hours);
  return minutes === undefined ? undefined : offsetZone(minutes);
};

test('an offset is hours east with fractions, rounded to quarters', () => {
  expect(zoneOf('1')).toBe('+01:00');
  expect(zoneOf('-3.5')).toBe('-03:30');
  expect(zoneOf('5.75')).toBe('+05:45');
  expect(zoneOf('5.8')).toBe('+05:45');
  expect(zoneOf('+13')).toBe('+13:00');
  expect(zoneOf('0')).toBe('+00:00');
  for (const none of ['', ' ', 'east', '19', '-19', 'NaN', 'Infinity', '1,5']) expect(zoneOf(none)).toBeUndefined();
});
