import { END_OF_DAY, GRID_MINUTES, type Minute, type TimeSpan } from './slot.ts';

/** A clock change: forward (60) or back (-30) minutes, after `elapsed` minutes of the day. */
export interface ClockChange {
  readonly elapsed: number;
  readonly by: number;
}

/** A day as it passes in its time zone. If midnight is skipped, a clock change at 0 starts it later than 00:00. */
export interface LocalDay {
  /** Minutes from its start to the start of the next day. */
  readonly length: number;
  /** Clock changes of the day, earliest first. */
  readonly clockChanges: readonly ClockChange[];
}

export const PLAIN_DAY: LocalDay = { length: END_OF_DAY, clockChanges: [] };

/** Minutes of a day between two clock changes, and the clock at their start. */
interface ClockInterval {
  readonly from: number;
  readonly until: number;
  readonly clock: number;
}

function toClockIntervals({ length, clockChanges }: LocalDay): readonly ClockInterval[] {
  const intervals: ClockInterval[] = [];
  let from = 0;
  let clock = 0;
  for (const { elapsed, by } of clockChanges) {
    intervals.push({ from, until: elapsed, clock });
    clock += elapsed - from + by;
    from = elapsed;
  }
  return [...intervals, { from, until: length, clock }];
}

/**
 * Returns the first elapsed minute at which the clock shows this minute or a later one; the end of the day if none.
 * In a repeated hour, starts use the first occurrence, and ends after it include both.
 */
function toElapsed(minute: Minute, day: LocalDay): number {
  const interval = toClockIntervals(day).find(({ from, until, clock }) => minute < clock + until - from);
  return interval ? interval.from + Math.max(0, minute - interval.clock) : day.length;
}

/**
 * Converts elapsed minutes to a share of the day, 0 to 100. A day of length 0, which its zone skips, counts as plain.
 */
export function toElapsedShare(elapsed: number, { length }: LocalDay): number {
  return Math.max(0, Math.min(100, (elapsed / (length > 0 ? length : END_OF_DAY)) * 100));
}

/**
 * Converts a clock minute to a share of the day's real length, 0 to 100. Shares never decrease with the minute;
 * the minutes of a skipped hour all have the share of the clock change.
 */
export function toShare(minute: Minute, day: LocalDay): number {
  return toElapsedShare(day.length > 0 ? toElapsed(minute, day) : minute, day);
}

/**
 * Returns the start and end share of a slot.
 * A slot within a skipped hour gets a minimal height, so that it can be used.
 */
export function toShares({ start, end }: TimeSpan, day: LocalDay): { readonly start: number; readonly end: number } {
  const from = toShare(start, day);
  const until = toShare(end, day);
  if (until > from) return { start: from, end: until };
  const minHeight = toElapsedShare(GRID_MINUTES, day);
  const topShare = Math.min(from, 100 - minHeight);
  return { start: topShare, end: topShare + minHeight };
}

/** Converts a share of the day to a clock minute, after the clock change if it is at one. NaN counts as 0. */
export function toMinute(share: number, day: LocalDay): Minute {
  const fraction = Math.max(0, Math.min(100, Number.isNaN(share) ? 0 : share)) / 100;
  if (day.length <= 0) return Math.round(fraction * END_OF_DAY);
  // Floats can't represent all shares, so moments within a millionth of a minute of a clock change count as it.
  const elapsed = Math.round(fraction * day.length * 1e6) / 1e6;
  const interval = toClockIntervals(day).findLast(({ from }) => from <= elapsed);
  const clock = interval ? interval.clock + elapsed - interval.from : elapsed;
  return Math.max(0, Math.min(END_OF_DAY, Math.round(clock)));
}
