import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getDateBefore, getToday } from './usageClock.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('earlier days are computed as by Temporal, over months, years and clock changes', () => {
  for (const now of [
    '2026-01-01T00:30:00',
    '2026-03-29T23:30:00',
    '2026-03-30T00:30:00',
    '2024-03-01T12:00:00',
    '2026-10-25T02:30:00',
  ]) {
    vi.setSystemTime(new Date(now));
    const date = Temporal.PlainDate.from(now);
    expect(getToday()).toBe(date.toString());
    for (const days of [1, 6, 31, 365]) expect(getDateBefore(days)).toBe(date.subtract({ days }).toString());
  }
});
