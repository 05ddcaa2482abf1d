import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { getDayClock } from './dayClock.ts';

const before = process.env['TZ'];
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin';
});
afterAll(() => {
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

test('on a day of 24 hours noon is at 50 percent, and rounded percentages become full seconds again', () => {
  const { length, toPercent, formatTimeAt } = getDayClock('2026-11-21');
  expect(length).toBe(24 * HOUR_MS);
  expect([toPercent(0), toPercent(720), toPercent(1440)]).toEqual([0, 50, 100]);
  expect([formatTimeAt(50), formatTimeAt(33.3333), formatTimeAt(100)]).toEqual(['12:00', '08:00', '24:00']);
});

test('on days of 23 or 25 hours, noon moves', () => {
  const spring = getDayClock('2026-03-29');
  expect(spring.length).toBe(23 * HOUR_MS);
  expect(spring.toPercent(720)).toBeCloseTo((11 / 23) * 100, 9);
  expect(spring.formatTimeAt((2 / 23) * 100)).toBe('03:00');
  const autumn = getDayClock('2026-10-25');
  expect(autumn.length).toBe(25 * HOUR_MS);
  expect(autumn.toPercent(720)).toBeCloseTo((13 / 25) * 100, 9);
  // Two o'clock occurs twice.
  expect([autumn.formatTimeAt((2 / 25) * 100), autumn.formatTimeAt((3 / 25) * 100)]).toEqual(['02:00', '02:00']);
});
