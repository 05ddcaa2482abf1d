import { END_OF_DAY, SNAP, type Minute, type TimeSpan } from './slot.ts';

/** The clock is put forward (60) or back (-30), when `elapsed` minutes of the day are over. */
export interface Jump {
  readonly elapsed: number;
  readonly by: number;
}

/** A day as it passes in its zone. Its clock begins at 00:00, or later by a jump at 0 (where midnight is left out). */
export interface RealDay {
  /** Minutes that pass from its beginning to that of the next day. */
  readonly length: number;
  /** In the order of time. */
  readonly jumps: readonly Jump[];
}

export const PLAIN_DAY: RealDay = { length: END_OF_DAY, jumps: [] };

/** Minutes of a day from one jump to the next, and what the clock shows as they begin. */
interface ClockInterval {
  readonly from: number;
  readonly until: number;
  readonly clock: number;
}

const stretchesOf = ({ length, jumps }: RealDay): readonly ClockInterval[] => {
  const stretches: ClockInterval[] = [];
  let from = 0;
  let clock = 0;
  for (const { elapsed, by } of jumps) {
    stretches.push({ from, until: elapsed, clock });
    clock += elapsed - from + by;
    from = elapsed;
  }
  return [...stretches, { from, until: length, clock }];
};

/**
 * The first moment, in minutes since the day began, at which the clock shows this minute or a later one; the day's end where it never
 * does. A doubled hour counts from its first time, and what ends with it ends with its second time.
 */
const elapsedAt = (minute: Minute, day: RealDay): number => {
  const found = stretchesOf(day).find(({ from, until, clock }) => minute < clock + until - from);
  return found ? found.from + Math.max(0, minute - found.clock) : day.length;
};

/** Of minutes that have passed since the day began: their share of it, 0 to 100. A day of no length, left out by its zone, counts as plain. */
export function shareOfElapsed(elapsed: number, { length }: RealDay): number {
  return Math.max(0, Math.min(100, (elapsed / (length > 0 ? length : END_OF_DAY)) * 100));
}

/**
 * Where a minute of the clock stands in its day: the share, 0 to 100, of the day's real length. Later minutes never stand earlier;
 * those of a missing hour all stand where the clock is put forward.
 */
export function shareOf(minute: Minute, day: RealDay): number {
  return shareOfElapsed(day.length > 0 ? elapsedAt(minute, day) : minute, day);
}

/** A slot's two shares. One that lies within the missing hour is drawn as a sliver, so that it can be seen and taken hold of. */
export function sharesOf({ start, end }: TimeSpan, day: RealDay): { readonly start: number; readonly end: number } {
  const from = shareOf(start, day);
  const until = shareOf(end, day);
  if (until > from) return { start: from, end: until };
  const sliver = shareOfElapsed(SNAP, day);
  const first = Math.min(from, 100 - sliver);
  return { start: first, end: first + sliver };
}

/** What the clock shows at a share of the day: a whole minute, after the jump where it stands on one. No number is the day's beginning. */
export function minuteAt(share: number, day: RealDay): Minute {
  const gone = Math.max(0, Math.min(100, Number.isNaN(share) ? 0 : share)) / 100;
  if (day.length <= 0) return Math.round(gone * END_OF_DAY);
  // Shares are fractions that no float holds exactly: a moment that misses a jump by a billionth is the jump.
  const elapsed = Math.round(gone * day.length * 1e6) / 1e6;
  const stretch = stretchesOf(day).findLast(({ from }) => from <= elapsed);
  const clock = stretch ? stretch.clock + elapsed - stretch.from : elapsed;
  return Math.max(0, Math.min(END_OF_DAY, Math.round(clock)));
}
