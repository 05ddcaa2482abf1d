import type { Transaction } from 'kysely';
import type { Database } from '../database/database.ts';
import { lockAccount } from './accountStore.ts';
import { type IdentityTables, withIdentityTables } from './identityTables.ts';

/** Times are milliseconds since the epoch. */
export interface StoredAppPassword {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly created: number;
  readonly lastUsed: number | undefined;
  /** Address of the last use; empty if there was none. */
  readonly address: string;
}

export interface NewAppPassword {
  readonly account: number;
  readonly name: string;
  readonly kind: string;
  readonly hash: string;
  readonly sealed: string | undefined;
}

/** Creates the store of app passwords. */
export function createAppPasswordStore({ db: untypedDb, dialect }: Database) {
  const db = untypedDb.$extendTables<IdentityTables>();
  return {
    listByAccount: async (account: number): Promise<readonly StoredAppPassword[]> => {
      const rows = await db
        .selectFrom('app_password')
        .select(['id', 'name', 'kind', 'created', 'last_used', 'address'])
        .where('account', '=', account)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(({ last_used: lastUsed, ...row }) => ({ ...row, lastUsed: lastUsed ?? undefined }));
    },

    /** Finds the user of an app password, with the account's name as typed and in its comparable form. */
    find: (kind: string, hash: string) =>
      db
        .selectFrom('app_password')
        .innerJoin('account', 'account.id', 'app_password.account')
        .select([
          'app_password.id',
          'account.id as account',
          'account.folded',
          'account.name as username',
          'account.suspended',
        ])
        .where('app_password.hash', '=', hash)
        .where('app_password.kind', '=', kind)
        .executeTakeFirst(),

    /** Lists the app passwords of an account whose sealed text can be opened. */
    listSealed: (kind: string, folded: string) =>
      db
        .selectFrom('app_password')
        .innerJoin('account', 'account.id', 'app_password.account')
        .select([
          'app_password.id',
          'account.id as account',
          'account.name as username',
          'account.suspended',
          'app_password.sealed',
        ])
        .where('account.folded', '=', folded)
        .where('app_password.kind', '=', kind)
        .where('app_password.sealed', 'is not', null)
        .execute(),

    findAccount: async (folded: string): Promise<number | undefined> =>
      (await db.selectFrom('account').select('id').where('folded', '=', folded).executeTakeFirst())?.id,

    /** Locks the account until the transaction ends, and returns its number of app passwords. */
    lockAndCount: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      await lockAccount({ dialect }, tx, account);
      const { count } = await withIdentityTables(tx)
        .selectFrom('app_password')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    insert: async (
      tx: Transaction<unknown>,
      { account, name, kind, hash, sealed }: NewAppPassword,
      created: number,
    ): Promise<StoredAppPassword> => {
      const { id } = await withIdentityTables(tx)
        .insertInto('app_password')
        .values({ account, name, kind, hash, sealed: sealed ?? null, created, last_used: null, address: '' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, name, kind, created, lastUsed: undefined, address: '' };
    },

    saveUse: async (
      tx: Transaction<unknown>,
      id: number,
      { at, address }: { readonly at: number; readonly address: string },
    ): Promise<void> => {
      await withIdentityTables(tx)
        .updateTable('app_password')
        .set({ last_used: at, address })
        .where('id', '=', id)
        .execute();
    },

    /** Returns whether it existed. */
    remove: async (tx: Transaction<unknown>, account: number, id: number): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .deleteFrom('app_password')
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    removeAll: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await withIdentityTables(tx).deleteFrom('app_password').where('account', '=', account).execute();
    },
  };
}
