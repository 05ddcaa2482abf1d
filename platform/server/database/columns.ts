import { PostgresAdapter, type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely } from 'kysely';

/**
 * Adds `id`, an integer primary key that the database gives and never gives again, in the form that the dialect of `db` knows.
 *
 * ```ts
 * await db.schema
 *   .createTable('shopping_list')
 *   .$call(idColumn(db))
 *   .addColumn('account', 'integer', referencesAccount)
 *   .addColumn('name', 'text', (column) => column.notNull())
 *   .addColumn('changed', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
 *   .execute();
 * await db.schema.createIndex('shopping_list_account').on('shopping_list').column('account').execute();
 * ```
 *
 * The id of a new row comes back by `.returning('id')`, on both dialects.
 */
export const idColumn =
  (db: Kysely<unknown>) =>
  <Table extends string, Columns extends string>(
    table: CreateTableBuilder<Table, Columns>,
  ): CreateTableBuilder<Table, Columns | 'id'> =>
    table.addColumn('id', 'integer', (column) =>
      isPostgres(db) ? column.generatedAlwaysAsIdentity().primaryKey() : column.primaryKey().autoIncrement(),
    );

/**
 * The account that a row belongs to; the row goes with it. `.addColumn('account', 'integer', referencesAccount)`.
 * Neither database makes an index of it by itself: a table that is read by account needs one.
 */
export const referenceAccount = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.notNull().references('account.id').onDelete('cascade');

/** Whether `db` speaks to PostgreSQL; for the few lines of a migration that the two dialects need written apart. */
export const isPostgres = (db: Kysely<unknown>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
