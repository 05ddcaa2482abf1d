/**
 * The time the timers go by, out of a browser's two clocks. The steady one never jumps but may stand still while the
 * computer sleeps; the wall's goes on but can be set by hand. So the steady one counts, and a leap of the wall's is
 * taken as sleep where it is forward and no longer than a sleep may be.
 */

export interface ClockReading {
  /** Milliseconds of the clock that only goes forward (`performance.now()`). */
  readonly steady: number;
  /** Milliseconds since 1970 by the computer's clock (`Date.now()`). */
  readonly wall: number;
}

export interface Clock {
  /** What to add to the steady clock. */
  readonly base: number;
  /** How far the wall's clock was ahead of the steady one at the last reading. */
  readonly ahead: number;
}

/** Below this the two clocks differ by rounding and by the wall's being set right over the network. */
export const MIN_SLEEP_MS = 2000;
/** Beyond this somebody has set the clock: 31 days. */
export const MAX_SLEEP_MS = 31 * 24 * 3_600_000;

export function newClock({ steady, wall }: ClockReading): Clock {
  return { base: wall - steady, ahead: wall - steady };
}

/** The clock after another reading: the same one, but for sleep. */
export function read(clock: Clock, { steady, wall }: ClockReading): Clock {
  const ahead = wall - steady;
  const leap = ahead - clock.ahead;
  return { base: leap > MIN_SLEEP_MS && leap <= MAX_SLEEP_MS ? clock.base + leap : clock.base, ahead };
}

/** Milliseconds since 1970 by the timers' own time: it never goes back. */
export function timeOf(clock: Clock, { steady }: Pick<ClockReading, 'steady'>): number {
  return clock.base + steady;
}
