import { idColumn } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-answers',
    up: async (db) => {
      await db.schema
        .createTable('ai_answer')
        .$call(idColumn(db))
        .addColumn('room', 'text', (column) => column.notNull())
        .addColumn('prompt', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('error', 'text')
        .addColumn('created', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .execute();
      await db.schema.createIndex('ai_answer_room').on('ai_answer').columns(['room', 'id']).execute();
      await db.schema.createIndex('ai_answer_created').on('ai_answer').column('created').execute();
    },
  },
  {
    name: '002-thoughts',
    up: async (db) => {
      await db.schema
        .alterTable('ai_answer')
        .addColumn('thoughts', 'text', (column) => column.notNull().defaultTo(''))
        .execute();
    },
  },
];
