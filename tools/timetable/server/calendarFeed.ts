import { LRUCache } from 'lru-cache';
import { LAST_DAY, getMonday, toIso, type Day } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { CalendarFeed, CalendarFeedEntry } from '#tools/calendar/contract/feedSlot.ts';
import { toClock } from '../domain/clockTime.ts';
import type { RealDay } from '../domain/dayShares.ts';
import { END_OF_DAY, getTitle, type Minute } from '../domain/slot.ts';
import type { StoredSlot } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';

const toMinutes = (duration: Temporal.Duration): number => duration.total('minutes');

const computeRealDay = (day: Day, zone: string): RealDay => {
  const date = Temporal.PlainDate.from(toIso(day));
  const begins = date.toZonedDateTime(zone);
  const ends = date.add({ days: 1 }).toZonedDateTime(zone);
  // If midnight is skipped, the day starts with a jump.
  const jumps = [{ elapsed: 0, by: toMinutes(begins.toPlainDateTime().since(date.toPlainDateTime())) }];
  let change = begins.getTimeZoneTransition('next');
  while (change && Temporal.ZonedDateTime.compare(change, ends) < 0) {
    const by = (change.offsetNanoseconds - change.subtract({ nanoseconds: 1 }).offsetNanoseconds) / 60e9;
    jumps.push({ elapsed: toMinutes(begins.until(change)), by });
    change = change.getTimeZoneTransition('next');
  }
  return { length: toMinutes(begins.until(ends)), jumps };
};

/** Cached by zone and day, as every page of a week needs them. */
const realDayCache = new LRUCache<string, RealDay>({ max: 5000 });

/** Returns how a day passes in a zone, with its clock changes. `zone`: an IANA name or an offset such as '+05:30'. */
export function getRealDay(day: Day, zone: string): RealDay {
  const key = `${zone} ${day}`;
  const cached = realDayCache.get(key);
  if (cached) return cached;
  const real = computeRealDay(day, zone);
  realDayCache.set(key, real);
  return real;
}

/** Weeks before and after the current one that the feed contains. */
const WINDOW = { before: 13, after: 53 } as const;
/** Phones load the feed every hour, so it is limited; the earliest entries count. */
const MAX_FEED_ENTRIES = 10_000;

const formatDateTime = (day: Day, minute: Minute): string =>
  minute === END_OF_DAY ? `${toIso(day + 1)}T00:00` : `${toIso(day)}T${toClock(minute)}`;

const toFeedEntry = ({ id, day, start, end, name, description, status, changed }: StoredSlot): CalendarFeedEntry => ({
  uid: `slot-${id}@timetable.pegboard`,
  name: getTitle({ name }),
  description,
  start: formatDateTime(day, start),
  end: formatDateTime(day, end),
  changed,
  isCancelled: status === 'Skipped',
});

/** Returns the feed with the slots around the current week, if the account enabled it. */
export function createFeed({ now }: Pick<ServerContext, 'now'>, { book, slots }: TimetableStore) {
  return async (account: number): Promise<CalendarFeed | undefined> => {
    const { revision, isInFeed } = await book.getBook(account);
    if (!isInFeed) return undefined;
    // Changes with the week rather than the day, so that clients reload the file less often.
    const monday = getMonday(Math.floor(now().epochMilliseconds / DAY_MS));
    const from = monday - WINDOW.before * 7;
    const until = Math.min(LAST_DAY - 1, monday + WINDOW.after * 7 + 6);
    return {
      revision: `t${revision}.${monday}`,
      listEntries: async () =>
        (await slots.listBetween(account, { from, until, most: MAX_FEED_ENTRIES })).map(toFeedEntry),
    };
  };
}
