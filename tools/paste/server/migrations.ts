import { idColumn } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-piece',
    up: async (db) => {
      await db.schema
        .createTable('paste_piece')
        .$call(idColumn(db))
        .addColumn('code', 'text', (column) => column.notNull().unique())
        // Null for pastes of visitors.
        .addColumn('account', 'integer', (column) => column.references('account.id').onDelete('cascade'))
        .addColumn('visitor', 'text')
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addColumn('encrypted', 'integer', (column) => column.notNull())
        .addColumn('burns', 'integer', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('expires', 'bigint', (column) => column.notNull())
        .addColumn('escaped', 'integer', (column) => column.notNull())
        // The last column, so that SQLite can read the others without loading the text.
        .addColumn('text', 'text', (column) => column.notNull())
        .execute();
      for (const column of ['account', 'visitor', 'expires'])
        await db.schema.createIndex(`paste_piece_${column}`).on('paste_piece').columns([column, 'id']).execute();
    },
  },
  {
    name: '002-key-proof',
    up: async (db) => {
      await db.schema.alterTable('paste_piece').addColumn('key_proof', 'text').execute();
    },
  },
];
