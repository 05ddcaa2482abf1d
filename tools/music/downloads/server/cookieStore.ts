import type { Database } from '#platform/server/database/database.ts';
import type { Seal } from '#platform/server/storage/seal.ts';
import { type Cookie, parseCookies } from '../domain/cookies.ts';

type CookieTables = { music_cookies: { account: number; sealed: string; changed: number } };

/** Cookies of an account, which yt-dlp sends to the sites of its downloads. */
export interface StoredCookies {
  readonly cookies: readonly Cookie[];
  /** Milliseconds since the epoch. */
  readonly changed: number;
}

const getSealContext = (account: number): string => `music cookies of ${account}`;

/**
 * Creates the database access for cookies, one cookies.txt per account. It is encrypted, because cookies give access to
 * accounts on other sites.
 */
export function createCookieStore({ db: untypedDb }: Database, seal: Seal) {
  const db = untypedDb.$extendTables<CookieTables>();
  return {
    /** Returns the cookies; undefined if there are none or the encryption key has changed. */
    get: async (account: number): Promise<StoredCookies | undefined> => {
      const row = await db
        .selectFrom('music_cookies')
        .select(['sealed', 'changed'])
        .where('account', '=', account)
        .executeTakeFirst();
      const text = row && seal.open(row.sealed, getSealContext(account));
      return row && text !== undefined ? { cookies: parseCookies(text), changed: row.changed } : undefined;
    },
    set: async (account: number, text: string, changed: number): Promise<void> => {
      const row = { sealed: seal.seal(text, getSealContext(account)), changed };
      await db
        .insertInto('music_cookies')
        .values({ account, ...row })
        .onConflict((conflict) => conflict.column('account').doUpdateSet(row))
        .execute();
    },
    remove: async (account: number): Promise<void> => {
      await db.deleteFrom('music_cookies').where('account', '=', account).execute();
    },
  };
}
export type CookieStore = ReturnType<typeof createCookieStore>;
