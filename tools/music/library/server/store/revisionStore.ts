import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { withMusicTables } from './tables.ts';

/** Creates a subquery for the current revision, for rows that change after `increment`. */
export function selectRevision(source: Kysely<unknown>, account: number) {
  return withMusicTables(source)
    .selectFrom('music_library')
    .select('music_library.revision')
    .where('music_library.account', '=', account);
}

/** Creates the database access for revisions, which count the changes of a library. */
export function createRevisionStore({ db }: Database) {
  return {
    /** Returns the revision, which increases with every change of songs and playlists. */
    getRevision: async (account: number): Promise<number> => {
      const row = await withMusicTables(db)
        .selectFrom('music_library')
        .select('revision')
        .where('account', '=', account)
        .executeTakeFirst();
      return row?.revision ?? 0;
    },
    /**
     * Counts a change. Must be first in every transaction that changes the library: it locks the account's row,
     * so that changes of one account run one after another on both databases.
     */
    increment: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await withMusicTables(tx)
        .insertInto('music_library')
        .values({ account, revision: 1 })
        .onConflict((conflict) =>
          conflict.column('account').doUpdateSet((eb) => ({ revision: eb('music_library.revision', '+', 1) })),
        )
        .execute();
    },
  };
}
