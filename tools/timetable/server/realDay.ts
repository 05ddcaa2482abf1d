import type { RealDay } from '../domain/dayShares.ts';
import { toIso, type Day } from '../domain/week.ts';

const minutesOf = (duration: Temporal.Duration): number => duration.total('minutes');

const workedOut = (day: Day, zone: string): RealDay => {
  const date = Temporal.PlainDate.from(toIso(day));
  const begins = date.toZonedDateTime(zone);
  const ends = date.add({ days: 1 }).toZonedDateTime(zone);
  // A midnight that is left out is a jump of the day that begins after it.
  const jumps = [{ elapsed: 0, by: minutesOf(begins.toPlainDateTime().since(date.toPlainDateTime())) }];
  let change = begins.getTimeZoneTransition('next');
  while (change && Temporal.ZonedDateTime.compare(change, ends) < 0) {
    const by = (change.offsetNanoseconds - change.subtract({ nanoseconds: 1 }).offsetNanoseconds) / 60e9;
    jumps.push({ elapsed: minutesOf(begins.until(change)), by });
    change = change.getTimeZoneTransition('next');
  }
  return { length: minutesOf(begins.until(ends)), jumps };
};

/** By zone and day: each is worked out once, and asked for by every page that shows it. */
const known = new Map<string, RealDay>();
const MAX_CACHED_DAYS = 5000;

/** How a day passes in a zone: days of 23, 24, 25 and other hours. `zone` is an IANA name or an offset such as '+05:30'. */
export const realDayOf = (day: Day, zone: string): RealDay => {
  const key = `${zone} ${day}`;
  const already = known.get(key);
  if (already) return already;
  const real = workedOut(day, zone);
  if (known.size >= MAX_CACHED_DAYS) known.clear();
  known.set(key, real);
  return real;
};
