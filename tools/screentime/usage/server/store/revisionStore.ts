import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { type UsageTables, withUsageTables } from './tables.ts';

/** State of an account's usage as a whole. */
export interface UsageRevision {
  /** Rises with every change of usage; 0 before the first. */
  readonly revision: number;
  /** Zone of the stored days. */
  readonly zone: string;
  /** Generation of those days. */
  readonly generation: number;
  /** Zone whose days are being built. They replace the others once they are complete. */
  readonly nextZone: string | undefined;
}

const toRevision = (row: UsageTables['screentime_account']): UsageRevision => ({
  revision: row.revision,
  zone: row.zone,
  generation: row.generation,
  nextZone: row.next_zone ?? undefined,
});

export function createRevisionStore({ db }: Database) {
  return {
    /** Undefined before the account has usage. */
    find: async (account: number, source: Kysely<unknown> = db): Promise<UsageRevision | undefined> => {
      const row = await withUsageTables(source)
        .selectFrom('screentime_account')
        .selectAll()
        .where('account', '=', account)
        .executeTakeFirst();
      return row && toRevision(row);
    },
    /**
     * Increments the revision. It must be the first statement of every transaction that changes usage: it locks the
     * account's row, so that transactions of one account run one after another.
     * @param zone home zone, for an account's first usage
     */
    increment: async (tx: Transaction<unknown>, account: number, zone: string): Promise<UsageRevision> => {
      const row = await withUsageTables(tx)
        .insertInto('screentime_account')
        .values({ account, revision: 1, zone, generation: 1, next_zone: null })
        .onConflict((conflict) =>
          conflict.column('account').doUpdateSet((eb) => ({ revision: eb('screentime_account.revision', '+', 1) })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toRevision(row);
    },
    /** Writes every later change to the days of this zone too. */
    setNextZone: async (tx: Transaction<unknown>, account: number, zone: string | null): Promise<void> => {
      await withUsageTables(tx)
        .updateTable('screentime_account')
        .set({ next_zone: zone })
        .where('account', '=', account)
        .execute();
    },
    /** Switches to the days of the next zone, which are complete. */
    switchZone: async (tx: Transaction<unknown>, account: number, zone: string): Promise<void> => {
      await withUsageTables(tx)
        .updateTable('screentime_account')
        .set((eb) => ({ zone, next_zone: null, generation: eb('generation', '+', 1) }))
        .where('account', '=', account)
        .execute();
    },
    listAccounts: async (): Promise<readonly number[]> => {
      const rows = await withUsageTables(db)
        .selectFrom('screentime_account')
        .select('account')
        .orderBy('account')
        .execute();
      return rows.map(({ account }) => account);
    },
  };
}
