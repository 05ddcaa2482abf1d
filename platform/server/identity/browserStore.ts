import type { Kysely, Transaction } from 'kysely';
import type { IdentityTables } from './identityTables.ts';

const MAX_KNOWN_BROWSERS_PER_ACCOUNT = 20;

/** The browsers that logged in to an account before. They choose who counts their failed tries, and authorise nothing. */
export const createBrowserStore = (ground: Kysely<unknown>) => {
  const db = ground.$extendTables<IdentityTables>();
  return {
    /** The id of a browser that is known at this account. */
    find: async (account: number, hash: string): Promise<number | undefined> => {
      const row = await db
        .selectFrom('known_browser')
        .select('id')
        .where('account', '=', account)
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row?.id;
    },

    /** Remembers the browser at this account; the 20 used last are kept. */
    remember: async (tx: Transaction<unknown>, account: number, hash: string, now: number): Promise<void> => {
      const rows = tx.$extendTables<IdentityTables>();
      await rows
        .insertInto('known_browser')
        .values({ account, hash, used: now })
        .onConflict((conflict) => conflict.columns(['account', 'hash']).doUpdateSet({ used: now }))
        .execute();
      const kept = rows
        .selectFrom('known_browser')
        .select('id')
        .where('account', '=', account)
        .orderBy('used', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_KNOWN_BROWSERS_PER_ACCOUNT);
      await rows.deleteFrom('known_browser').where('account', '=', account).where('id', 'not in', kept).execute();
    },
  };
};

export type BrowserStore = ReturnType<typeof createBrowserStore>;
