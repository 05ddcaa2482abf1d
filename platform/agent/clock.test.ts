import { afterEach, expect, test, vi } from 'vitest';
import { createServerClock } from './serverLink.ts';

afterEach(() => void vi.useRealTimers());

test('the fastest of five rounds counts', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000 });
  const roundTripsMs = [400, 20, 300, 90, 200];
  let requestCount = 0;
  const clock = createServerClock(async () => {
    const roundTripMs = roundTripsMs[requestCount] ?? 0;
    requestCount += 1;
    // The request is fast, the answer is slow.
    const server = Date.now() + 5000;
    vi.advanceTimersByTime(roundTripMs);
    return server;
  });
  expect((await clock.now()) - Date.now()).toBe(5000 - 20 / 2);
  expect(requestCount).toBe(5);
  await clock.now();
  expect(requestCount).toBe(5);
});

test('the clock is measured again after the computer has slept', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000 });
  let offset = 0;
  const clock = createServerClock(async () => Date.now() + offset);
  await clock.now();
  offset = 3600_000;
  expect((await clock.now()) - Date.now()).toBe(0);
  vi.setSystemTime(Date.now() - 3600_000); // the wall clock and the monotonic clock now differ
  expect((await clock.now()) - Date.now()).toBe(3600_000);
});

test('a failed measurement is retried the next time', async () => {
  let isUnreachable = true;
  const clock = createServerClock(async () => {
    if (isUnreachable) throw new Error('away');
    return Date.now();
  });
  await expect(clock.now()).rejects.toThrow('away');
  isUnreachable = false;
  await expect(clock.now()).resolves.toBeTypeOf('number');
});
