import { beforeEach } from 'vitest';

/** Longer than a test of pages takes on a busy machine. */
const MAX_TEST_MS = 90_000;

/** For files whose tests count days from today: one that begins just before midnight waits for it, or its days would be others half way. */
export function avoidMidnight(zone = 'UTC'): void {
  return beforeEach(async () => {
    const now = Temporal.Now.zonedDateTimeISO(zone);
    const left = now.startOfDay().add({ days: 1 }).epochMilliseconds - now.epochMilliseconds;
    if (left < MAX_TEST_MS) await new Promise((done) => setTimeout(done, left + 1000));
  }, 2 * MAX_TEST_MS);
}
