import type { Kysely, Transaction } from 'kysely';
import type { IdentityTables } from './tables.ts';

/** Times are milliseconds since the epoch. */
export interface StoredAppPassword {
  readonly id: number;
  readonly name: string;
  readonly created: number;
  readonly lastUsed: number | undefined;
  /** Where it was last used from; empty before. */
  readonly address: string;
}

const within = (tx: Transaction<unknown>) => tx.$extendTables<IdentityTables>();

/** All SQL about app passwords. */
export const appPasswordStore = (ground: Kysely<unknown>) => {
  const db = ground.$extendTables<IdentityTables>();
  return {
    ofAccount: async (account: number): Promise<readonly StoredAppPassword[]> => {
      const rows = await db
        .selectFrom('app_password')
        .select(['id', 'name', 'created', 'last_used', 'address'])
        .where('account', '=', account)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(({ last_used: lastUsed, ...row }) => ({ ...row, lastUsed: lastUsed ?? undefined }));
    },

    /** Whose it is, with the account's name as typed and as compared. */
    find: (hash: string) =>
      db
        .selectFrom('app_password')
        .innerJoin('account', 'account.id', 'app_password.account')
        .select(['app_password.id', 'account.id as account', 'account.folded', 'account.name as username'])
        .where('app_password.hash', '=', hash)
        .executeTakeFirst(),

    accountOf: async (folded: string): Promise<number | undefined> =>
      (await db.selectFrom('account').select('id').where('folded', '=', folded).executeTakeFirst())?.id,

    /** How many the account has. Others that make one wait until the transaction ends. */
    hold: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      await within(tx)
        .updateTable('account')
        .set((is) => ({ created: is.ref('created') }))
        .where('id', '=', account)
        .execute();
      const { count } = await within(tx)
        .selectFrom('app_password')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    add: async (
      tx: Transaction<unknown>,
      { account, name, hash }: { readonly account: number; readonly name: string; readonly hash: string },
      created: number,
    ): Promise<StoredAppPassword> => {
      const { id } = await within(tx)
        .insertInto('app_password')
        .values({ account, name, hash, created, last_used: null, address: '' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, name, created, lastUsed: undefined, address: '' };
    },

    saveUse: async (
      tx: Transaction<unknown>,
      id: number,
      { at, address }: { readonly at: number; readonly address: string },
    ): Promise<void> => {
      await within(tx).updateTable('app_password').set({ last_used: at, address }).where('id', '=', id).execute();
    },

    /** Whether there was one. */
    remove: async (tx: Transaction<unknown>, account: number, id: number): Promise<boolean> => {
      const removed = await within(tx)
        .deleteFrom('app_password')
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },

    removeAll: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await within(tx).deleteFrom('app_password').where('account', '=', account).execute();
    },
  };
};
