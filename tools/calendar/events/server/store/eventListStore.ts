import { sql } from 'kysely';
import { LAST_DAY, type Day } from '#platform/contract/day.ts';
import type { Database } from '#platform/server/database/database.ts';
import { MAX_ENTRIES_PER_DAY } from '#tools/calendar/contract/events.ts';
import type { CalendarEvent } from '../../domain/event.ts';
import { UNTAGGED_COLOUR } from '../../domain/tags.ts';
import { toEvents, readRows } from './eventStore.ts';
import { createIdCondition, createOccurrenceStore } from './occurrenceStore.ts';
import type { CalendarTables, EventRow } from './tables.ts';
import { filterLiveTags, type TagStore } from './tagStore.ts';

const LISTED_COLUMNS = [
  'id',
  'name',
  'style',
  'day',
  'until_day',
  'time',
  'pinned',
  'subscription',
  'repeat_every',
  'repeat_unit',
  'end_days',
  'zone',
] as const;

export interface EventTag {
  readonly name: string;
  readonly colour: string;
}

type ListedRow = Pick<EventRow, (typeof LISTED_COLUMNS)[number]>;
type TagLink = Pick<CalendarTables['calendar_event_tag'], 'tag'>;

/** The part of an event that lists show. */
export interface ListedEvent extends Omit<ListedRow, 'pinned'> {
  readonly isPinned: boolean;
  /** Tags of the event without deleted ones, the main one first. A subscribed event has its calendar as tag. */
  readonly tags: readonly EventTag[];
}

/** Tags of an account, by the ids that events refer to. */
export interface TagBook {
  readonly userTags: ReadonlyMap<number, EventTag>;
  /** Tags of subscribed calendars, by the id of the subscription. */
  readonly subscriptions: ReadonlyMap<number, EventTag>;
}

export function getMainColour({ tags }: Pick<ListedEvent, 'tags'>): string {
  return tags[0]?.colour ?? UNTAGGED_COLOUR;
}

/** Whether the row alone determines the days and times of an event. */
export function isRowSufficient({ zone, end_days: endDays }: ListedEvent): boolean {
  return zone === null && endDays === 0;
}

function toTags(row: ListedRow, links: readonly TagLink[], book: TagBook): readonly EventTag[] {
  const { userTags, subscriptions } = book;
  const calendar = row.subscription === null ? undefined : subscriptions.get(row.subscription);
  const main = links.some(({ tag }) => tag === row.pinned) ? userTags.get(row.pinned ?? 0) : undefined;
  const others = links.flatMap(({ tag }) => userTags.get(tag) ?? []).filter((tag) => tag !== main);
  return [...(main ? [main] : []), ...(calendar ? [calendar] : []), ...others];
}

const toListedEvent = (row: ListedRow, links: readonly TagLink[], book: TagBook): ListedEvent => ({
  ...row,
  isPinned: row.pinned !== null && book.userTags.has(row.pinned),
  tags: toTags(row, links, book),
});

/** Reads lists of events with few statements, whatever their size. */
export function createEventListStore(database: Database, tagStore: TagStore) {
  const db = database.db.$extendTables<CalendarTables>();
  const isInList = createIdCondition(database);

  // The plus signs keep SQLite from finding the ids in an index of these columns first, which takes twice as long.
  const selectByIds = (account: number, ids: readonly number[]) =>
    db
      .selectFrom('calendar_event')
      .where(sql`+account`, '=', account)
      .where(sql`+deleted`, 'is', null)
      .where(isInList(sql.ref('id'), ids));

  /** Returns events by id, without those of other accounts and of the bin. */
  async function readEvents(
    account: number,
    ids: readonly number[],
    book: TagBook,
  ): Promise<ReadonlyMap<number, ListedEvent>> {
    const rows = await selectByIds(account, ids).select(LISTED_COLUMNS).execute();
    const links = await db
      .selectFrom('calendar_event_tag')
      .select(['event', 'tag'])
      .where(isInList(sql.ref('event'), ids))
      .orderBy('position')
      .execute();
    const linksByEvent = Map.groupBy(links, ({ event }) => event);
    return new Map(rows.map((row) => [row.id, toListedEvent(row, linksByEvent.get(row.id) ?? [], book)]));
  }
  return {
    occurrences: createOccurrenceStore(database),
    readTagBook: async (account: number): Promise<TagBook> => {
      const userTags = filterLiveTags(await tagStore.listUserTags(account));
      const subscriptions = await tagStore.listSubscribedTags(account, userTags);
      return {
        userTags: new Map(userTags.map((tag) => [tag.id, tag])),
        subscriptions: new Map(subscriptions.map((tag) => [tag.id, tag])),
      };
    },
    readEvents,
    /** Returns those events whose times must be computed for the viewer's zone, by id. */
    readTimes: async (account: number, events: Iterable<ListedEvent>): Promise<ReadonlyMap<number, CalendarEvent>> => {
      const ids = [...events].filter((event) => !isRowSufficient(event)).map(({ id }) => id);
      if (ids.length === 0) return new Map();
      const rows = await readRows(database.db, account, ids);
      return new Map((await toEvents(database.db, [...rows.values()])).map((event) => [event.id, event]));
    },
    readDescriptions: async (account: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
      const rows = await selectByIds(account, ids).select(['id', 'description']).execute();
      return new Map(rows.map(({ id, description }) => [id, description]));
    },
    /** Lists ids of durations: those that run on `today` by their end, then later ones by their start. */
    listDurationsFrom: async (account: number, today: Day, limit: number): Promise<readonly number[]> => {
      const order = sql`case when day <= ${today} then until_day - ${LAST_DAY} else day end`;
      const ids = await db
        .selectFrom('calendar_event')
        .select('id')
        .where('account', '=', account)
        .where('style', '=', 'duration')
        .where('deleted', 'is', null)
        .where('until_day', '>=', today)
        .orderBy(order)
        .orderBy('id')
        .limit(limit)
        .execute();
      return ids.map(({ id }) => id);
    },
    /** Lists durations that touch a range of days, by their start. Counts those above the maximum by day (`hidden`). */
    readDurationsBetween: async (
      account: number,
      from: Day,
      until: Day,
    ): Promise<{ readonly ids: readonly number[]; readonly hidden: ReadonlyMap<Day, number> }> => {
      const rows = await db
        .selectFrom('calendar_event')
        .select(['id', 'day', 'until_day'])
        .where('account', '=', account)
        .where('style', '=', 'duration')
        .where('deleted', 'is', null)
        .where('until_day', '>=', from)
        .where('day', '<=', until)
        .orderBy('day')
        .orderBy('id')
        .execute();
      const hidden = new Map<Day, number>();
      for (const { day, until_day: last } of rows.slice(MAX_ENTRIES_PER_DAY))
        for (let hiddenDay = Math.max(from, day); hiddenDay <= Math.min(until, last); hiddenDay += 1)
          hidden.set(hiddenDay, (hidden.get(hiddenDay) ?? 0) + 1);
      return { ids: rows.slice(0, MAX_ENTRIES_PER_DAY).map(({ id }) => id), hidden };
    },
  };
}
export type EventListStore = ReturnType<typeof createEventListStore>;
