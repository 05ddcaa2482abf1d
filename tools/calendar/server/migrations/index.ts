import { type Kysely, sql } from 'kysely';
import { idColumn, referenceAccount, isPostgres } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';
import { createEventTables } from './001-events.ts';
import { createSearchTables } from './002-search.ts';
import { refoldSearchTexts } from './006-search-fold.ts';
import { separateSearchAccounts } from './011-search-accounts.ts';

/** Creates tables for the exchange with other calendars. Times are milliseconds since the epoch. */
async function createExchangeTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  // The secret is stored as plain text, so that its owner can read it again. The events are in the same database.
  await schema
    .createTable('calendar_feed')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('secret', 'text', (column) => column.notNull().unique())
    .execute();
  await schema
    .createTable('calendar_subscription')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('colour', 'text', (column) => column.notNull())
    .addColumn('refreshed', 'bigint')
    .addColumn('due', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('problem', 'text')
    // Validators of the last response, for conditional requests.
    .addColumn('etag', 'text')
    .addColumn('modified', 'text')
    .execute();
  await schema.createIndex('calendar_subscription_account').on('calendar_subscription').column('account').execute();
  await schema.createIndex('calendar_subscription_due').on('calendar_subscription').column('due').execute();
  await schema
    .createTable('calendar_reminder')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('is_on', 'integer', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    // The last day whose reminder was sent.
    .addColumn('sent_day', 'integer')
    .execute();
}

/**
 * Creates indexes for common words, which occur in too many events to check each: PostgreSQL walks them by day until it
 * has enough, and finds repeats, whose days are computed, separately. SQLite is fast enough without.
 */
async function createSearchOrderIndexes(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`create index calendar_search_soon on calendar_search (account, day, event) where style <> 'repeat'`.execute(
    db,
  );
  await sql`create index calendar_search_late on calendar_search (account, until_day, event) where style <> 'repeat'`.execute(
    db,
  );
  await sql`create index calendar_search_lasting on calendar_search (account, until_day) where style = 'duration'`.execute(
    db,
  );
  await sql`create index calendar_search_repeat_words on calendar_search using gin (words)
    with (fastupdate = off) where style = 'repeat'`.execute(db);
  const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db);
  if (rows.length > 0)
    await sql`create index calendar_search_repeat_parts on calendar_search using gin (name gin_trgm_ops)
      with (fastupdate = off) where style = 'repeat'`.execute(db);
}

type SubscriptionTables = { calendar_subscription: { etag: string | null; modified: string | null } };

/** Adds the problems of the last refresh of a subscription, as JSON. */
async function addSubscriptionWarnings(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('calendar_subscription').addColumn('warnings', 'text').execute();
  // Refreshes every file: a zone that was unknown may be known now.
  await db
    .$extendTables<SubscriptionTables>()
    .updateTable('calendar_subscription')
    .set({ etag: null, modified: null })
    .execute();
}

/**
 * Adds the end day and the zone of events. Foreign rules also get rows for the days next to their own, because parts of
 * an occurrence may be there in the viewer's zone.
 */
async function addEndAndZone(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('calendar_event')
    .addColumn('end_days', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('calendar_event').addColumn('zone', 'text').execute();
  await schema
    .alterTable('calendar_rule')
    .addColumn('day_offset', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.dropIndex('calendar_rule_place').execute();
  await schema
    .createIndex('calendar_rule_place')
    .on('calendar_rule')
    .columns(['account', 'day_offset', 'month_day', 'period', 'phase', 'until_day'])
    .execute();
  // Refreshes all subscribed calendars, because their zones were not stored.
  await sql`update calendar_subscription set etag = null, modified = null, due = 0`.execute(db);
  // Hours after a time may reach into the next day.
  const end = sql`day + (cast(substr(time, 1, 2) as integer) * 60 + cast(substr(time, 4, 2) as integer) + duration * 60 - 1) / 1440`;
  const isHours = sql`style = 'duration' and duration_unit = 'hours' and duration > 0 and time is not null and end_time is null`;
  await sql`update calendar_event set until_day = ${end} where ${isHours}`.execute(db);
  await sql`update calendar_search set until_day = (select until_day from calendar_event where id = calendar_search.event)
    where event in (select id from calendar_event where ${isHours})`.execute(db);
}

/**
 * Adds the version of the reader that last read the source of an event. Version 0 is read again (`sourceReader.ts`).
 */
async function addSourceFormat(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('calendar_source')
    .addColumn('format', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('calendar_source_format').on('calendar_source').column('format').execute();
}

/** Stores a foreign rule of long events once, with its length, because one row for each day would be too many. */
async function createSpanTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('calendar_span')
    .addColumn('account', 'integer', (column) => column.notNull())
    .addColumn('event', 'integer', (column) => column.notNull().references('calendar_event.id').onDelete('cascade'))
    .addColumn('month_day', 'integer', (column) => column.notNull())
    .addColumn('period', 'integer', (column) => column.notNull())
    .addColumn('phase', 'integer', (column) => column.notNull())
    .addColumn('from_day', 'integer', (column) => column.notNull())
    .addColumn('until_day', 'integer', (column) => column.notNull())
    .addColumn('day_offset', 'integer', (column) => column.notNull())
    .addColumn('day_count', 'integer', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('calendar_span_event').on('calendar_span').column('event').execute();
  await db.schema
    .createIndex('calendar_span_place')
    .on('calendar_span')
    .columns(['account', 'until_day', 'from_day'])
    .execute();
  await sql`insert into calendar_span
    (account, event, month_day, period, phase, from_day, until_day, day_offset, day_count)
    select account, event, month_day, period, phase, from_day, until_day, min(day_offset),
      max(day_offset) - min(day_offset) + 1
    from calendar_rule group by account, event, month_day, period, phase, from_day, until_day
    having count(*) > 4`.execute(db);
  await sql`delete from calendar_rule where day_offset <> 0
    and event in (select event from calendar_span)`.execute(db);
}

/** Adds an index of the few single events that continue after their first day, for PostgreSQL. */
async function createOvernightIndex(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`create index calendar_search_overnight on calendar_search (account, until_day)
    where style = 'calendar' and until_day > day`.execute(db);
}

export const migrations: readonly Migration[] = [
  { name: '001-events', up: createEventTables },
  { name: '002-search', up: createSearchTables },
  { name: '003-exchange', up: createExchangeTables },
  { name: '004-search-order', up: createSearchOrderIndexes },
  { name: '005-subscription-warnings', up: addSubscriptionWarnings },
  { name: '006-search-fold', up: refoldSearchTexts },
  { name: '007-times', up: addEndAndZone },
  { name: '008-source-format', up: addSourceFormat },
  { name: '009-spans', up: createSpanTable },
  { name: '010-search-overnight', up: createOvernightIndex },
  { name: '011-search-accounts', up: separateSearchAccounts },
];
