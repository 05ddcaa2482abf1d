import { idColumn, referencesAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-messages-and-scripts',
    up: async (db) => {
      await db.schema
        .createTable('remote_message')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referencesAccount)
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
        .addColumn('account', 'integer', referencesAccount)
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addColumn('changed', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('remote_script_name', ['account', 'name'])
        .execute();
    },
  },
];
