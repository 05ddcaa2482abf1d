import type { Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { ShoppingTables } from '../../server/tables.ts';

/** The last batch of a client. Refused batches are stored too, so that a retry gets the same refusal. */
export type StoredBatch = Readonly<ShoppingTables['shopping_batch']>;

export function getBatchKey({ account, client }: Pick<StoredBatch, 'account' | 'client'>): string {
  return `${account}.${client}`;
}

/** PostgreSQL foreign_key_violation: the account or list of a row no longer exists. */
const isOrphan = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23503';

/** Creates the store of each client's last batch and its answer. */
export function createBatchStore({ db: untypedDb }: Database) {
  const getDb = (tx: Transaction<unknown> | undefined) => (tx ?? untypedDb).$extendTables<ShoppingTables>();
  return {
    findLast: async (account: number, client: string): Promise<StoredBatch | undefined> =>
      getDb(undefined)
        .selectFrom('shopping_batch')
        .selectAll()
        .where('account', '=', account)
        .where('client', '=', client)
        .executeTakeFirst(),
    /** Returns the last batches of any of these accounts and clients. */
    listLast: async (
      accounts: readonly number[],
      clients: readonly string[],
      tx?: Transaction<unknown>,
    ): Promise<readonly StoredBatch[]> => {
      if (clients.length === 0) return [];
      return getDb(tx)
        .selectFrom('shopping_batch')
        .selectAll()
        .where('account', 'in', [...new Set(accounts)])
        .where('client', 'in', [...new Set(clients)])
        .execute();
    },
    /** Returns the number of the last batch; 0 if there is none. */
    getLastSeq: async (account: number, client: string): Promise<number> => {
      const row = await getDb(undefined)
        .selectFrom('shopping_batch')
        .select('seq')
        .where('account', '=', account)
        .where('client', '=', client)
        .executeTakeFirst();
      return row?.seq ?? 0;
    },
    /**
     * Stores at most one batch per client. Returns false, and the caller must roll back, if a client has a newer batch,
     * or one of another list (unless a list is created), or if an account was deleted.
     */
    upsert: async (
      tx: Transaction<unknown>,
      rows: readonly StoredBatch[],
      { isNewList }: { readonly isNewList: boolean },
    ): Promise<boolean> => {
      const query = getDb(tx)
        .insertInto('shopping_batch')
        .values([...rows])
        .onConflict((conflict) => {
          const upsert = conflict
            .columns(['account', 'client'])
            .doUpdateSet((eb) => ({
              list: eb.ref('excluded.list'),
              seq: eb.ref('excluded.seq'),
              answer: eb.ref('excluded.answer'),
              time: eb.ref('excluded.time'),
            }))
            .whereRef('shopping_batch.seq', '<', 'excluded.seq');
          return isNewList ? upsert : upsert.whereRef('shopping_batch.list', '=', 'excluded.list');
        })
        .executeTakeFirst();
      try {
        return Number((await query).numInsertedOrUpdatedRows) === rows.length;
      } catch (error) {
        if (isOrphan(error)) return false;
        throw error;
      }
    },
  };
}
