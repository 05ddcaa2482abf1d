import type { Kysely } from 'kysely';
import { type Day, LAST_DAY } from '#platform/contract/day.ts';
import { iterateOccurrences, MAX_ZONE_DISTANCE_DAYS } from '#tools/calendar/repeat/domain/occurrence.ts';
import { findNextRuleDay, findNextSpanDay } from '#tools/calendar/repeat/domain/placement.ts';
import type { CalendarEvent } from '../../domain/event.ts';
import { toEvent } from './eventRows.ts';
import { readSpans, type RuleRow, type SpanRow, toRule, toSpan } from './occurrenceStore.ts';
import { splitIntoBatches, type EventRow, type CalendarTables } from './tables.ts';

/** Reads the last objects that other calendars sent for events. */
export async function readSources(
  source: DbOrTransaction,
  account: number,
  events: readonly number[],
): Promise<ReadonlyMap<number, { readonly text: string; readonly revision: number }>> {
  const sourceByEvent = new Map<number, { readonly text: string; readonly revision: number }>();
  for (const batch of splitIntoBatches(events)) {
    const rows = await source
      .$extendTables<CalendarTables>()
      .selectFrom('calendar_source as source')
      .innerJoin('calendar_event as event', 'event.id', 'source.event')
      .select(['source.event', 'source.text', 'source.revision'])
      .where('event.account', '=', account)
      .where('source.event', 'in', batch)
      .execute();
    for (const { event, text, revision } of rows) sourceByEvent.set(event, { text, revision });
  }
  return sourceByEvent;
}

/** The database, or a running transaction. */
export type DbOrTransaction = Kysely<unknown>;

const PAGE_SIZE = 500;

const readExceptions = async (db: Kysely<CalendarTables>, rows: readonly EventRow[]) => {
  const exceptionsByEvent = new Map<number, readonly number[]>();
  const repeats = rows.filter(({ style }) => style === 'repeat').map(({ id }) => id);
  for (const ids of splitIntoBatches(repeats)) {
    const days = await db
      .selectFrom('calendar_exception')
      .selectAll()
      .where('event', 'in', ids)
      .orderBy('day')
      .execute();
    for (const [event, own] of Map.groupBy(days, (row) => row.event))
      exceptionsByEvent.set(
        event,
        own.map(({ day }) => day),
      );
  }
  return exceptionsByEvent;
};

const readTags = async (db: Kysely<CalendarTables>, rows: readonly EventRow[]) => {
  const tagsByEvent = new Map<number, readonly { readonly id: number; readonly name: string }[]>();
  for (const ids of splitIntoBatches(rows.map(({ id }) => id))) {
    const links = await db
      .selectFrom('calendar_event_tag as link')
      .innerJoin('calendar_tag as tag', 'tag.id', 'link.tag')
      .select(['link.event', 'tag.id', 'tag.name'])
      .where('link.event', 'in', ids)
      .where('tag.deleted', 'is', null)
      .orderBy('link.position')
      .orderBy('tag.id')
      .execute();
    for (const [event, own] of Map.groupBy(links, (row) => row.event)) tagsByEvent.set(event, own);
  }
  return tagsByEvent;
};

/** Converts rows to events with tags and exceptions, in the order of the rows. */
export async function toEvents(source: DbOrTransaction, rows: readonly EventRow[]): Promise<readonly CalendarEvent[]> {
  const db = source.$extendTables<CalendarTables>();
  const [exceptions, tags] = [await readExceptions(db, rows), await readTags(db, rows)];
  return rows.map((row) => {
    const own = tags.get(row.id) ?? [];
    const pinned = own.find(({ id }) => id === row.pinned)?.name;
    const others = own.map(({ name }) => name).filter((name) => name !== pinned);
    return toEvent(row, {
      exceptions: exceptions.get(row.id) ?? [],
      tags: pinned === undefined ? others : [pinned, ...others],
      pinned,
    });
  });
}

const selectRows = (source: DbOrTransaction, account: number) =>
  source.$extendTables<CalendarTables>().selectFrom('calendar_event').selectAll().where('account', '=', account);
/** Without the bin. */
const selectLive = (source: DbOrTransaction, account: number) =>
  selectRows(source, account).where('deleted', 'is', null);

export async function readEvent(
  source: DbOrTransaction,
  account: number,
  id: number,
): Promise<CalendarEvent | undefined> {
  return (await toEvents(source, await selectLive(source, account).where('id', '=', id).execute()))[0];
}

export async function readRows(
  source: DbOrTransaction,
  account: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, EventRow>> {
  const rowById = new Map<number, EventRow>();
  for (const batch of splitIntoBatches(ids))
    for (const row of await selectLive(source, account).where('id', 'in', batch).execute()) rowById.set(row.id, row);
  return rowById;
}

/** Own events, without subscriptions. */
const selectOwn = (source: DbOrTransaction, account: number) =>
  selectLive(source, account).where('subscription', 'is', null);

/** Reads own events by UID or resource. Changed days of repeats are read with their event. */
export async function readEventsByName(
  source: DbOrTransaction,
  account: number,
  column: 'uid' | 'resource',
  names: readonly string[],
): Promise<readonly CalendarEvent[]> {
  const rows: EventRow[] = [];
  for (const batch of splitIntoBatches(names))
    rows.push(...(await selectOwn(source, account).where(column, 'in', batch).where('parent', 'is', null).execute()));
  return toEvents(source, rows);
}

export async function readChildren(
  source: DbOrTransaction,
  account: number,
  parents: readonly number[],
): Promise<readonly CalendarEvent[]> {
  const rows: EventRow[] = [];
  for (const batch of splitIntoBatches(parents))
    rows.push(...(await selectLive(source, account).where('parent', 'in', batch).orderBy('id').execute()));
  return toEvents(source, rows);
}

/** Reads own events with a foreign rule whose days are only partly computed. */
export async function readEventsWithForeignRule(
  source: DbOrTransaction,
  account: number,
): Promise<readonly CalendarEvent[]> {
  const rows = await source
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_event')
    .innerJoin('calendar_source as source', 'source.event', 'calendar_event.id')
    .selectAll('calendar_event')
    .where('account', '=', account)
    .where('deleted', 'is', null)
    .where('subscription', 'is', null)
    .where((eb) => eb.or([eb('style', '<>', 'repeat'), eb('foreign_rule', 'is not', null)]))
    .where((eb) => eb.or([eb('source.text', 'like', '%RRULE%'), eb('source.text', 'like', '%RDATE%')]))
    .execute();
  return toEvents(source, rows);
}

async function* iteratePages<Row extends { readonly id: number }>(
  read: (behind: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void, undefined> {
  let last = 0;
  for (;;) {
    const rows = await read(last);
    yield rows;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < PAGE_SIZE) return;
  }
}

/** Reads own events, or those of a subscription, by id, in batches. */
export async function* iterateEvents(
  source: DbOrTransaction,
  account: number,
  subscription: number | undefined,
): AsyncGenerator<CalendarEvent, void, undefined> {
  const all = selectLive(source, account).where(
    'subscription',
    subscription === undefined ? 'is' : '=',
    subscription ?? null,
  );
  const pages = iteratePages(async (behind) => all.where('id', '>', behind).orderBy('id').limit(PAGE_SIZE).execute());
  for await (const rows of pages) yield* await toEvents(source, rows);
}

/** Reads every event of the account in batches, including subscriptions and the bin. */
export async function* iterateEventPages(
  source: DbOrTransaction,
  account: number,
): AsyncGenerator<readonly (CalendarEvent & { readonly deleted: number | undefined })[], void, undefined> {
  const all = selectRows(source, account).orderBy('id').limit(PAGE_SIZE);
  for await (const rows of iteratePages(async (behind) => all.where('id', '>', behind).execute())) {
    const events = await toEvents(source, rows);
    yield events.map((event, at) => ({ ...event, deleted: rows[at]?.deleted ?? undefined }));
  }
}

/** Reads own events changed after a revision. A change of a changed day counts as a change of its repeat. */
export async function readChangedEvents(
  source: DbOrTransaction,
  account: number,
  revision: number,
): Promise<readonly CalendarEvent[]> {
  return toEvents(
    source,
    await selectOwn(source, account)
      .where('revision', '>', revision)
      .where('parent', 'is', null)
      .orderBy('revision')
      .execute(),
  );
}

/** Events with a repeat that has one of the days, including exceptions. */
const listRepeatsAround = async (
  source: DbOrTransaction,
  account: number,
  [from, until]: readonly [Day, Day],
): Promise<readonly number[]> => {
  const rules = await source
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_rule')
    .select(['event', 'month_day', 'period', 'phase', 'from_day', 'until_day', 'day_offset'])
    .where('account', '=', account)
    .where((eb) => eb(eb('from_day', '+', eb.ref('day_offset')), '<=', until))
    .where((eb) => eb(eb('until_day', '+', eb.ref('day_offset')), '>=', from))
    .execute();
  const isRuleNear = (row: RuleRow): boolean => {
    const next = findNextRuleDay(toRule(row), from - row.day_offset);
    return next !== undefined && next + row.day_offset <= until;
  };
  const spans = await readSpans(source, account, [from, until]);
  const isSpanNear = (row: SpanRow): boolean =>
    (findNextSpanDay(toSpan(row), from, undefined) ?? LAST_DAY + 1) <= until;
  return [...rules.filter(isRuleNear), ...spans.filter(isSpanNear)].map(({ event }) => event);
};

/** Reads own events that may touch a range of days in any time zone, by id. Events without a zone do touch it. */
export async function readEventsBetween(
  source: DbOrTransaction,
  account: number,
  [from, until]: readonly [Day, Day],
): Promise<readonly CalendarEvent[]> {
  const db = source.$extendTables<CalendarTables>();
  const days = await db
    .selectFrom('calendar_day')
    .select('event')
    .distinct()
    .where('account', '=', account)
    .where('day', '>=', from)
    .where('day', '<=', until)
    .execute();
  const own = selectOwn(source, account);
  const rows = await own
    .where('style', '=', 'duration')
    .where('until_day', '>=', from - MAX_ZONE_DISTANCE_DAYS)
    .where('day', '<=', until + MAX_ZONE_DISTANCE_DAYS)
    .execute();
  const ids = new Set([
    ...days.map(({ event }) => event),
    ...(await listRepeatsAround(source, account, [from, until])),
  ]);
  for (const batch of splitIntoBatches([...ids])) rows.push(...(await own.where('id', 'in', batch).execute()));
  const events = await toEvents(
    source,
    rows.toSorted((one, other) => one.id - other.id),
  );
  // An event may have moved between two reads, and a repeat may have exceptions.
  return events.filter(
    (event) => event.zone !== undefined || !iterateOccurrences(event, { from, until, viewer: undefined }).next().done,
  );
}
