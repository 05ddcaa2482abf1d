import { sql } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import { createRetentionTable } from '#platform/server/storage/retention.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-messages-and-scripts',
    up: async (db) => {
      await db.schema
        .createTable('remote_message')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('device', 'integer', (column) => column.notNull().references('device.id').onDelete('cascade'))
        .addColumn('inputtype', 'integer', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('timesent', 'double precision', (column) => column.notNull())
        .addColumn('outcome', 'text', (column) => column.notNull())
        .addColumn('done', 'integer', (column) => column.notNull())
        .addUniqueConstraint('remote_message_once', ['device', 'timesent', 'inputtype', 'text'])
        .execute();
      await db.schema.createIndex('remote_message_device').on('remote_message').columns(['device', 'id']).execute();
      await db.schema.createIndex('remote_message_account').on('remote_message').column('account').execute();
      await db.schema
        .createTable('remote_script')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addColumn('changed', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('remote_script_name', ['account', 'name'])
        .execute();
    },
  },
  {
    name: '002-retention',
    up: async (db) => {
      const alter = () => db.schema.alterTable('remote_message');
      await alter()
        .addColumn('stored', 'integer', (column) => column.notNull().defaultTo(1))
        .execute();
      await alter()
        .addColumn('received', 'bigint', (column) => column.notNull().defaultTo(0)) // milliseconds since the epoch
        .execute();
      // The sender's time is the best available value, limited to the past.
      const now = Date.now();
      const fromSender = sql`case when timesent >= 0 and timesent < ${now / 1000} then cast(timesent * 1000 as bigint) else ${sql.lit(now)} end`;
      await sql`update remote_message set received = ${fromSender}`.execute(db);
      await db.schema
        .createIndex('remote_message_received')
        .on('remote_message')
        .columns(['account', 'received'])
        .execute();
      await createRetentionTable(db, 'remote_retention');
    },
  },
];
