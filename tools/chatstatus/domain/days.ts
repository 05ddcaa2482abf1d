import { merged, type StatusInterval } from './status.ts';

/** Seconds by which an arrow key moves a cursor. */
const STEP = 600;

/** Range of a cursor, in seconds since the epoch; `until` is exclusive. */
interface Range {
  readonly from: number;
  readonly until: number;
  readonly stretches: readonly StatusInterval[];
}

/** Returns the interval that contains a moment. Intervals must be sorted and without gaps. */
export function stretchAt(stretches: readonly StatusInterval[], at: number): StatusInterval | undefined {
  let [low, high] = [0, stretches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle]?.until ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  const found = stretches[low];
  return found && found.from <= at ? found : undefined;
}

const borderAfter = (stretches: readonly StatusInterval[], at: number): number | undefined =>
  stretches.find(({ from }) => from > at)?.from;
const borderBefore = (stretches: readonly StatusInterval[], at: number): number | undefined =>
  stretches.findLast(({ from }) => from < at)?.from;

/**
 * Returns the new cursor position for a key, or undefined if the key moves nothing. With `toBorder` it moves to the
 * next status change.
 */
export function moved(at: number, key: string, range: Range, toBorder: boolean): number | undefined {
  const { from, until, stretches } = range;
  const last = until - 1;
  const targets: Readonly<Record<string, number | undefined>> = {
    ArrowRight: toBorder ? (borderAfter(stretches, at) ?? last) : at + STEP,
    ArrowLeft: toBorder ? (borderBefore(stretches, at) ?? from) : at - STEP,
    PageDown: borderAfter(stretches, at) ?? last,
    PageUp: borderBefore(stretches, at) ?? from,
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
  readonly stretches: readonly StatusInterval[];
}

const secondsOf = ({ epochMilliseconds }: Temporal.ZonedDateTime): number => Math.round(epochMilliseconds / 1000);

/** Splits a history into the days of a zone, oldest first. The time before the first interval is unknown. */
export function daysOf(stretches: readonly StatusInterval[], zone: string): readonly Day[] {
  const first = stretches[0];
  const end = stretches.at(-1)?.until;
  if (first === undefined || end === undefined) return [];
  const days: Day[] = [];
  let start = Temporal.Instant.fromEpochMilliseconds(first.from * 1000)
    .toZonedDateTimeISO(zone)
    .startOfDay();
  const whole = merged([{ from: secondsOf(start), until: first.from, status: 'unknown' }, ...stretches]);
  for (let place = 0; secondsOf(start) < end;) {
    const next = start.add({ days: 1 }).startOfDay();
    const [from, until] = [secondsOf(start), Math.min(end, secondsOf(next))];
    const within: StatusInterval[] = [];
    for (; place < whole.length; place += 1) {
      const stretch = whole[place];
      if (stretch === undefined || stretch.from >= until) break;
      within.push({ ...stretch, from: Math.max(from, stretch.from), until: Math.min(until, stretch.until) });
      // An interval that crosses midnight is visited again for the next day.
      if (stretch.until > until) break;
    }
    days.push({ date: start.toPlainDate().toString(), from, until, stretches: within });
    start = next;
  }
  return days;
}
