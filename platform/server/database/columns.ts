import { PostgresAdapter, type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely } from 'kysely';

/** Returns how many rows may exceed the limit before any are deleted, so that most cleanups write nothing. */
const getSlack = (maxRows: number): number => Math.max(20, Math.ceil(maxRows / 20));

/** Deletes all but the newest `maxRows` rows, by `id`, among the rows of a table that have these values. */
export async function deleteOldestRows(
  untypedDb: Kysely<unknown>,
  table: string,
  group: Readonly<Record<string, number>>,
  maxRows: number,
): Promise<void> {
  const db = untypedDb.$extendTables<Record<string, Record<string, number>>>();
  const selectNthNewest = (position: number) =>
    db
      .selectFrom(table)
      .select('id')
      .where((eb) => eb.and(group))
      .orderBy('id', 'desc')
      .limit(1)
      .offset(position - 1);
  await db
    .deleteFrom(table)
    .where((eb) => eb.and(group))
    .where('id', '<', selectNthNewest(maxRows))
    .where((eb) => eb.exists(selectNthNewest(maxRows + getSlack(maxRows))))
    .execute();
}

/** Converts a boolean to the integer that both databases store; compare with 1 when reading. */
export function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** Splits a list into chunks of at most `size` items, in order. An empty list has no chunks. */
export function splitIntoChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/**
 * Adds `id`, an integer primary key that is never reused, in the dialect of `db`.
 *
 * ```ts
 * await db.schema
 *   .createTable('example_list')
 *   .$call(idColumn(db))
 *   .addColumn('account', 'integer', referenceAccount)
 *   .addColumn('name', 'text', (column) => column.notNull())
 *   .addColumn('changed', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
 *   .execute();
 * await db.schema.createIndex('example_list_account').on('example_list').column('account').execute();
 * ```
 *
 * `.returning('id')` returns the id of a new row on both databases.
 */
export function idColumn(db: Kysely<unknown>) {
  return <Table extends string, Columns extends string>(
    table: CreateTableBuilder<Table, Columns>,
  ): CreateTableBuilder<Table, Columns | 'id'> =>
    table.addColumn('id', 'integer', (column) =>
      isPostgres(db) ? column.generatedAlwaysAsIdentity().primaryKey() : column.primaryKey().autoIncrement(),
    );
}

/**
 * References the account of a row, which is deleted with it: `.addColumn('account', 'integer', referenceAccount)`.
 * Neither database indexes it automatically, so add an index if the table is read by account.
 */
export function referenceAccount(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().references('account.id').onDelete('cascade');
}

/** Returns whether `db` is PostgreSQL, for the few lines of a migration that differ between the databases. */
export function isPostgres(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
