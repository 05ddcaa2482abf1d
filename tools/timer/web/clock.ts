import { DAY_MS } from '#platform/contract/duration.ts';

/**
 * The timers' clock, made of a browser's two clocks. The steady one never jumps, but can stop during sleep; the wall
 * clock continues, but can be set. So the steady clock counts, and a plausible jump of the wall clock counts as sleep.
 */

export interface ClockReading {
  /** Milliseconds of the monotonic clock (`performance.now()`). */
  readonly steady: number;
  /** Milliseconds since 1970 of the computer's clock (`Date.now()`). */
  readonly wall: number;
}

export interface Clock {
  /** Offset that is added to the steady clock. */
  readonly base: number;
  /** How far the wall clock was ahead of the steady one at the last reading. */
  readonly ahead: number;
}

/** Smaller differences come from rounding and from time synchronization. */
export const MIN_SLEEP_MS = 2000;
/** Longest jump of the computer's clock that counts as sleep; after a larger one a user set the clock. */
export const MAX_SLEEP_MS = 31 * DAY_MS;

/** Creates a clock that starts at the time of the wall clock. */
export function createClock({ steady, wall }: ClockReading): Clock {
  return { base: wall - steady, ahead: wall - steady };
}

/** Updates the clock with another reading. It only changes after sleep. */
export function updateClock(clock: Clock, { steady, wall }: ClockReading): Clock {
  const ahead = wall - steady;
  const jump = ahead - clock.ahead;
  return { base: jump > MIN_SLEEP_MS && jump <= MAX_SLEEP_MS ? clock.base + jump : clock.base, ahead };
}

/** Returns milliseconds since 1970 on the timers' own clock. It never goes back. */
export function getTime(clock: Clock, { steady }: Pick<ClockReading, 'steady'>): number {
  return clock.base + steady;
}
