import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Account } from './identity.ts';
import type { IdentityTables } from './identityTables.ts';
import { foldAccountName } from './username.ts';

/**
 * Has whoever holds the same account wait until the transaction ends, so that what is counted or looked for holds until the rows that follow from it
 * are written. The first statement of a transaction: what was read before may have changed meanwhile. On SQLite transactions come one after another.
 */
export async function lockAccount(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Kysely<unknown>,
  account: number,
): Promise<void> {
  if (dialect !== 'postgres') return;
  const accounts = tx.$extendTables<{ account: { id: number } }>().selectFrom('account').select('id');
  await accounts.where('id', '=', account).forNoKeyUpdate().execute();
}

const MAX_KNOWN_BROWSERS_PER_ACCOUNT = 20;

/** The browsers that logged in to an account before. They choose who counts their failed tries, and authorise nothing. */
export function createBrowserStore(ground: Kysely<unknown>) {
  const db = ground.$extendTables<IdentityTables>();
  return {
    /** The id of a browser that is known at this account. */
    find: async (account: number, hash: string): Promise<number | undefined> => {
      const row = await db
        .selectFrom('known_browser')
        .select('id')
        .where('account', '=', account)
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row?.id;
    },

    /** Remembers the browser at this account; the 20 used last are kept. */
    remember: async (tx: Transaction<unknown>, account: number, hash: string, now: number): Promise<void> => {
      const rows = tx.$extendTables<IdentityTables>();
      await rows
        .insertInto('known_browser')
        .values({ account, hash, used: now })
        .onConflict((conflict) => conflict.columns(['account', 'hash']).doUpdateSet({ used: now }))
        .execute();
      const kept = rows
        .selectFrom('known_browser')
        .select('id')
        .where('account', '=', account)
        .orderBy('used', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_KNOWN_BROWSERS_PER_ACCOUNT);
      await rows.deleteFrom('known_browser').where('account', '=', account).where('id', 'not in', kept).execute();
    },
  };
}

export type BrowserStore = ReturnType<typeof createBrowserStore>;

/** An account with the hash of its password; it does not leave this folder. */
export interface StoredAccount extends Account {
  readonly password: string;
}

/** What of an account may be shown. */
export function toPublicAccount({ id, name, isOwner, created }: StoredAccount): Account {
  return {
    id,
    name,
    isOwner,
    created,
  };
}

interface NewAccount {
  readonly name: string;
  readonly password: string;
  readonly isOwner: boolean;
  readonly created: Temporal.Instant;
}

type AccountRow = { id: number; name: string; password: string; is_owner: number; created: number };

const toAccount = (row: AccountRow | undefined): StoredAccount | undefined =>
  row && {
    id: row.id,
    name: row.name,
    password: row.password,
    isOwner: row.is_owner === 1,
    created: Temporal.Instant.fromEpochMilliseconds(row.created),
  };

const SIGNUP = 'signup';

const within = (tx: Transaction<unknown>) => tx.$extendTables<IdentityTables>();

/** All SQL about accounts and the settings of the whole server. */
export function createAccountStore(ground: Kysely<unknown>) {
  const db = ground.$extendTables<IdentityTables>();
  const accounts = db.selectFrom('account').select(['id', 'name', 'password', 'is_owner', 'created']);
  return {
    byId: async (id: number): Promise<StoredAccount | undefined> =>
      toAccount(await accounts.where('id', '=', id).executeTakeFirst()),

    byName: async (name: string): Promise<StoredAccount | undefined> =>
      toAccount(await accounts.where('folded', '=', foldAccountName(name)).executeTakeFirst()),

    owner: async (): Promise<StoredAccount | undefined> =>
      toAccount(await accounts.where('is_owner', '=', 1).executeTakeFirst()),

    hasOwner: async (): Promise<boolean> =>
      (await db.selectFrom('account').select('id').where('is_owner', '=', 1).executeTakeFirst()) !== undefined,

    /** Makes all others that ask for the owner wait until the transaction ends. Gives whether there is one. */
    holdOwner: async (tx: Transaction<unknown>): Promise<boolean> => {
      const held = await within(tx)
        .updateTable('account')
        .set({ is_owner: 1 })
        .where('is_owner', '=', 1)
        .executeTakeFirst();
      return held.numUpdatedRows > 0n;
    },

    isOwner: async (tx: Transaction<unknown>, account: number): Promise<boolean> => {
      const row = await within(tx)
        .selectFrom('account')
        .select('is_owner')
        .where('id', '=', account)
        .executeTakeFirst();
      return row?.is_owner === 1;
    },

    countOthers: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const { others } = await within(tx)
        .selectFrom('account')
        .select(({ fn }) => fn.countAll().as('others'))
        .where('id', '!=', account)
        .executeTakeFirstOrThrow();
      return Number(others);
    },

    /** Gives the new id; undefined where the name, or the place of the owner, was just taken. */
    add: async (tx: Transaction<unknown>, account: NewAccount): Promise<number | undefined> => {
      const row = await within(tx)
        .insertInto('account')
        .values({
          name: account.name,
          folded: foldAccountName(account.name),
          password: account.password,
          is_owner: account.isOwner ? 1 : 0,
          created: account.created.epochMilliseconds,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row?.id;
    },

    /** Puts a new hash in the place of `from`. False where that is no longer the account's. */
    replacePassword: async (
      tx: Transaction<unknown>,
      account: number,
      { from, to }: { readonly from: string; readonly to: string },
    ): Promise<boolean> => {
      const changed = await within(tx)
        .updateTable('account')
        .set({ password: to })
        .where('id', '=', account)
        .where('password', '=', from)
        .executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    },

    setPassword: async (tx: Transaction<unknown>, account: number, password: string): Promise<void> => {
      await within(tx).updateTable('account').set({ password }).where('id', '=', account).execute();
    },

    linkGeneration: async (account: number): Promise<number | undefined> =>
      (await db.selectFrom('account').select('link_generation').where('id', '=', account).executeTakeFirst())
        ?.link_generation,

    raiseLinks: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await within(tx)
        .updateTable('account')
        .set((is) => ({ link_generation: is('link_generation', '+', 1) }))
        .where('id', '=', account)
        .execute();
    },

    remove: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await within(tx).deleteFrom('account').where('id', '=', account).execute();
    },

    isSignupOpen: async (): Promise<boolean> => {
      const row = await db.selectFrom('setting').select('value').where('name', '=', SIGNUP).executeTakeFirst();
      return row?.value !== 'closed';
    },

    setSignupOpen: async (tx: Transaction<unknown>, isOpen: boolean): Promise<void> => {
      const value = isOpen ? 'open' : 'closed';
      await within(tx)
        .insertInto('setting')
        .values({ name: SIGNUP, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;
