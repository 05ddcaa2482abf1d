import { sql } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import { createRetentionTable } from '#platform/server/storage/retention.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-messages',
    up: async (db) => {
      await db.schema
        .createTable('messages_message')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('device', 'integer', (column) => column.notNull().references('device.id').onDelete('cascade'))
        .addColumn('sender', 'text', (column) => column.notNull())
        .addColumn('inputtype', 'integer', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('timesent', 'double precision', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addUniqueConstraint('messages_message_once', ['device', 'key'])
        .execute();
      await db.schema.createIndex('messages_message_device').on('messages_message').columns(['device', 'id']).execute();
      await db.schema.createIndex('messages_message_account').on('messages_message').column('account').execute();
    },
  },
  {
    name: '002-visitors',
    up: async (db) => {
      await db.schema
        .createTable('messages_visitor')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('received', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('messages_visitor_account')
        .on('messages_visitor')
        .columns(['account', 'id'])
        .execute();
    },
  },
  {
    name: '003-from',
    up: async (db) => {
      await db.schema
        .alterTable('messages_message')
        .addColumn('from_device', 'integer', (column) => column.references('device.id').onDelete('set null'))
        .execute();
      await db.schema
        .createIndex('messages_message_from')
        .on('messages_message')
        .columns(['from_device', 'id'])
        .execute();
      // Lets the last message of each conversation be found from the index alone.
      await db.schema
        .createIndex('messages_message_ends')
        .on('messages_message')
        .columns(['account', 'device', 'from_device', 'id'])
        .execute();
    },
  },
  {
    name: '004-retention',
    up: async (db) => {
      await db.schema
        .alterTable('messages_message')
        .addColumn('received', 'bigint', (column) => column.notNull().defaultTo(0)) // milliseconds since the epoch
        .execute();
      // The sender's time is the best available value, limited to the past.
      const now = Date.now();
      const fromSender = sql`case when timesent >= 0 and timesent < ${now / 1000} then cast(timesent * 1000 as bigint) else ${sql.lit(now)} end`;
      await sql`update messages_message set received = ${fromSender}`.execute(db);
      await db.schema
        .createIndex('messages_message_received')
        .on('messages_message')
        .columns(['account', 'received'])
        .execute();
      await createRetentionTable(db, 'messages_retention');
    },
  },
];
