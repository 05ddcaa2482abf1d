import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';

const eventColumn = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('calendar_event.id').onDelete('cascade');

/** Days are days since 1970-01-01, times milliseconds since the epoch. */
export async function events(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  // One row an account: what the calendar as a whole knows.
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
    // The last day that belongs to it: of a duration its end, of a repeat the last one or the calendar's last day.
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
    // As of its last change that was no change of its tags alone: what a save must have seen.
    .addColumn('content_revision', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('deleted', 'bigint')
    // Last, so that SQLite reads the others without them.
    .addColumn('description', 'text', (column) => column.notNull())
    // The days of a rule of another calendar, exceptions among them: the first one, then the steps to the next.
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
  // With all columns that lists and search choose events by, so that they read no rows but those that they answer.
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

  // Where events stand: single ones and rules of other calendars day by day, our repeats by their rule. Deleted ones stand nowhere.
  await schema
    .createTable('calendar_day')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('event', 'integer', eventColumn)
    .addPrimaryKeyConstraint('calendar_day_once', ['event', 'day'])
    .execute();
  await schema.createIndex('calendar_day_account').on('calendar_day').columns(['account', 'day', 'event']).execute();
  // Days: `period` days, day mod period = phase, `month_day` 0. Months: `period` months, month index mod period = phase, on `month_day`.
  await schema
    .createTable('calendar_rule')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('event', 'integer', eventColumn)
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
    .addColumn('event', 'integer', eventColumn)
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
    .addColumn('event', 'integer', eventColumn)
    .addColumn('tag', 'integer', (column) => column.notNull().references('calendar_tag.id').onDelete('cascade'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('calendar_event_tag_once', ['event', 'tag'])
    .execute();
  await schema.createIndex('calendar_event_tag_tag').on('calendar_event_tag').columns(['tag', 'event']).execute();
  // The newest tag that a session has been sent: what it deletes it must have seen.
  await schema
    .createTable('calendar_seen')
    .addColumn('session', 'integer', (column) => column.primaryKey().references('session.id').onDelete('cascade'))
    .addColumn('tag', 'integer', (column) => column.notNull())
    .execute();

  await schema
    .createTable('calendar_edit')
    .$call(idColumn(db))
    .addColumn('event', 'integer', eventColumn)
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    // Accesses alone: one an event, address and day.
    .addColumn('day', 'integer')
    .addUniqueConstraint('calendar_edit_once', ['event', 'address', 'day'])
    .execute();

  // Objects of other calendars, word for word.
  await schema
    .createTable('calendar_source')
    .addColumn('event', 'integer', (column) => column.primaryKey().references('calendar_event.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .execute();
  // Resources whose events are gone for good.
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
