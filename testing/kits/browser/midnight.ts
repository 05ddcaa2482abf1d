import { beforeEach } from 'vitest';

/** Longer than a page test takes on a busy machine. */
const MAX_TEST_MS = 90_000;

/**
 * For tests that count days from today:
 * if midnight is near, they wait for it, so that the date does not change during a test.
 */
export function avoidMidnight(zone = 'UTC'): void {
  return beforeEach(async () => {
    const now = Temporal.Now.zonedDateTimeISO(zone);
    const left = now.startOfDay().add({ days: 1 }).epochMilliseconds - now.epochMilliseconds;
    if (left < MAX_TEST_MS) await new Promise((done) => setTimeout(done, left + 1000));
  }, 2 * MAX_TEST_MS);
}
