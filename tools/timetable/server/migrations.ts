import type { Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

/** Days are ISO dates, minutes count from midnight on the wall clock, times are epoch milliseconds. */
export async function slots(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('timetable_slot')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('start_minute', 'integer', (column) => column.notNull())
    .addColumn('end_minute', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    // 0xRRGGBB.
    .addColumn('colour', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    // When it was deleted; it can be restored for a day.
    .addColumn('gone', 'bigint')
    .execute();
  await schema.createIndex('timetable_slot_day').on('timetable_slot').columns(['account', 'day']).execute();

  // Named copies of weeks. `days` is read and written as a whole: JSON, seven days, Monday first.
  await schema
    .createTable('timetable_week')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slots', 'integer', (column) => column.notNull())
    .addColumn('days', 'text', (column) => column.notNull())
    .addColumn('saved', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('timetable_week_account').on('timetable_week').column('account').execute();

  // Revision of an account's timetable, and whether its calendar feed contains it.
  await schema
    .createTable('timetable_book')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('in_feed', 'integer', (column) => column.notNull())
    .execute();
}

export const migrations: readonly Migration[] = [{ name: '001-slots', up: slots }];
