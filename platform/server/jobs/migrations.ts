import { idColumn, referenceAccount } from '../database/columns.ts';
import type { Migration } from '../tool.ts';

export const jobMigrations: readonly Migration[] = [
  {
    name: '001-jobs',
    up: async (db) => {
      await db.schema
        .createTable('job')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('input', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('parent', 'integer')
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('attempt', 'integer', (column) => column.notNull())
        .addColumn('run_after', 'bigint', (column) => column.notNull())
        .addColumn('lease_by', 'text')
        .addColumn('lease_until', 'bigint', (column) => column.notNull())
        .addColumn('cancel', 'integer', (column) => column.notNull())
        .addColumn('error', 'text', (column) => column.notNull())
        .addColumn('result', 'text')
        .addColumn('dismissed', 'integer', (column) => column.notNull())
        .addColumn('created', 'bigint', (column) => column.notNull())
        .addColumn('ended', 'bigint')
        .execute();
      await db.schema.createIndex('job_state').on('job').columns(['state', 'account']).execute();
      await db.schema.createIndex('job_account').on('job').columns(['account', 'state']).execute();
      await db.schema.createIndex('job_key').on('job').columns(['account', 'kind', 'key']).execute();
    },
  },
];
