import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { ShoppingTables } from '../../server/tables.ts';

/** The last batch of a client. A refused one is kept as well: sent again it is refused in the same words. */
export interface KeptBatch {
  readonly account: number;
  readonly client: string;
  readonly list: number;
  readonly seq: number;
  readonly answer: string;
  readonly time: number;
}
export function keyOf({ account, client }: Pick<KeptBatch, 'account' | 'client'>): string {
  return `${account}.${client}`;
}

/** What a row names is there no more (PostgreSQL, foreign_key_violation). */
const isOrphan = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23503';

/** What each client's last batch was answered. */
export function batchStore({ db: ground }: Database) {
  const inside = (tx: Transaction<unknown> | undefined) => (tx ?? ground).$extendTables<ShoppingTables>();
  return {
    last: async (account: number, client: string): Promise<KeptBatch | undefined> =>
      inside(undefined)
        .selectFrom('shopping_batch')
        .selectAll()
        .where('account', '=', account)
        .where('client', '=', client)
        .executeTakeFirst(),
    /** Of any of these accounts and any of these clients. */
    lastOf: async (
      accounts: readonly number[],
      clients: readonly string[],
      tx?: Transaction<unknown>,
    ): Promise<readonly KeptBatch[]> => {
      if (clients.length === 0) return [];
      return inside(tx)
        .selectFrom('shopping_batch')
        .selectAll()
        .where('account', 'in', [...new Set(accounts)])
        .where('client', 'in', [...new Set(clients)])
        .execute();
    },
    /** The number of the last one alone; 0 for none. */
    lastSeq: async (account: number, client: string): Promise<number> => {
      const row = await inside(undefined)
        .selectFrom('shopping_batch')
        .select('seq')
        .where('account', '=', account)
        .where('client', '=', client)
        .executeTakeFirst();
      return row?.seq ?? 0;
    },
    /**
     * Of each client at most one. False where a client has sent a later one meanwhile, or (but for those that make a list) one of another
     * list, or an account went away: nothing may be kept then.
     */
    keep: async (
      tx: Transaction<unknown>,
      rows: readonly KeptBatch[],
      { isNewList }: { readonly isNewList: boolean },
    ): Promise<boolean> => {
      const keeping = inside(tx)
        .insertInto('shopping_batch')
        .values([...rows])
        .onConflict((conflict) => {
          const later = conflict
            .columns(['account', 'client'])
            .doUpdateSet((is) => ({
              list: is.ref('excluded.list'),
              seq: is.ref('excluded.seq'),
              answer: is.ref('excluded.answer'),
              time: is.ref('excluded.time'),
            }))
            .whereRef('shopping_batch.seq', '<', 'excluded.seq');
          return isNewList ? later : later.whereRef('shopping_batch.list', '=', 'excluded.list');
        })
        .executeTakeFirst();
      try {
        return Number((await keeping).numInsertedOrUpdatedRows) === rows.length;
      } catch (error) {
        if (isOrphan(error)) return false;
        throw error;
      }
    },
  };
}
