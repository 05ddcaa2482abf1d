import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-note',
    up: async (db) => {
      await db.schema
        .createTable('example_note')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('text', 'text', (column) => column.notNull())
        // Milliseconds since the epoch.
        .addColumn('created', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('example_note_account').on('example_note').columns(['account', 'id']).execute();
    },
  },
];
