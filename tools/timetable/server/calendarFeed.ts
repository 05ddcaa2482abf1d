import { LAST_DAY, getMonday, toIso, type Day } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { CalendarFeed, CalendarFeedEntry } from '#tools/calendar/contract/feedSlot.ts';
import { toClock } from '../domain/clockTime.ts';
import { END_OF_DAY, getTitle, type Minute } from '../domain/slot.ts';
import type { StoredSlot } from './store/slotStore.ts';
import type { TimetableStore } from './store/timetableStore.ts';

/** Weeks before and after the current one that the feed contains. */
const FEED_WEEKS = { before: 13, after: 53 } as const;
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
export function createFeed({ now }: Pick<ServerContext, 'now'>, { settings, slots }: TimetableStore) {
  return async (account: number): Promise<CalendarFeed | undefined> => {
    const { revision, isInFeed } = await settings.get(account);
    if (!isInFeed) return undefined;
    // Changes with the week rather than the day, so that clients reload the file less often.
    const monday = getMonday(Math.floor(now().epochMilliseconds / DAY_MS));
    const from = monday - FEED_WEEKS.before * 7;
    const until = Math.min(LAST_DAY - 1, monday + FEED_WEEKS.after * 7 + 6);
    return {
      revision: `t${revision}.${monday}`,
      listEntries: async () =>
        (await slots.listBetween(account, { from, until, limit: MAX_FEED_ENTRIES })).map(toFeedEntry),
    };
  };
}
