import type { Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';

/** What applications are sorted into, and by what. */
export const sorting = async (db: Kysely<unknown>): Promise<void> => {
  const { schema } = db;
  // `screentime_application.category` is one of these, or null.
  await schema
    .createTable('screentime_category')
    .$call(idColumn(db))
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('up', 'text', (column) => column.notNull())
    .addColumn('down', 'text', (column) => column.notNull())
    .addColumn('mute', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('screentime_category_name')
    .unique()
    .on('screentime_category')
    .columns(['account', 'name'])
    .execute();

  // A rule names its category: it waits where there is none of that name.
  await schema
    .createTable('screentime_rule')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('pattern', 'text', (column) => column.notNull())
    .addColumn('category', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('screentime_rule_key', ['account', 'position'])
    .execute();
};
