import { merged, type StatusInterval } from './stretch.ts';

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
export const daysOf = (stretches: readonly StatusInterval[], zone: string): readonly Day[] => {
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
};
