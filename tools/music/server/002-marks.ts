import type { Kysely } from 'kysely';
import { referenceAccount } from '#platform/server/database/columns.ts';

/** What players mark of artists and albums; songs have their marks themselves. */
export const marks = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('music_mark')
    .addColumn('account', 'integer', referenceAccount)
    // As players have it: 'ar-…' or 'al-…', made of its name.
    .addColumn('item', 'text', (column) => column.notNull())
    // Milliseconds since the epoch.
    .addColumn('starred', 'bigint')
    // 1 to 5; 0 for none.
    .addColumn('rating', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('music_mark_key', ['account', 'item'])
    .execute();
};
