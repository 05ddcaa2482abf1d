/** Monday, 23-11-2026, 12:00 UTC, in epoch milliseconds. */
export const MONDAY_NOON_MS = Date.parse('2026-11-23T12:00:00Z');

const startedAt = performance.now();

/** `now` for a test server: starts at `MONDAY_NOON_MS` and runs on. */
export function nowOnMonday(): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(MONDAY_NOON_MS + Math.round(performance.now() - startedAt));
}
