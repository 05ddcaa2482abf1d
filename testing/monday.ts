/** Monday, 23-11-2026, 12:00 UTC, in ms. */
export const NOON = Date.parse('2026-11-23T12:00:00Z');

const began = performance.now();

/** For `now` of a test's server: it is that noon as the test begins, whatever day it is. */
export const onMonday = (): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(NOON + Math.round(performance.now() - began));
