import { idColumn, referenceAccount } from '../database/columns.ts';
import type { Migration } from '../tool.ts';

export const deviceMigrations: readonly Migration[] = [
  {
    name: '001-device',
    up: async (db) => {
      await db.schema
        .createTable('device')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('system', 'text', (column) => column.notNull())
        .addColumn('version', 'text', (column) => column.notNull())
        .addColumn('abilities', 'text', (column) => column.notNull()) // JSON
        .addColumn('created', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .addColumn('last_seen', 'bigint') // milliseconds since the epoch
        .execute();
      await db.schema.createIndex('device_account').on('device').column('account').execute();
    },
  },
  {
    name: '002-browser',
    up: async (db) => {
      await db.schema.alterTable('device').addColumn('browser_key', 'text').execute();
      await db.schema.createIndex('device_browser').unique().on('device').columns(['account', 'browser_key']).execute();
    },
  },
  {
    name: '003-lost-at',
    up: async (db) => {
      await db.schema.alterTable('device').addColumn('lost_at', 'bigint').execute(); // milliseconds since the epoch
    },
  },
  {
    name: '004-lost-session',
    up: async (db) => {
      await db.schema.alterTable('device').addColumn('lost_session', 'integer').execute();
    },
  },
];
