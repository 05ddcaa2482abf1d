import { sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely';
import { idColumn, referenceAccount } from '#platform/server/database/columns.ts';
import type { Migration } from '#platform/server/tool.ts';

const listColumn = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('shopping_list.id').onDelete('cascade');

/** Times are milliseconds since the epoch. */
async function createListTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('shopping_list')
    .$call(idColumn(db))
    // The owner. The list is deleted with this account, also for other members.
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('next_id', 'bigint', (column) => column.notNull())
    // Revision at which an item was last added, renamed or removed.
    .addColumn('named', 'bigint', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('deleted', 'bigint')
    .execute();
  await schema.createIndex('shopping_list_account').on('shopping_list').column('account').execute();

  // Accounts that can see a list, including its owner.
  await schema
    .createTable('shopping_member')
    .addColumn('list', 'integer', listColumn)
    .addColumn('account', 'integer', referenceAccount)
    // 0 until the invitation is accepted.
    .addColumn('joined', 'bigint', (column) => column.notNull())
    .addColumn('is_archived', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('shopping_member_once', ['list', 'account'])
    .execute();
  await schema.createIndex('shopping_member_account').on('shopping_member').column('account').execute();

  // List states (sync/domain/listState.ts): one row per leaf, including leaves of removed things.
  await schema
    .createTable('shopping_leaf')
    .addColumn('list', 'integer', listColumn)
    .addColumn('path', 'text', (column) => column.notNull())
    // JSON.
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('client', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('shopping_leaf_once', ['list', 'path'])
    .execute();

  // Finds the newest item names without reading all leaves of a list.
  await schema
    .createIndex('shopping_leaf_named')
    .on('shopping_leaf')
    .columns(['list', 'time'])
    .where(sql<boolean>`path like 'items/%/name'`)
    .execute();

  // Server ids by the `new…` ids of clients.
  await schema
    .createTable('shopping_id')
    .addColumn('list', 'integer', listColumn)
    .addColumn('client', 'text', (column) => column.notNull())
    .addColumn('sent', 'text', (column) => column.notNull())
    .addColumn('given', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('shopping_id_once', ['list', 'client', 'sent'])
    .execute();

  // The last batch of each client with its answer, for repeated requests.
  await schema
    .createTable('shopping_batch')
    .addColumn('account', 'integer', referenceAccount)
    .addColumn('client', 'text', (column) => column.notNull())
    .addColumn('list', 'integer', listColumn)
    .addColumn('seq', 'bigint', (column) => column.notNull())
    // JSON.
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('shopping_batch_once', ['account', 'client'])
    .execute();
  await schema.createIndex('shopping_batch_list').on('shopping_batch').column('list').execute();
}

export const migrations: readonly Migration[] = [{ name: '001-lists', up: createListTables }];
