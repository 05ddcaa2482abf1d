import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Stores a rule of an event that lasts many days once, with its length: a row a day makes too many. */
export const spans = async (db: Kysely<unknown>): Promise<void> => {
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
};
