import type { CalendarFeedEntry, CalendarFeed, ServerContext } from '#platform/server/tool.ts';
import { toClock } from '../domain/clockTime.ts';
import type { RealDay } from '../domain/dayShares.ts';
import { END_OF_DAY, titleOf, type Minute } from '../domain/slot.ts';
import { LAST_DAY, mondayOf, toIso, type Day } from '../domain/week.ts';
import type { KeptSlot } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';

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
export function realDayOf(day: Day, zone: string): RealDay {
  const key = `${zone} ${day}`;
  const already = known.get(key);
  if (already) return already;
  const real = workedOut(day, zone);
  if (known.size >= MAX_CACHED_DAYS) known.clear();
  known.set(key, real);
  return real;
}

/** Weeks before and after the present one. */
const WINDOW = { before: 13, after: 53 } as const;
/** The feed is one file, and phones ask for it every hour: the earliest of so many. */
const MAX_FEED_ENTRIES = 10_000;
const DAY_MS = 86_400_000;

const moment = (day: Day, minute: Minute): string =>
  minute === END_OF_DAY ? `${toIso(day + 1)}T00:00` : `${toIso(day)}T${toClock(minute)}`;

const entryOf = ({ id, day, start, end, name, description, status, changed }: KeptSlot): CalendarFeedEntry => ({
  uid: `slot-${id}@timetable.pegboard`,
  name: titleOf({ name }),
  description,
  start: moment(day, start),
  end: moment(day, end),
  changed,
  isCancelled: status === 'Skipped',
});

/** The slots of the weeks around now, where the account wants them in its feed. */
export function feedOf({ now }: Pick<ServerContext, 'now'>, { book, slots }: TimetableStore) {
  return async (account: number): Promise<CalendarFeed | undefined> => {
    const { revision, isInFeed } = await book.of(account);
    if (!isInFeed) return undefined;
    // It moves on with the week, not with the day: the file is another one no more often than that.
    const monday = mondayOf(Math.floor(now().epochMilliseconds / DAY_MS));
    const from = monday - WINDOW.before * 7;
    const until = Math.min(LAST_DAY - 1, monday + WINDOW.after * 7 + 6);
    return {
      revision: `t${revision}.${monday}`,
      listEntries: async () => (await slots.between(account, { from, until, most: MAX_FEED_ENTRIES })).map(entryOf),
    };
  };
}
