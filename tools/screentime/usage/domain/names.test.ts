import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsetMinutes, offsetZone } from '../../reading/server/requestClock.ts';
import { recordedName, wireName } from './usageReport.ts';

test('a program called total differs from all together, and no wire name is special as an object key', () => {
  expect(wireName('firefox')).toBe('firefox');
  expect(wireName('total')).toBe('total (app)');
  expect(wireName('total (app)')).toBe('total (app) (app)');
  expect(recordedName('total')).toBeUndefined();
  expect(recordedName('__proto__')).toBe('__proto__');
  const name = fc.oneof(fc.string(), fc.stringMatching(/^(total|__proto__)( \(app\))*$/));
  fc.assert(fc.property(name, (recorded) => recordedName(wireName(recorded)) === recorded));
  fc.assert(fc.property(name, (recorded) => !['total', '__proto__'].includes(wireName(recorded))));
});

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
