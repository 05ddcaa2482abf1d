import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { TimetableTables } from './tables.ts';

/** What a timetable as a whole knows. */
export interface Book {
  /** Another one after every change of its slots. */
  readonly revision: number;
  readonly isInFeed: boolean;
}

const inside = (source: Kysely<unknown>) => source.$extendTables<TimetableTables>();

export const bookStore = ({ db }: Database) => {
  return {
    of: async (account: number): Promise<Book> => {
      const row = await inside(db)
        .selectFrom('timetable_book')
        .select(['revision', 'in_feed'])
        .where('account', '=', account)
        .executeTakeFirst();
      return { revision: row?.revision ?? 0, isInFeed: row?.in_feed === 1 };
    },
    /**
     * Counts a change. Stands first in every transaction that changes the timetable: it has the account's row, so that those of one account
     * run one after another on both databases, and each sees what the ones before it have kept.
     */
    raise: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await inside(tx)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed: 0 })
        .onConflict((already) =>
          already.column('account').doUpdateSet((is) => ({ revision: is('timetable_book.revision', '+', 1) })),
        )
        .execute();
    },
    setInFeed: async (account: number, on: boolean): Promise<void> => {
      const in_feed = on ? 1 : 0;
      await inside(db)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed })
        .onConflict((already) => already.column('account').doUpdateSet({ in_feed }))
        .execute();
    },
  };
};
