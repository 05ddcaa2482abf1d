import type { Kysely } from 'kysely';
import { type Day, LAST_DAY } from '#platform/contract/day.ts';
import { iterateOccurrences, MAX_ZONE_DISTANCE_DAYS } from '#tools/calendar/repeat/domain/occurrence.ts';
import { findNextRuleDay, findNextSpanDay } from '#tools/calendar/repeat/domain/placement.ts';
import type { CalendarEvent } from '../../domain/event.ts';
import { toEvent } from './eventRows.ts';
import { readSpans, toRule, toSpan } from './occurrenceStore.ts';
import { splitIntoBatches, type EventRow, type CalendarTables, type RuleRow, type SpanRow } from './tables.ts';

/** The database, or a running transaction. */
export type DbOrTransaction = Kysely<unknown>;

/** Reads the last objects that other calendars sent for events. */
export async function readSources(
  db: DbOrTransaction,
  account: number,
  events: readonly number[],
): Promise<ReadonlyMap<number, { readonly text: string; readonly revision: number }>> {
  const sourceByEvent = new Map<number, { readonly text: string; readonly revision: number }>();
  for (const batch of splitIntoBatches(events)) {
    const rows = await db
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

const PAGE_SIZE = 500;

async function readExceptions(db: Kysely<CalendarTables>, rows: readonly EventRow[]) {
  const exceptionsByEvent = new Map<number, readonly number[]>();
  const repeats = rows.filter(({ style }) => style === 'repeat').map(({ id }) => id);
  for (const ids of splitIntoBatches(repeats)) {
    const days = await db
      .selectFrom('calendar_exception')
      .selectAll()
      .where('event', 'in', ids)
      .orderBy('day')
      .execute();
    for (const [event, eventDays] of Map.groupBy(days, (row) => row.event))
      exceptionsByEvent.set(
        event,
        eventDays.map(({ day }) => day),
      );
  }
  return exceptionsByEvent;
}

async function readTags(db: Kysely<CalendarTables>, rows: readonly EventRow[]) {
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
    for (const [event, eventLinks] of Map.groupBy(links, (row) => row.event)) tagsByEvent.set(event, eventLinks);
  }
  return tagsByEvent;
}

/** Converts rows to events with tags and exceptions, in the order of the rows. */
export async function toEvents(db: DbOrTransaction, rows: readonly EventRow[]): Promise<readonly CalendarEvent[]> {
  const tables = db.$extendTables<CalendarTables>();
  const [exceptions, tags] = [await readExceptions(tables, rows), await readTags(tables, rows)];
  return rows.map((row) => {
    const eventTags = tags.get(row.id) ?? [];
    const pinned = eventTags.find(({ id }) => id === row.pinned)?.name;
    const otherTags = eventTags.map(({ name }) => name).filter((name) => name !== pinned);
    return toEvent(row, {
      exceptions: exceptions.get(row.id) ?? [],
      tags: pinned === undefined ? otherTags : [pinned, ...otherTags],
      pinned,
    });
  });
}

const selectRows = (db: DbOrTransaction, account: number) =>
  db.$extendTables<CalendarTables>().selectFrom('calendar_event').selectAll().where('account', '=', account);
/** Selects rows outside the bin. */
const selectLive = (db: DbOrTransaction, account: number) => selectRows(db, account).where('deleted', 'is', null);

export async function readEvent(db: DbOrTransaction, account: number, id: number): Promise<CalendarEvent | undefined> {
  return (await toEvents(db, await selectLive(db, account).where('id', '=', id).execute()))[0];
}

export async function readRows(
  db: DbOrTransaction,
  account: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, EventRow>> {
  const rowById = new Map<number, EventRow>();
  for (const batch of splitIntoBatches(ids))
    for (const row of await selectLive(db, account).where('id', 'in', batch).execute()) rowById.set(row.id, row);
  return rowById;
}

/** Selects own events, without subscriptions. */
const selectOwn = (db: DbOrTransaction, account: number) => selectLive(db, account).where('subscription', 'is', null);

/** Reads own events by UID or resource. Changed days of repeats are read with their event. */
export async function readEventsByName(
  db: DbOrTransaction,
  account: number,
  column: 'uid' | 'resource',
  names: readonly string[],
): Promise<readonly CalendarEvent[]> {
  const rows: EventRow[] = [];
  for (const batch of splitIntoBatches(names))
    rows.push(...(await selectOwn(db, account).where(column, 'in', batch).where('parent', 'is', null).execute()));
  return toEvents(db, rows);
}

export async function readChildren(
  db: DbOrTransaction,
  account: number,
  parents: readonly number[],
): Promise<readonly CalendarEvent[]> {
  const rows: EventRow[] = [];
  for (const batch of splitIntoBatches(parents))
    rows.push(...(await selectLive(db, account).where('parent', 'in', batch).orderBy('id').execute()));
  return toEvents(db, rows);
}

/** Reads own events with a foreign rule whose days are only partly computed. */
export async function readEventsWithForeignRule(
  db: DbOrTransaction,
  account: number,
): Promise<readonly CalendarEvent[]> {
  const rows = await db
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
  return toEvents(db, rows);
}

async function* iteratePages<Row extends { readonly id: number }>(
  read: (afterId: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void, undefined> {
  let lastId = 0;
  for (;;) {
    const rows = await read(lastId);
    yield rows;
    lastId = rows.at(-1)?.id ?? lastId;
    if (rows.length < PAGE_SIZE) return;
  }
}

/** Reads own events, or those of a subscription, by id, in batches. */
export async function* iterateEvents(
  db: DbOrTransaction,
  account: number,
  subscription: number | undefined,
): AsyncGenerator<CalendarEvent, void, undefined> {
  const all = selectLive(db, account).where(
    'subscription',
    subscription === undefined ? 'is' : '=',
    subscription ?? null,
  );
  const pages = iteratePages(async (afterId) => all.where('id', '>', afterId).orderBy('id').limit(PAGE_SIZE).execute());
  for await (const rows of pages) yield* await toEvents(db, rows);
}

/** Reads every event of the account in batches, including subscriptions and the bin. */
export async function* iterateEventPages(
  db: DbOrTransaction,
  account: number,
): AsyncGenerator<readonly (CalendarEvent & { readonly deleted: number | undefined })[], void, undefined> {
  const all = selectRows(db, account).orderBy('id').limit(PAGE_SIZE);
  for await (const rows of iteratePages(async (afterId) => all.where('id', '>', afterId).execute())) {
    const events = await toEvents(db, rows);
    yield events.map((event, index) => ({ ...event, deleted: rows[index]?.deleted ?? undefined }));
  }
}

/** Reads own events changed after a revision. A change of a changed day counts as a change of its repeat. */
export async function readChangedEvents(
  db: DbOrTransaction,
  account: number,
  revision: number,
): Promise<readonly CalendarEvent[]> {
  return toEvents(
    db,
    await selectOwn(db, account)
      .where('revision', '>', revision)
      .where('parent', 'is', null)
      .orderBy('revision')
      .execute(),
  );
}

/** Lists events with a repeat that has one of the days. Ignores exceptions. */
async function listRepeatsAround(
  db: DbOrTransaction,
  account: number,
  [from, until]: readonly [Day, Day],
): Promise<readonly number[]> {
  const rules = await db
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_rule')
    .select(['event', 'month_day', 'period', 'phase', 'from_day', 'until_day', 'day_offset'])
    .where('account', '=', account)
    .where((eb) => eb(eb('from_day', '+', eb.ref('day_offset')), '<=', until))
    .where((eb) => eb(eb('until_day', '+', eb.ref('day_offset')), '>=', from))
    .execute();
  function isRuleNear(row: RuleRow): boolean {
    const next = findNextRuleDay(toRule(row), from - row.day_offset);
    return next !== undefined && next + row.day_offset <= until;
  }
  const spans = await readSpans(db, account, [from, until]);
  const isSpanNear = (row: SpanRow): boolean =>
    (findNextSpanDay(toSpan(row), from, undefined) ?? LAST_DAY + 1) <= until;
  return [...rules.filter(isRuleNear), ...spans.filter(isSpanNear)].map(({ event }) => event);
}

/** Reads own events that may touch a range of days in any time zone, by id. Events without a zone do touch it. */
export async function readEventsBetween(
  db: DbOrTransaction,
  account: number,
  [from, until]: readonly [Day, Day],
): Promise<readonly CalendarEvent[]> {
  const tables = db.$extendTables<CalendarTables>();
  const days = await tables
    .selectFrom('calendar_day')
    .select('event')
    .distinct()
    .where('account', '=', account)
    .where('day', '>=', from)
    .where('day', '<=', until)
    .execute();
  const ownEvents = selectOwn(db, account);
  const rows = await ownEvents
    .where('style', '=', 'duration')
    .where('until_day', '>=', from - MAX_ZONE_DISTANCE_DAYS)
    .where('day', '<=', until + MAX_ZONE_DISTANCE_DAYS)
    .execute();
  const ids = new Set([...days.map(({ event }) => event), ...(await listRepeatsAround(db, account, [from, until]))]);
  for (const batch of splitIntoBatches([...ids])) rows.push(...(await ownEvents.where('id', 'in', batch).execute()));
  const events = await toEvents(
    db,
    rows.toSorted((one, other) => one.id - other.id),
  );
  // An event may have moved between two reads, and a repeat may have exceptions.
  return events.filter(
    (event) => event.zone !== undefined || !iterateOccurrences(event, { from, until, viewer: undefined }).next().done,
  );
}
