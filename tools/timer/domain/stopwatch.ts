import type { Milliseconds } from './countdown.ts';

/** Counts up. Like the countdown it has no clock of its own. */
export interface Stopwatch {
  /** What had run by `since`, or has run while paused. */
  readonly ran: Milliseconds;
  /** The moment `ran` was true; absent while paused. */
  readonly since?: Milliseconds;
  /** What the stopwatch showed at the end of each lap, the first lap first. */
  readonly laps: readonly Milliseconds[];
}

/** More laps than these are not taken. */
export const MAX_LAPS = 1000;

export const NEW_STOPWATCH: Stopwatch = { ran: 0, laps: [] };

/** What the stopwatch shows. A clock put back behind `since` takes nothing away. */
export function ranAt({ ran, since }: Stopwatch, now: Milliseconds): Milliseconds {
  return since === undefined ? ran : ran + Math.max(0, Math.round(now) - since);
}

export function startStopwatch(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? { ...stopwatch, since: Math.round(now) } : stopwatch;
}

export function pauseStopwatch(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? stopwatch : { ran: ranAt(stopwatch, now), laps: stopwatch.laps };
}

/** Nothing has run and there are no laps; what runs goes on running, as with the timer. */
export function resetStopwatch(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? NEW_STOPWATCH : startStopwatch(NEW_STOPWATCH, now);
}

/** Ends the lap and begins the next. While paused there is no lap to end, beyond `MOST_LAPS` no room for one. */
export function lap(stopwatch: Stopwatch, now: Milliseconds): Stopwatch {
  return stopwatch.since === undefined || stopwatch.laps.length >= MAX_LAPS
    ? stopwatch
    : { ...stopwatch, laps: [...stopwatch.laps, Math.max(stopwatch.laps.at(-1) ?? 0, ranAt(stopwatch, now))] };
}

export interface Lap {
  /** 1 is the first. */
  readonly number: number;
  readonly took: Milliseconds;
  /** What the stopwatch showed at its end. */
  readonly total: Milliseconds;
}

/** The laps that have ended, the latest first. */
export function lapsOf({ laps }: Stopwatch): readonly Lap[] {
  return laps.map((total, index) => ({ number: index + 1, took: total - (laps[index - 1] ?? 0), total })).toReversed();
}

/** What the lap that has not ended has taken. */
export function lapAt(stopwatch: Stopwatch, now: Milliseconds): Milliseconds {
  return Math.max(0, ranAt(stopwatch, now) - (stopwatch.laps.at(-1) ?? 0));
}

/** The same stopwatch by a clock that was put forward (or, below 0, back) by so much. */
export function movedStopwatch(stopwatch: Stopwatch, by: Milliseconds): Stopwatch {
  return stopwatch.since === undefined ? stopwatch : { ...stopwatch, since: stopwatch.since + Math.round(by) };
}
