import { idColumn } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

export const migrations: readonly Migration[] = [
  {
    name: '001-history',
    up: async (db) => {
      await db.schema
        .createTable('chatstatus_member')
        .$call(idColumn(db))
        .addColumn('platform', 'text', (column) => column.notNull())
        .addColumn('person', 'text', (column) => column.notNull())
        .addColumn('code', 'text', (column) => column.notNull().unique())
        .addColumn('recorded', 'integer', (column) => column.notNull())
        .addUniqueConstraint('chatstatus_member_person', ['platform', 'person'])
        .execute();
      await db.schema
        .createTable('chatstatus_change')
        .addColumn('member', 'integer', (column) =>
          column.notNull().references('chatstatus_member.id').onDelete('cascade'),
        )
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('pc', 'text', (column) => column.notNull())
        .addColumn('mobile', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('chatstatus_change_at', ['member', 'at'])
        .execute();
      await db.schema
        .createTable('chatstatus_beat')
        .addColumn('platform', 'text', (column) => column.primaryKey())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];
