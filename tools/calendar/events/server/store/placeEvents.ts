import { type Transaction, sql } from 'kysely';
import { fold } from '#platform/contract/fold.ts';
import { isPostgres, splitIntoChunks } from '#platform/server/database/columns.ts';
import { getPlacement, type Rule } from '#tools/calendar/repeat/domain/placement.ts';
import { getStyle, type EventDraft, type EventTimes } from '../../domain/event.ts';
import { splitWords } from '../../domain/searchTerms.ts';
import { insertIndexRows, type IndexedEvent } from './searchWords.ts';
import { splitIntoBatches, type CalendarTables } from './tables.ts';

/** An event's searchable data, before folding. */
export interface SearchableEvent extends Omit<IndexedEvent, 'words'> {
  readonly description: string;
}

/** Rows per statement. With seven values each, this is well below the limits of both databases. */
const ROWS_PER_STATEMENT = 500;

const foldTexts = ({ name, description, ...row }: SearchableEvent): IndexedEvent => ({
  ...row,
  name: fold(name),
  words: [...new Set(splitWords(fold(description)))],
});

const SEARCH_COLUMNS = sql.raw('account, event, style, day, until_day, name');
const formatSearchValues = ({ account, event, style, day, until, name }: IndexedEvent) =>
  sql`${account}, ${event}, ${style}, ${day}, ${until}, ${name}`;

async function unindex(tx: Transaction<unknown>, events: readonly number[]): Promise<void> {
  for (const ids of splitIntoChunks(events, ROWS_PER_STATEMENT))
    await tx.$extendTables<CalendarTables>().deleteFrom('calendar_search').where('event', 'in', ids).execute();
}

async function insertInPostgres(tx: Transaction<unknown>, rows: readonly IndexedEvent[]): Promise<void> {
  const values = rows.map((row) => sql`(${formatSearchValues(row)}, array_to_tsvector(${row.words}::text[]))`);
  await sql`insert into calendar_search (${SEARCH_COLUMNS}, words) values ${sql.join(values)}`.execute(tx);
}

async function insertInSqlite(tx: Transaction<unknown>, rows: readonly IndexedEvent[]): Promise<void> {
  const ids = rows.map((row) => sql`(${formatSearchValues(row)})`);
  await sql`insert into calendar_search (${SEARCH_COLUMNS}) values ${sql.join(ids)}`.execute(tx);
  await insertIndexRows(tx, rows);
}

/** Adds search texts of events that have none. */
async function insertSearchTexts(tx: Transaction<unknown>, rows: readonly SearchableEvent[]): Promise<void> {
  for (const chunk of splitIntoChunks(rows.map(foldTexts), ROWS_PER_STATEMENT))
    await (isPostgres(tx) ? insertInPostgres(tx, chunk) : insertInSqlite(tx, chunk));
}

async function insertAllSearchTexts(tx: Transaction<unknown>): Promise<void> {
  for (let lastId = 0; ;) {
    const { rows } = await sql<SearchableEvent>`
      select id as event, account, name, description, style, day, until_day as until
      from calendar_event where id > ${lastId} and deleted is null order by id limit ${ROWS_PER_STATEMENT}`.execute(tx);
    await insertSearchTexts(tx, rows);
    if (rows.length < ROWS_PER_STATEMENT) return;
    lastId = rows.at(-1)?.event ?? lastId;
  }
}

/** Fills the empty search index with all events that are not deleted. */
export async function fillSearchIndex(tx: Transaction<unknown>): Promise<void> {
  if (!isPostgres(tx)) return insertAllSearchTexts(tx);
  // Creating these indexes at the end takes a tenth of the time.
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = current_schema() and tablename = 'calendar_search' and indexdef like '%USING gin%'`.execute(tx);
  for (const { name } of indexes) await sql`drop index ${sql.table(name)}`.execute(tx);
  await insertAllSearchTexts(tx);
  await sql`set local statement_timeout = 0`.execute(tx);
  for (const { definition } of indexes) await sql.raw(definition).execute(tx);
}

/** Maintains the search index. `index` and `unindex` run in the transaction that changes the events. */
export function createSearchIndex() {
  return {
    /** Replaces the search texts of events. */
    index: async (tx: Transaction<unknown>, rows: readonly SearchableEvent[]): Promise<void> => {
      await unindex(
        tx,
        rows.map(({ event }) => event),
      );
      await insertSearchTexts(tx, rows);
    },
    unindex,
  };
}
export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** An event with its days and its searchable texts. */
export interface PlacedEvent extends Pick<EventDraft, 'name' | 'description'>, EventTimes {
  readonly id: number;
}

const toRuleColumns = ({ monthDay, period, phase, from, until, offset = 0 }: Rule) => ({
  month_day: monthDay,
  period,
  phase,
  from_day: from,
  until_day: until,
  day_offset: offset,
});

/** Removes events from their days and from the search index. */
export async function removePlacements(
  tx: Transaction<unknown>,
  search: SearchIndex,
  events: readonly number[],
): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  for (const batch of splitIntoBatches(events))
    for (const table of ['calendar_day', 'calendar_rule', 'calendar_span'] as const)
      await tables.deleteFrom(table).where('event', 'in', batch).execute();
  await search.unindex(tx, events);
}

/** Adds events to their days and to the search index. */
export async function insertPlacements(
  tx: Transaction<unknown>,
  search: SearchIndex,
  account: number,
  events: readonly PlacedEvent[],
): Promise<void> {
  const tables = tx.$extendTables<CalendarTables>();
  const placements = events.map((event) => ({ event: event.id, ...getPlacement(event) }));
  const days = placements.flatMap(({ event, days: on }) => on.map((day) => ({ account, day, event })));
  for (const batch of splitIntoBatches(days, 3)) await tables.insertInto('calendar_day').values(batch).execute();
  const rules = placements.flatMap(({ event, rules: all }) =>
    all.map((rule) => ({ account, event, ...toRuleColumns(rule) })),
  );
  for (const batch of splitIntoBatches(rules, 8)) await tables.insertInto('calendar_rule').values(batch).execute();
  const spans = placements.flatMap(({ event, spans: all = [] }) =>
    all.map((span) => ({ account, event, ...toRuleColumns(span), day_count: span.count })),
  );
  for (const batch of splitIntoBatches(spans, 9)) await tables.insertInto('calendar_span').values(batch).execute();
  await search.index(
    tx,
    events.map(({ id, name, description, day, pattern }, at) => ({
      event: id,
      account,
      name,
      description,
      style: getStyle(pattern),
      day,
      until: placements[at]?.until ?? day,
    })),
  );
}
