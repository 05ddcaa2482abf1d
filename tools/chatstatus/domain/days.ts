import { mergeIntervals, type StatusInterval } from './status.ts';

/** Seconds by which an arrow key moves a cursor. */
const STEP_SECONDS = 600;

/** Range of a cursor, in seconds since the epoch; `until` is exclusive. */
interface CursorRange {
  readonly from: number;
  readonly until: number;
  readonly intervals: readonly StatusInterval[];
}

/** Returns the interval that contains a moment. Intervals must be sorted and without gaps. */
export function findIntervalAt(intervals: readonly StatusInterval[], moment: number): StatusInterval | undefined {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.until ?? Infinity) <= moment) low = middle + 1;
    else high = middle;
  }
  const match = intervals[low];
  return match && match.from <= moment ? match : undefined;
}

const findBorderAfter = (intervals: readonly StatusInterval[], moment: number): number | undefined =>
  intervals.find(({ from }) => from > moment)?.from;
const findBorderBefore = (intervals: readonly StatusInterval[], moment: number): number | undefined =>
  intervals.findLast(({ from }) => from < moment)?.from;

/**
 * Returns the new cursor position for a key, or undefined if the key moves nothing. With `isJump` arrows
 * move it to the next status change.
 */
export function moveCursor(position: number, key: string, range: CursorRange, isJump: boolean): number | undefined {
  const { from, until, intervals } = range;
  const last = until - 1;
  const targets: Readonly<Record<string, number | undefined>> = {
    ArrowRight: isJump ? (findBorderAfter(intervals, position) ?? last) : position + STEP_SECONDS,
    ArrowLeft: isJump ? (findBorderBefore(intervals, position) ?? from) : position - STEP_SECONDS,
    PageDown: findBorderAfter(intervals, position) ?? last,
    PageUp: findBorderBefore(intervals, position) ?? from,
    Home: from,
    End: last,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.min(last, Math.max(from, target));
}

/** A day of a time zone, as far as it is known. */
export interface Day {
  /** ISO date. */
  readonly date: string;
  /** Seconds since the epoch. */
  readonly from: number;
  /** End of the day; on the last day the end of the known history. */
  readonly until: number;
  /** Without gaps from `from` to `until`. */
  readonly intervals: readonly StatusInterval[];
}

const toSeconds = ({ epochMilliseconds }: Temporal.ZonedDateTime): number => Math.round(epochMilliseconds / 1000);

/** Splits a history into the days of a zone, oldest first. The time before the first interval is unknown. */
export function splitDays(intervals: readonly StatusInterval[], zone: string): readonly Day[] {
  const first = intervals[0];
  const end = intervals.at(-1)?.until;
  if (first === undefined || end === undefined) return [];
  const days: Day[] = [];
  let start = Temporal.Instant.fromEpochMilliseconds(first.from * 1000)
    .toZonedDateTimeISO(zone)
    .startOfDay();
  const history = mergeIntervals([{ from: toSeconds(start), until: first.from, status: 'unknown' }, ...intervals]);
  for (let index = 0; toSeconds(start) < end;) {
    const next = start.add({ days: 1 }).startOfDay();
    const [from, until] = [toSeconds(start), Math.min(end, toSeconds(next))];
    const dayIntervals: StatusInterval[] = [];
    for (; index < history.length; index += 1) {
      const interval = history[index];
      if (interval === undefined || interval.from >= until) break;
      dayIntervals.push({ ...interval, from: Math.max(from, interval.from), until: Math.min(until, interval.until) });
      // An interval that crosses midnight is visited again for the next day.
      if (interval.until > until) break;
    }
    days.push({ date: start.toPlainDate().toString(), from, until, intervals: dayIntervals });
    start = next;
  }
  return days;
}
