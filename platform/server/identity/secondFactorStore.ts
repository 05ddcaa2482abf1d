import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Database } from '../database/database.ts';
import { lockAccount } from './accountStore.ts';
import { type IdentityTables, withIdentityTables } from './identityTables.ts';
import type { StoredCredential } from './webAuthn.ts';

/** A stored passkey. Times are milliseconds since the epoch. */
export interface StoredPasskey extends StoredCredential {
  readonly id: number;
  readonly account: number;
  readonly userHandle: string;
  /** Host name for which it works. */
  readonly host: string;
  readonly name: string;
  readonly created: number;
  readonly lastUsed: number | undefined;
}

const toPasskey = (row: Selectable<IdentityTables['passkey']>): StoredPasskey => ({
  id: row.id,
  account: row.account,
  credentialId: row.credential,
  publicKey: row.public_key,
  userHandle: row.user_handle,
  counter: row.counter,
  transports: JSON.parse(row.transports) as readonly string[],
  host: row.host,
  name: row.name,
  created: row.created,
  lastUsed: row.last_used ?? undefined,
});

async function findTotp(source: Kysely<unknown>, account: number) {
  return withIdentityTables(source)
    .selectFrom('totp')
    .select(['sealed', 'created'])
    .where('account', '=', account)
    .executeTakeFirst();
}

async function listPasskeys(source: Kysely<unknown>, account: number): Promise<readonly StoredPasskey[]> {
  const rows = await withIdentityTables(source)
    .selectFrom('passkey')
    .selectAll()
    .where('account', '=', account)
    .orderBy('id')
    .execute();
  return rows.map(toPasskey);
}

async function removeRecoveryCodes(tx: Transaction<unknown>, account: number): Promise<void> {
  await withIdentityTables(tx).deleteFrom('recovery_code').where('account', '=', account).execute();
}

/** Creates the store of second factors. Methods that take `source` run in a transaction or outside of one. */
export function createSecondFactorStore({ db: untypedDb, dialect }: Database) {
  const db = untypedDb.$extendTables<IdentityTables>();

  return {
    /** Locks the account until the transaction ends, so that its factors don't change meanwhile. */
    lock: (tx: Transaction<unknown>, account: number): Promise<void> => lockAccount({ dialect }, tx, account),

    /** Returns whether the account has a second factor. */
    hasFactor: async (source: Kysely<unknown>, account: number): Promise<boolean> => {
      if ((await findTotp(source, account)) !== undefined) return true;
      const row = await withIdentityTables(source)
        .selectFrom('passkey')
        .select('id')
        .where('account', '=', account)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    findTotp,

    /** Stores the secret. Returns false if the account already has one. */
    insertTotp: async (
      tx: Transaction<unknown>,
      totp: { readonly account: number; readonly sealed: string; readonly lastStep: number; readonly created: number },
    ): Promise<boolean> => {
      const { lastStep, ...row } = totp;
      const result = await withIdentityTables(tx)
        .insertInto('totp')
        .values({ ...row, last_step: lastStep })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return Number(result.numInsertedOrUpdatedRows ?? 0n) > 0;
    },

    /** Marks the code of a time step as used. Returns false if it or a later one was used before. */
    useTotpStep: async (tx: Transaction<unknown>, account: number, step: number): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .updateTable('totp')
        .set({ last_step: step })
        .where('account', '=', account)
        .where('last_step', '<', step)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    removeTotp: async (tx: Transaction<unknown>, account: number): Promise<boolean> => {
      const result = await withIdentityTables(tx).deleteFrom('totp').where('account', '=', account).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    listPasskeys,

    findPasskey: async (credentialId: string): Promise<StoredPasskey | undefined> => {
      const row = await db.selectFrom('passkey').selectAll().where('credential', '=', credentialId).executeTakeFirst();
      return row && toPasskey(row);
    },

    /** Returns the id, or undefined if the passkey is already stored. */
    insertPasskey: async (
      tx: Transaction<unknown>,
      passkey: Omit<StoredPasskey, 'id' | 'lastUsed'>,
    ): Promise<number | undefined> => {
      const row = await withIdentityTables(tx)
        .insertInto('passkey')
        .values({
          account: passkey.account,
          credential: passkey.credentialId,
          public_key: passkey.publicKey,
          user_handle: passkey.userHandle,
          counter: passkey.counter,
          transports: JSON.stringify(passkey.transports),
          host: passkey.host,
          name: passkey.name,
          created: passkey.created,
          last_used: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row?.id;
    },

    /** Stores the counter of a used passkey. Returns false if it was removed or used meanwhile. */
    usePasskey: async (
      tx: Transaction<unknown>,
      { id, counter }: StoredPasskey,
      { newCounter, now }: { readonly newCounter: number; readonly now: number },
    ): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .updateTable('passkey')
        .set({ counter: newCounter, last_used: now })
        .where('id', '=', id)
        .where('counter', '=', counter)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Returns whether the account has this passkey. */
    renamePasskey: async (account: number, id: number, name: string): Promise<boolean> => {
      const result = await db
        .updateTable('passkey')
        .set({ name })
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Removes one passkey, or all. Returns how many there were. */
    removePasskeys: async (tx: Transaction<unknown>, account: number, id?: number): Promise<number> => {
      const deletion = withIdentityTables(tx).deleteFrom('passkey').where('account', '=', account);
      const result = await (id === undefined ? deletion : deletion.where('id', '=', id)).executeTakeFirst();
      return Number(result.numDeletedRows);
    },

    countRecoveryCodes: async (source: Kysely<unknown>, account: number): Promise<number> => {
      const { count } = await withIdentityTables(source)
        .selectFrom('recovery_code')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    removeRecoveryCodes,

    /** Replaces all recovery codes. */
    replaceRecoveryCodes: async (
      tx: Transaction<unknown>,
      account: number,
      hashes: readonly string[],
    ): Promise<void> => {
      await removeRecoveryCodes(tx, account);
      await withIdentityTables(tx)
        .insertInto('recovery_code')
        .values(hashes.map((hash) => ({ account, hash })))
        .execute();
    },

    /** Removes a recovery code. Returns whether it existed. */
    useRecoveryCode: async (tx: Transaction<unknown>, account: number, hash: string): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .deleteFrom('recovery_code')
        .where('account', '=', account)
        .where('hash', '=', hash)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    /** Marks a ticket as used, and removes expired marks. Returns false if it was used before. */
    useTicket: async (
      tx: Transaction<unknown>,
      account: number,
      { hash, expires, now }: { readonly hash: string; readonly expires: number; readonly now: number },
    ): Promise<boolean> => {
      const tables = withIdentityTables(tx);
      await tables.deleteFrom('used_ticket').where('account', '=', account).where('expires', '<=', now).execute();
      const row = await tables
        .insertInto('used_ticket')
        .values({ account, hash, expires })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export type SecondFactorStore = ReturnType<typeof createSecondFactorStore>;
