import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';

const referenceEvent = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('calendar_event.id').onDelete('cascade');

/** Creates the tables of events. Days are days since 1970-01-01, times milliseconds since the epoch. */
export async function createEventTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  // One row for each account: state of the calendar as a whole.
  await schema
    .createTable('calendar_book')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('calendar_event')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('uid', 'text', (column) => column.notNull())
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('style', 'text', (column) => column.notNull())
    .addColumn('day', 'integer', (column) => column.notNull())
    // The last day: the end of a duration, the last day of a repeat, or the last supported day.
    .addColumn('until_day', 'integer', (column) => column.notNull())
    .addColumn('time', 'text')
    .addColumn('end_time', 'text')
    .addColumn('repeat_every', 'integer')
    .addColumn('repeat_unit', 'text')
    .addColumn('repeat_from', 'text')
    .addColumn('repeat_from_day', 'integer')
    .addColumn('repeat_until', 'text')
    .addColumn('repeat_until_value', 'integer')
    .addColumn('foreign_rule', 'text')
    .addColumn('foreign_words', 'text')
    .addColumn('duration', 'integer')
    .addColumn('duration_unit', 'text')
    .addColumn('pinned', 'integer')
    .addColumn('subscription', 'integer')
    .addColumn('parent', 'integer', (column) => column.references('calendar_event.id').onDelete('cascade'))
    .addColumn('replaces', 'integer')
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('edited', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    // Revision of the last change other than a change of tags. A save must have seen it.
    .addColumn('content_revision', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('deleted', 'bigint')
    // Last, so that SQLite can read the other columns without it.
    .addColumn('description', 'text', (column) => column.notNull())
    // The days of a foreign rule, including exceptions: the first one, then the steps to the next.
    .addColumn('foreign_days', 'text')
    .execute();
  for (const columns of [
    ['account', 'revision'],
    ['account', 'uid'],
    ['account', 'resource'],
  ])
    await schema
      .createIndex(`calendar_event_${columns.join('_')}`)
      .on('calendar_event')
      .columns(columns)
      .execute();
  await schema.createIndex('calendar_event_parent').on('calendar_event').column('parent').execute();
  await schema
    .createIndex('calendar_event_subscription')
    .on('calendar_event')
    .columns(['subscription', 'uid'])
    .execute();
  // Covers all columns by which lists and search select events, so that only the rows of the answer are read.
  await schema
    .createIndex('calendar_event_kept')
    .on('calendar_event')
    .columns(['account', 'deleted', 'id', 'style', 'day', 'until_day'])
    .execute();
  await schema
    .createIndex('calendar_event_end')
    .on('calendar_event')
    .columns(['account', 'style', 'until_day', 'day', 'deleted'])
    .execute();

  // Where events happen: single events and foreign rules by day, our own repeats by their rule. Deleted events have no
  // rows.
  await schema
    .createTable('calendar_day')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('event', 'integer', referenceEvent)
    .addPrimaryKeyConstraint('calendar_day_once', ['event', 'day'])
    .execute();
  await schema.createIndex('calendar_day_account').on('calendar_day').columns(['account', 'day', 'event']).execute();
  // Days: every `period` days, day mod period = phase, `month_day` 0. Months: every `period` months, month index mod
  // period = phase, on `month_day`.
  await schema
    .createTable('calendar_rule')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('event', 'integer', referenceEvent)
    .addColumn('month_day', 'integer', (column) => column.notNull())
    .addColumn('period', 'integer', (column) => column.notNull())
    .addColumn('phase', 'integer', (column) => column.notNull())
    .addColumn('from_day', 'integer', (column) => column.notNull())
    .addColumn('until_day', 'integer', (column) => column.notNull())
    .execute();
  await schema.createIndex('calendar_rule_event').on('calendar_rule').column('event').execute();
  await schema
    .createIndex('calendar_rule_place')
    .on('calendar_rule')
    .columns(['account', 'month_day', 'period', 'phase', 'until_day'])
    .execute();
  await schema
    .createTable('calendar_exception')
    .addColumn('event', 'integer', referenceEvent)
    .addColumn('day', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('calendar_exception_once', ['event', 'day'])
    .execute();

  await schema
    .createTable('calendar_tag')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('colour', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('deleted', 'bigint')
    .addUniqueConstraint('calendar_tag_name', ['account', 'name'])
    .execute();
  await schema
    .createTable('calendar_event_tag')
    .addColumn('event', 'integer', referenceEvent)
    .addColumn('tag', 'integer', (column) => column.notNull().references('calendar_tag.id').onDelete('cascade'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('calendar_event_tag_once', ['event', 'tag'])
    .execute();
  await schema.createIndex('calendar_event_tag_tag').on('calendar_event_tag').columns(['tag', 'event']).execute();
  // The newest tag that was sent to a session. A session can only delete tags that it has seen.
  await schema
    .createTable('calendar_seen')
    .addColumn('session', 'integer', (column) => column.primaryKey().references('session.id').onDelete('cascade'))
    .addColumn('tag', 'integer', (column) => column.notNull())
    .execute();

  await schema
    .createTable('calendar_edit')
    .$call(idColumn(db))
    .addColumn('event', 'integer', referenceEvent)
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    // Only for accesses: one entry for each event, address and day.
    .addColumn('day', 'integer')
    .addUniqueConstraint('calendar_edit_once', ['event', 'address', 'day'])
    .execute();

  // Objects of other calendars, unchanged.
  await schema
    .createTable('calendar_source')
    .addColumn('event', 'integer', (column) => column.primaryKey().references('calendar_event.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .execute();
  // Resources of events that are permanently removed.
  await schema
    .createTable('calendar_gone')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('gone', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('calendar_gone_account').on('calendar_gone').columns(['account', 'revision']).execute();
}
