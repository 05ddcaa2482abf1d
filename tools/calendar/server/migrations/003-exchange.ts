import type { Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';

/** What the calendar gives to and takes from others. Times are milliseconds since the epoch. */
export const exchange = async (db: Kysely<unknown>): Promise<void> => {
  const { schema } = db;
  // The secret is kept as it is, for its owner to read again: who has this database has the events themselves.
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
    // What the other server gave to ask 'anything new?' with.
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
    // The day whose reminder has been sent.
    .addColumn('sent_day', 'integer')
    .execute();
};
