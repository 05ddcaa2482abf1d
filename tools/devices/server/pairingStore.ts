import type { Generated, Kysely } from 'kysely';
import { lockAccount } from '#platform/server/identity/accountStore.ts';
import type { WrongCodes } from './deviceHandlers.ts';

type PairingTables = {
  /** `expires` is in milliseconds since the epoch. `account` and `device` are set once the code was entered. */
  devices_pairing: {
    id: Generated<number>;
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

/** Times are in milliseconds since the epoch. */
export function createPairingStore(connection: Kysely<unknown>, dialect: 'sqlite' | 'postgres') {
  const db = connection.$extendTables<PairingTables>();
  return {
    insert: async ({ codeHash, secretHash, name, system, expires }: NewPairing): Promise<void> => {
      await db
        .insertInto('devices_pairing')
        .values({ code_hash: codeHash, secret_hash: secretHash, name, system, expires, account: null, device: null })
        .execute();
    },
    isOpen: async (codeHash: string, now: number): Promise<boolean> => {
      const query = db.selectFrom('devices_pairing').select('id').where('code_hash', '=', codeHash);
      return (await query.where('expires', '>', now).executeTakeFirst()) !== undefined;
    },
    /** Claims the computer of an open code for an account; undefined if there is no such code, or it is claimed. */
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
      const statement = db.updateTable('devices_pairing').set({ device }).where('id', '=', pairing);
      await statement.where('account', '=', account).execute();
    },
    findBySecret: async (secretHash: string) =>
      db.selectFrom('devices_pairing').selectAll().where('secret_hash', '=', secretHash).executeTakeFirst(),
    /** Removes a pairing. Returns false for a second, concurrent caller. */
    remove: async (pairing: number): Promise<boolean> =>
      (await db.deleteFrom('devices_pairing').where('id', '=', pairing).returning('id').executeTakeFirst()) !==
      undefined,
    removeExpired: async (before: number): Promise<void> => {
      await db.deleteFrom('devices_pairing').where('expires', '<', before).execute();
    },
    /** Returns the wrong codes of an account and locks them until the end of the transaction. */
    lockWrongCodes: async (account: number): Promise<WrongCodes | undefined> => {
      await lockAccount({ dialect }, connection, account);
      return db.selectFrom('devices_tries').select(['wrong', 'last']).where('account', '=', account).executeTakeFirst();
    },
    saveWrongCodes: async (account: number, { wrong, last }: WrongCodes): Promise<void> => {
      const statement = db.insertInto('devices_tries').values({ account, wrong, last });
      await statement.onConflict((conflict) => conflict.column('account').doUpdateSet({ wrong, last })).execute();
    },
    removeWrongCodes: async (account: number): Promise<void> => {
      await db.deleteFrom('devices_tries').where('account', '=', account).execute();
    },
  };
}
