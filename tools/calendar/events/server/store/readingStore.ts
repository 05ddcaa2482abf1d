import { sql } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { DAY_ENTRIES } from '#tools/calendar/contract/events.ts';
import { LAST_DAY } from '../../domain/day.ts';
import type { Day } from '../../domain/day.ts';
import type { CalendarEvent } from '../../domain/event.ts';
import { UNTAGGED } from '../../domain/tags.ts';
import { completed, readRows } from './eventStore.ts';
import { among, standingStore } from './occurrenceStore.ts';
import type { CalendarTables } from './tables.ts';
import type { TagStore } from './tagStore.ts';

const columns = [
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

/** What lists show of an event. */
export interface ListedEvent {
  readonly id: number;
  readonly name: string;
  readonly style: string;
  readonly day: Day;
  readonly until_day: Day;
  readonly time: string | null;
  readonly subscription: number | null;
  readonly repeat_every: number | null;
  readonly repeat_unit: string | null;
  readonly end_days: number;
  readonly zone: string | null;
  readonly isPinned: boolean;
  /** Of its tags that are not deleted, the main one first; a subscribed event's is its calendar. */
  readonly tags: readonly EventTag[];
}
export interface EventTag {
  readonly name: string;
  readonly colour: string;
}
type Row = Omit<ListedEvent, 'isPinned' | 'tags'> & {
  readonly pinned: number | null;
  /** Ids of its tags in their order, joined by commas. */
  readonly linked: string | null;
};

const linked = sql<string | null>`(select string_agg(cast(tag as text), ',' order by position)
  from calendar_event_tag where calendar_event_tag.event = calendar_event.id)`.as('linked');

/** Tags of an account by what events name them by. */
export interface TagBook {
  readonly own: ReadonlyMap<number, EventTag>;
  readonly subscriptions: ReadonlyMap<number, EventTag>;
}

export function mainColour({ tags }: Pick<ListedEvent, 'tags'>): string {
  return tags[0]?.colour ?? UNTAGGED;
}

const tagsOf = (row: Row, { own, subscriptions }: TagBook): readonly EventTag[] => {
  const ids = row.linked?.split(',').map(Number) ?? [];
  const calendar = row.subscription === null ? undefined : subscriptions.get(row.subscription);
  const main = ids.includes(row.pinned ?? 0) ? own.get(row.pinned ?? 0) : undefined;
  const all = ids.flatMap((tag) => own.get(tag) ?? []).filter((tag) => tag !== main);
  return [...(main ? [main] : []), ...(calendar ? [calendar] : []), ...all];
};

const listedOf = (row: Row, book: TagBook): ListedEvent => ({
  ...row,
  isPinned: row.pinned !== null && book.own.has(row.pinned),
  tags: tagsOf(row, book),
});

/** Reads of lists of events: few statements, whatever they hold. */
export function readingStore(database: Database, tagStore: TagStore) {
  const db = database.db.$extendTables<CalendarTables>();
  const isAmong = among(database);

  /** By id; those of other accounts and those in the bin are left out. */
  const events = async (
    account: number,
    ids: readonly number[],
    book: TagBook,
  ): Promise<ReadonlyMap<number, ListedEvent>> => {
    const rows = await db
      .selectFrom('calendar_event')
      .select(columns)
      .select(linked)
      .where('account', '=', account)
      // SQLite goes by the ids where all of an index is named.
      .where('deleted', 'is', null)
      .where(isAmong(sql.ref('id'), ids))
      .execute();
    return new Map(rows.map((row) => [row.id, listedOf(row, book)]));
  };
  return {
    standing: standingStore(database),
    tagBook: async (account: number): Promise<TagBook> => {
      const own = (await tagStore.ownTags(account)).filter(({ deleted }) => deleted === undefined);
      const subscriptions = await tagStore.subscribed(
        account,
        own.map(({ name }) => name),
      );
      return {
        own: new Map(own.map((tag) => [tag.id, tag])),
        subscriptions: new Map(subscriptions.map((tag) => [tag.id, tag])),
      };
    },
    events,
    /** When events are, those that have to be worked out for whoever looks. */
    times: async (account: number, ids: readonly number[]): Promise<ReadonlyMap<number, CalendarEvent>> => {
      if (ids.length === 0) return new Map();
      const rows = await readRows(database.db, account, ids);
      return new Map((await completed(database.db, [...rows.values()])).map((event) => [event.id, event]));
    },
    descriptions: async (account: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
      const rows = await db
        .selectFrom('calendar_event')
        .select(['id', 'description'])
        .where('account', '=', account)
        .where('deleted', 'is', null)
        .where(isAmong(sql.ref('id'), ids))
        .execute();
      return new Map(rows.map(({ id, description }) => [id, description]));
    },
    /** Ids of durations that run on `today`, by their end, and then of those that come, by their beginning. */
    durationsFrom: async (account: number, today: Day, limit: number): Promise<readonly number[]> => {
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
    /** Durations with a day from `from` to `until`, by their start: as many as a list has, and the others' days. */
    durationsBetween: async (
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
      for (const { day, until_day: last } of rows.slice(DAY_ENTRIES))
        for (let each = Math.max(from, day); each <= Math.min(until, last); each += 1)
          hidden.set(each, (hidden.get(each) ?? 0) + 1);
      return { ids: rows.slice(0, DAY_ENTRIES).map(({ id }) => id), hidden };
    },
  };
}
export type ReadingStore = ReturnType<typeof readingStore>;
