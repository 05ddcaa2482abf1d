import type { Kysely, Transaction } from 'kysely';
import type { ExternalLogin } from './identity.ts';
import { withIdentityTables, type IdentityTables } from './identityTables.ts';

/** A person at an OpenID provider. */
export interface ExternalSubject {
  readonly issuer: string;
  readonly subject: string;
  /** Username or e-mail address at the provider, for display. */
  readonly label: string;
}

/** Creates the store of links between accounts and people at an OpenID provider, one to one. */
export function createExternalLoginStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<IdentityTables>();
  return {
    findAccount: async (
      { issuer, subject }: Pick<ExternalSubject, 'issuer' | 'subject'>,
      source: Kysely<unknown> = untypedDb,
    ): Promise<number | undefined> => {
      const row = await withIdentityTables(source)
        .selectFrom('external_login')
        .select('account')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row?.account;
    },

    get: async (account: number, issuer: string): Promise<ExternalLogin | undefined> => {
      const row = await db
        .selectFrom('external_login')
        .select(['label', 'created'])
        .where('account', '=', account)
        .where('issuer', '=', issuer)
        .executeTakeFirst();
      return row && { label: row.label, created: Temporal.Instant.fromEpochMilliseconds(row.created) };
    },

    /**
     * Links the account, instead of to the person at another provider. Returns false if the account or the person is
     * linked to somebody else at this one.
     */
    save: async (
      tx: Transaction<unknown>,
      account: number,
      { issuer, subject, label }: ExternalSubject,
      created: number,
    ): Promise<boolean> => {
      const identityTx = withIdentityTables(tx);
      await identityTx
        .deleteFrom('external_login')
        .where('account', '=', account)
        .where((eb) => eb.or([eb('issuer', '!=', issuer), eb('subject', '=', subject)]))
        .execute();
      const result = await identityTx
        .insertInto('external_login')
        .values({ account, issuer, subject, label, created })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    /** Returns whether there was a link. */
    remove: async (tx: Transaction<unknown>, account: number): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .deleteFrom('external_login')
        .where('account', '=', account)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

export type ExternalLoginStore = ReturnType<typeof createExternalLoginStore>;
