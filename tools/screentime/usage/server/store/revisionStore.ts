import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { UsageTables } from './tables.ts';

/** What an account's usage as a whole knows. */
export interface Book {
  /** Another one after every change of its usage, 0 before the first. */
  readonly revision: number;
  /** The zone that the days of `dayStore` are of. */
  readonly zone: string;
  /** Under which they are kept: `dayStore` asks for it. */
  readonly generation: number;
  /** The zone whose days are being made; they take their place once they are all there. */
  readonly nextZone: string | undefined;
}

const inside = (source: Kysely<unknown>) => source.$extendTables<UsageTables>();

const toBook = (row: UsageTables['screentime_account']): Book => ({
  revision: row.revision,
  zone: row.zone,
  generation: row.generation,
  nextZone: row.next_zone ?? undefined,
});

export function bookStore({ db }: Database) {
  return {
    /** Undefined before an account's first usage. */
    of: async (account: number, source: Kysely<unknown> = db): Promise<Book | undefined> => {
      const row = await inside(source)
        .selectFrom('screentime_account')
        .selectAll()
        .where('account', '=', account)
        .executeTakeFirst();
      return row && toBook(row);
    },
    /**
     * Counts a change. Stands first in every transaction that changes the usage: it has the account's row, so that those of one account run
     * one after another on both databases, and each sees what the ones before it have kept.
     * @param zone the home zone, for an account's first usage.
     */
    raise: async (tx: Transaction<unknown>, account: number, zone: string): Promise<Book> => {
      const row = await inside(tx)
        .insertInto('screentime_account')
        .values({ account, revision: 1, zone, generation: 1, next_zone: null })
        .onConflict((already) =>
          already.column('account').doUpdateSet((is) => ({ revision: is('screentime_account.revision', '+', 1) })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toBook(row);
    },
    /** From now on every change is written to the days of this zone too. */
    beginZone: async (tx: Transaction<unknown>, account: number, zone: string | null): Promise<void> => {
      await inside(tx)
        .updateTable('screentime_account')
        .set({ next_zone: zone })
        .where('account', '=', account)
        .execute();
    },
    /** The days of the next zone are all there: they are the account's. */
    takeZone: async (tx: Transaction<unknown>, account: number, zone: string): Promise<void> => {
      await inside(tx)
        .updateTable('screentime_account')
        .set((is) => ({ zone, next_zone: null, generation: is('generation', '+', 1) }))
        .where('account', '=', account)
        .execute();
    },
    accounts: async (): Promise<readonly number[]> => {
      const rows = await inside(db).selectFrom('screentime_account').select('account').orderBy('account').execute();
      return rows.map(({ account }) => account);
    },
  };
}
