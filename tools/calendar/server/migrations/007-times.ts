import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/**
 * An event ends on a day of its own, and its times are those of a zone. Of rules the days beside those on which an event begins are found
 * as well: parts of it may lie there, by the clock of whoever looks.
 */
export const times = async (db: Kysely<unknown>): Promise<void> => {
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
  // Subscribed calendars are read whole again: their zones were not kept.
  await sql`update calendar_subscription set etag = null, modified = null, due = 0`.execute(db);
  // Hours from a time on may reach into the next day.
  const end = sql`day + (cast(substr(time, 1, 2) as integer) * 60 + cast(substr(time, 4, 2) as integer) + duration * 60 - 1) / 1440`;
  const isHours = sql`style = 'duration' and duration_unit = 'hours' and duration > 0 and time is not null and end_time is null`;
  await sql`update calendar_event set until_day = ${end} where ${isHours}`.execute(db);
  await sql`update calendar_search set until_day = (select until_day from calendar_event where id = calendar_search.event)
    where event in (select id from calendar_event where ${isHours})`.execute(db);
};
