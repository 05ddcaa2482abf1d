import { PostgresAdapter, type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely } from 'kysely';

/** So many rows are beyond the limit before any goes: a sweep that removes none costs no disk. */
const getSlack = (kept: number): number => Math.max(20, Math.ceil(kept / 20));

type Rows = Record<string, Record<string, number>>;

/** Of the rows of a table that have these values the newest `kept` stay, by their `id`; older ones are removed, many at once. */
export async function deleteOldestRows(
  ground: Kysely<unknown>,
  table: string,
  group: Readonly<Record<string, number>>,
  kept: number,
): Promise<void> {
  const db = ground.$extendTables<Rows>();
  const nth = (place: number) =>
    db
      .selectFrom(table)
      .select('id')
      .where((is) => is.and(group))
      .orderBy('id', 'desc')
      .limit(1)
      .offset(place - 1);
  await db
    .deleteFrom(table)
    .where((is) => is.and(group))
    .where('id', '<', nth(kept))
    .where((is) => is.exists(nth(kept + getSlack(kept))))
    .execute();
}

/** In pieces of at most `size`, in order: what a statement takes of them at once. None of nothing. */
export function splitIntoChunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

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
export function idColumn(db: Kysely<unknown>) {
  return <Table extends string, Columns extends string>(
    table: CreateTableBuilder<Table, Columns>,
  ): CreateTableBuilder<Table, Columns | 'id'> =>
    table.addColumn('id', 'integer', (column) =>
      isPostgres(db) ? column.generatedAlwaysAsIdentity().primaryKey() : column.primaryKey().autoIncrement(),
    );
}

/**
 * The account that a row belongs to; the row goes with it. `.addColumn('account', 'integer', referencesAccount)`.
 * Neither database makes an index of it by itself: a table that is read by account needs one.
 */
export function referenceAccount(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull().references('account.id').onDelete('cascade');
}

/** Whether `db` speaks to PostgreSQL; for the few lines of a migration that the two dialects need written apart. */
export function isPostgres(db: Kysely<unknown>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
