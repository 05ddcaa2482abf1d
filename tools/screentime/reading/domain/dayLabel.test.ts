import { expect, test } from 'vitest';
import { dayLabel, dayTick } from '../../usage/domain/formats.ts';

test('days have short names on an axis and full names beside the cursor', () => {
  expect(dayTick('2026-11-01', false)).toBe('1 Nov');
  expect(dayTick('2026-11-21', true)).toBe('21 Nov 26');
  expect(dayLabel('2026-11-11')).toBe('Wed 11 Nov 2026');
  expect(dayLabel('2024-02-29')).toBe('Thu 29 Feb 2024');
});
