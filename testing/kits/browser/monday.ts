/** Monday, 23-11-2026, 12:00 UTC, in ms. */
export const MONDAY_NOON_MS = Date.parse('2026-11-23T12:00:00Z');

const began = performance.now();

/** For `now` of a test's server: it is that noon as the test begins, whatever day it is. */
export function nowOnMonday(): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(MONDAY_NOON_MS + Math.round(performance.now() - began));
}
