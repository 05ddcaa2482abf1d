import { merged, type StatusInterval } from './status.ts';

/** Arrow keys move a cursor so far, in seconds. */
const STEP = 600;

/** Where a cursor may go: seconds since the epoch, of which the last is known. */
interface Range {
  readonly from: number;
  readonly until: number;
  readonly stretches: readonly StatusInterval[];
}

/** The stretch of a moment. Stretches are in order and without a hole. */
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

/** Where a key moves the cursor of a day; undefined for a key that does not. With `toBorder`, to where the status changes. */
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

/** A day of some zone, as far as it is known. */
export interface Day {
  /** ISO. */
  readonly date: string;
  /** Seconds since the epoch. */
  readonly from: number;
  /** The day's end; of the last day the end of what is known. */
  readonly until: number;
  /** Without a hole from `from` to `until`. */
  readonly stretches: readonly StatusInterval[];
}

const secondsOf = ({ epochMilliseconds }: Temporal.ZonedDateTime): number => Math.round(epochMilliseconds / 1000);

/** Cuts a history into the days of a zone, oldest first. Before its first stretch nothing is known. */
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
      // What goes on into the next day is looked at again there.
      if (stretch.until > until) break;
    }
    days.push({ date: start.toPlainDate().toString(), from, until, stretches: within });
    start = next;
  }
  return days;
}
