import type { Milliseconds } from './countdown.ts';

/** Counts up. Like the countdown, it has no clock. */
export interface Stopwatch {
  /** Elapsed time at `since`, or while paused. */
  readonly ran: Milliseconds;
  /** The moment to which `ran` refers; absent while paused. */
  readonly since?: Milliseconds;
  /** Elapsed time at the end of each lap, the first lap first. */
  readonly laps: readonly Milliseconds[];
}

/** Further laps are ignored. */
export const MAX_LAPS = 1000;

export const NEW_STOPWATCH: Stopwatch = { ran: 0, laps: [] };

/** Returns the elapsed time. A clock that is set back doesn't reduce it. */
export function getElapsed({ ran, since }: Stopwatch, now: Milliseconds): Milliseconds {
  return since === undefined ? ran : ran + Math.max(0, Math.round(now) - since);
}

export function startStopwatch(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? { ...stopwatch, since: Math.round(now) } : stopwatch;
}

export function pauseStopwatch(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? stopwatch : { ran: getElapsed(stopwatch, now), laps: stopwatch.laps };
}

/** Removes time and laps. A running stopwatch keeps running, like the timer. */
export function resetStopwatch(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? NEW_STOPWATCH : startStopwatch(NEW_STOPWATCH, now);
}

/** Ends the current lap. Does nothing while paused, or after `MAX_LAPS` laps. */
export function addLap(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined || stopwatch.laps.length >= MAX_LAPS
    ? stopwatch
    : { ...stopwatch, laps: [...stopwatch.laps, Math.max(stopwatch.laps.at(-1) ?? 0, getElapsed(stopwatch, now))] };
}

export interface Lap {
  /** Counts from 1. */
  readonly number: number;
  readonly duration: Milliseconds;
  /** Elapsed time at the end of the lap. */
  readonly total: Milliseconds;
}

/** Returns the laps that have ended, latest first. */
export function listLaps({ laps }: Stopwatch): readonly Lap[] {
  return laps
    .map((total, index) => ({ number: index + 1, duration: total - (laps[index - 1] ?? 0), total }))
    .toReversed();
}

export function getCurrentLapDuration(stopwatch: Stopwatch, now: Milliseconds): Milliseconds {
  return Math.max(0, getElapsed(stopwatch, now) - (stopwatch.laps.at(-1) ?? 0));
}

/** Returns the same stopwatch for a clock that is ahead by `by` milliseconds (behind, if negative). */
export function shiftStopwatch(stopwatch: Stopwatch, by: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? stopwatch : { ...stopwatch, since: stopwatch.since + Math.round(by) };
}
