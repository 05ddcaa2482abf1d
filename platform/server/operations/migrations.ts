import { idColumn } from '../database/columns.ts';
import type { Migration } from '../tool.ts';

export const securityMigrations: readonly Migration[] = [
  {
    name: '001-events',
    up: async (db) => {
      await db.schema
        .createTable('security_event')
        .$call(idColumn(db))
        // Null for events of the whole server.
        .addColumn('account', 'integer', (column) => column.references('account.id').onDelete('cascade'))
        .addColumn('event', 'text', (column) => column.notNull())
        .addColumn('address', 'text', (column) => column.notNull())
        .addColumn('device', 'integer')
        .addColumn('times', 'integer', (column) => column.notNull())
        // Last occurrence, in milliseconds since the epoch.
        .addColumn('time', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('security_event_account').on('security_event').columns(['account', 'time']).execute();
      await db.schema.createIndex('security_event_time').on('security_event').column('time').execute();
    },
  },
];
