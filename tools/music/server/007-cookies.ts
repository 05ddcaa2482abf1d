import type { Kysely } from 'kysely';

/** The cookies.txt of an account, sealed. */
export const cookies = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('music_cookies')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute();
};
