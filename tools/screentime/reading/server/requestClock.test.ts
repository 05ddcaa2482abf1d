import { expect, test } from 'vitest';
import { parseOffset, formatOffsetZone } from './requestClock.ts';

function findZone(hours: string): string | undefined {
  const minutes = parseOffset(hours);
  return minutes === undefined ? undefined : formatOffsetZone(minutes);
}

test('an offset is hours east with fractions, rounded to quarters', () => {
  expect(findZone('1')).toBe('+01:00');
  expect(findZone('-3.5')).toBe('-03:30');
  expect(findZone('5.75')).toBe('+05:45');
  expect(findZone('5.8')).toBe('+05:45');
  expect(findZone('+13')).toBe('+13:00');
  expect(findZone('0')).toBe('+00:00');
  for (const none of ['', ' ', 'east', '19', '-19', 'NaN', 'Infinity', '1,5']) expect(findZone(none)).toBeUndefined();
});
