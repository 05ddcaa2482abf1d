import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { MusicTables } from './tables.ts';

const inside = (source: Kysely<unknown>) => source.$extendTables<MusicTables>();

/** What a song or playlist that is written now is marked with: the change that `raise` has counted in this transaction. */
export function thisRevision(source: Kysely<unknown>, account: number) {
  return inside(source)
    .selectFrom('music_library')
    .select('music_library.revision')
    .where('music_library.account', '=', account);
}

/** What a library as a whole knows. */
export function bookStore({ db }: Database) {
  return {
    /** Another one after every change of its songs and playlists. */
    revision: async (account: number): Promise<number> => {
      const row = await inside(db)
        .selectFrom('music_library')
        .select('revision')
        .where('account', '=', account)
        .executeTakeFirst();
      return row?.revision ?? 0;
    },
    /**
     * Counts a change. Stands first in every transaction that changes the library: it has the account's row, so that those of one account
     * run one after another on both databases, and each sees what the ones before it have kept.
     */
    raise: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await inside(tx)
        .insertInto('music_library')
        .values({ account, revision: 1 })
        .onConflict((already) =>
          already.column('account').doUpdateSet((is) => ({ revision: is('music_library.revision', '+', 1) })),
        )
        .execute();
    },
  };
}
