import type { Kysely } from 'kysely';

/** What a player has in hand, one of an account: another player goes on with it. */
export const playQueue = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('music_play_queue')
    .addColumn('account', 'integer', (column) => column.primaryKey().references('account.id').onDelete('cascade'))
    // Ids in order, as JSON.
    .addColumn('songs', 'text', (column) => column.notNull())
    .addColumn('current', 'bigint')
    // Milliseconds into the current one.
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    // The player, as it calls itself.
    .addColumn('player', 'text', (column) => column.notNull())
    .execute();
};
