import { beforeEach } from 'vitest';

/** Longer than a page test takes, also on a busy machine. */
const MAX_TEST_MS = 90_000;

/** Makes tests wait until midnight has passed if it is near, so that the date does not change during a test. */
export function avoidMidnight(zone = 'UTC'): void {
  return beforeEach(async () => {
    const now = Temporal.Now.zonedDateTimeISO(zone);
    const msLeft = now.startOfDay().add({ days: 1 }).epochMilliseconds - now.epochMilliseconds;
    if (msLeft < MAX_TEST_MS) await new Promise((resolve) => setTimeout(resolve, msLeft + 1000));
  }, 2 * MAX_TEST_MS);
}
