import { randomBytes } from 'node:crypto';
import type { Database } from '#platform/server/database/database.ts';

type FeedTables = { calendar_feed: { account: number; secret: string } };

/** The secret addresses of calendars, one an account. */
export const feedStore = ({ db }: Pick<Database, 'db'>) => {
  const tables = db.$extendTables<FeedTables>();
  return {
    secretOf: async (account: number): Promise<string | undefined> =>
      (await tables.selectFrom('calendar_feed').select('secret').where('account', '=', account).executeTakeFirst())
        ?.secret,
    accountOf: async (secret: string): Promise<number | undefined> =>
      (await tables.selectFrom('calendar_feed').select('account').where('secret', '=', secret).executeTakeFirst())
        ?.account,
    /** Makes another one in place of what there is. */
    make: async (account: number): Promise<string> => {
      const secret = randomBytes(32).toString('base64url');
      await tables
        .insertInto('calendar_feed')
        .values({ account, secret })
        .onConflict((already) => already.column('account').doUpdateSet({ secret }))
        .execute();
      return secret;
    },
    end: async (account: number): Promise<void> => {
      await tables.deleteFrom('calendar_feed').where('account', '=', account).execute();
    },
  };
};
