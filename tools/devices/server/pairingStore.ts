import type { Kysely, Transaction } from 'kysely';
import { lockAccount } from '#platform/server/identity/accountStore.ts';
import type { WrongCodeCount } from './deviceHandlers.ts';

type PairingTables = {
  /** `expires` is in milliseconds since the epoch. `account` and `device` are set once the code was entered. */
  devices_pairing: {
    id: number;
    code_hash: string;
    secret_hash: string;
    name: string;
    system: string;
    expires: number;
    account: number | null;
    device: number | null;
  };
  /** `last` is in milliseconds since the epoch. */
  devices_tries: { account: number; wrong: number; last: number };
};

export interface NewPairing {
  readonly codeHash: string;
  readonly secretHash: string;
  readonly name: string;
  readonly system: string;
  readonly expires: number;
}

type DatabaseOrTransaction = Kysely<unknown> | Transaction<unknown>;

/** Creates the database access for pairing. Times are milliseconds since the epoch. */
export function pairingStore(connection: DatabaseOrTransaction, dialect: 'sqlite' | 'postgres') {
  const db = connection.$extendTables<PairingTables>();
  return {
    add: async ({ codeHash, secretHash, name, system, expires }: NewPairing): Promise<void> => {
      const values = {
        code_hash: codeHash,
        secret_hash: secretHash,
        name,
        system,
        expires,
        account: null,
        device: null,
      };
      await db
        .insertInto('devices_pairing')
        .values(values as never)
        .execute();
    },
    isOpen: async (codeHash: string, now: number): Promise<boolean> => {
      const rows = db.selectFrom('devices_pairing').select('id').where('code_hash', '=', codeHash);
      return (await rows.where('expires', '>', now).executeTakeFirst()) !== undefined;
    },
    /**
     * Claims the computer of an open code for an account. Undefined if there is none, or if another account was first.
     */
    claim: async (codeHash: string, account: number, now: number) =>
      db
        .updateTable('devices_pairing')
        .set({ account })
        .where('code_hash', '=', codeHash)
        .where('expires', '>', now)
        .where('account', 'is', null)
        .returning(['id', 'name', 'system'])
        .executeTakeFirst(),
    setDevice: async (pairing: number, account: number, device: number): Promise<void> => {
      const row = db.updateTable('devices_pairing').set({ device }).where('id', '=', pairing);
      await row.where('account', '=', account).execute();
    },
    /** Returns the pairing of the computer that knows the secret. */
    findBySecret: async (secretHash: string) =>
      db.selectFrom('devices_pairing').selectAll().where('secret_hash', '=', secretHash).executeTakeFirst(),
    /** Removes a pairing. Returns false for a second, concurrent caller. */
    take: async (pairing: number): Promise<boolean> =>
      (await db.deleteFrom('devices_pairing').where('id', '=', pairing).returning('id').executeTakeFirst()) !==
      undefined,
    removeExpired: async (before: number): Promise<void> => {
      await db.deleteFrom('devices_pairing').where('expires', '<', before).execute();
    },
    /** Returns the wrong codes of an account and locks them until the end of the transaction. */
    lockTries: async (account: number): Promise<WrongCodeCount | undefined> => {
      await lockAccount({ dialect }, connection, account);
      return db.selectFrom('devices_tries').select(['wrong', 'last']).where('account', '=', account).executeTakeFirst();
    },
    setTries: async (account: number, { wrong, last }: WrongCodeCount): Promise<void> => {
      const row = db.insertInto('devices_tries').values({ account, wrong, last });
      await row.onConflict((conflict) => conflict.column('account').doUpdateSet({ wrong, last })).execute();
    },
    forgetTries: async (account: number): Promise<void> => {
      await db.deleteFrom('devices_tries').where('account', '=', account).execute();
    },
  };
}
