import { idColumn, referenceAccount } from '../database/columns.ts';
import type { Migration } from '../tool.ts';

export const pushMigrations: readonly Migration[] = [
  {
    name: '001-subscriptions',
    up: async (db) => {
      await db.schema
        .createTable('push_subscription')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('session', 'integer', (column) => column.notNull().references('session.id').onDelete('cascade'))
        .addColumn('endpoint', 'text', (column) => column.notNull().unique())
        .addColumn('p256dh', 'text', (column) => column.notNull())
        .addColumn('auth', 'text', (column) => column.notNull())
        .execute();
      for (const column of ['account', 'session'] as const)
        await db.schema.createIndex(`push_subscription_${column}`).on('push_subscription').column(column).execute();
    },
  },
];
