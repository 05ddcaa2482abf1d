import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { CalendarTables } from './tables.ts';

/** The account's count of changes: as of the last one, and as it was when the transaction began. */
export interface Count {
  readonly last: number;
  readonly before: number;
}

/** What the calendar of an account as a whole knows: how often it was changed. */
export const bookStore = ({ db: ground }: Database) => {
  const begun = new WeakMap<Transaction<unknown>, number>();
  return {
    revision: async (account: number, source: Kysely<unknown> = ground): Promise<number> => {
      const row = await source
        .$extendTables<CalendarTables>()
        .selectFrom('calendar_book')
        .select('revision')
        .where('account', '=', account)
        .executeTakeFirst();
      return row?.revision ?? 0;
    },
    /**
     * Counts changes. Stands first in every transaction that changes the calendar: it has the account's row, so that those of one account run
     * one after another on both databases, and each sees what the ones before it have kept.
     */
    raise: async (tx: Transaction<unknown>, account: number, changes: number): Promise<Count> => {
      const { revision: last } = await tx
        .$extendTables<CalendarTables>()
        .insertInto('calendar_book')
        .values({ account, revision: changes })
        .onConflict((already) =>
          already.column('account').doUpdateSet((is) => ({ revision: is('calendar_book.revision', '+', changes) })),
        )
        .returning('revision')
        .executeTakeFirstOrThrow();
      const before = begun.get(tx) ?? last - changes;
      begun.set(tx, before);
      return { last, before };
    },
  };
};
export type BookStore = ReturnType<typeof bookStore>;
