import { sql, type Kysely, type RawBuilder, type Selectable, type SqlBool, type Transaction } from 'kysely';
import { ACCOUNT_SUSPENDED, Refusal } from '#platform/contract/refusal.ts';
import { SIGNUP_RULES, type SignupRule } from '#platform/contract/session.ts';
import { toFlag } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import type { Account, AccountInfo } from './identity.ts';
import { type IdentityTables, withIdentityTables } from './identityTables.ts';
import { foldAccountName } from './username.ts';

/**
 * Locks an account until the transaction ends, so that checks stay valid until the rows that depend on them are
 * written. Call it first in a transaction. SQLite needs no lock, since its transactions run one by one.
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

/**
 * Condition for rows that others can see: the account in this column is not suspended, or there is none.
 * @param column with its table, such as `paste_piece.account`
 */
export const isOfActiveAccount = (column: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (select 1 from account where account.id = ${sql.ref(column)} and account.suspended is not null)`;

const MAX_KNOWN_BROWSERS_PER_ACCOUNT = 20;

/**
 * Creates the store of known browsers. They decide how failed logins are throttled, and whether the second factor is
 * needed after the password. Alone they authorize nothing.
 */
export function createBrowserStore(untypedDb: Kysely<unknown>) {
  return {
    /** Returns the id of a browser, by the hash of its secret, or of a program that is known at this account. */
    find: async (
      account: number,
      column: 'hash' | 'program',
      value: string,
      source: Kysely<unknown> = untypedDb,
    ): Promise<number | undefined> => {
      const row = await withIdentityTables(source)
        .selectFrom('known_browser')
        .select('id')
        .where('account', '=', account)
        .where(column, '=', value)
        .executeTakeFirst();
      return row?.id;
    },

    /** Returns whether the browser needs no second factor at this account. */
    isRemembered: async (source: Kysely<unknown>, account: number, hash: string, now: number): Promise<boolean> => {
      const row = await withIdentityTables(source)
        .selectFrom('known_browser')
        .select('id')
        .where('account', '=', account)
        .where('hash', '=', hash)
        .where('remembered_until', '>', now)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Gives a browser a new secret at all accounts that know it. */
    replaceSecret: async (
      tx: Transaction<unknown>,
      { from, to }: { readonly from: string; readonly to: string },
    ): Promise<void> => {
      await withIdentityTables(tx).updateTable('known_browser').set({ hash: to }).where('hash', '=', from).execute();
    },

    /** Asks every browser of this account for the second factor again. */
    forgetRemembered: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await withIdentityTables(tx)
        .updateTable('known_browser')
        .set({ remembered_until: null })
        .where('account', '=', account)
        .execute();
    },

    /**
     * Stores the browser for this account. Only the 20 that were used last remain. A program has one row, which has the
     * secret of its last login.
     */
    save: async (
      tx: Transaction<unknown>,
      account: number,
      {
        hash,
        program,
        now,
        rememberedUntil,
      }: {
        readonly hash: string;
        readonly program?: string | undefined;
        readonly now: number;
        readonly rememberedUntil?: number;
      },
    ): Promise<void> => {
      const db = withIdentityTables(tx);
      const changes = {
        hash,
        program: program ?? null,
        used: now,
        ...(rememberedUntil === undefined ? {} : { remembered_until: rememberedUntil }),
      };
      await db
        .insertInto('known_browser')
        .values({ account, ...changes })
        .onConflict((conflict) =>
          conflict.columns(['account', program === undefined ? 'hash' : 'program']).doUpdateSet(changes),
        )
        .execute();
      const newest = db
        .selectFrom('known_browser')
        .select('id')
        .where('account', '=', account)
        .orderBy('used', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_KNOWN_BROWSERS_PER_ACCOUNT);
      await db.deleteFrom('known_browser').where('account', '=', account).where('id', 'not in', newest).execute();
    },
  };
}

export type BrowserStore = ReturnType<typeof createBrowserStore>;

/** An account with its password hash. It does not leave this folder. */
export interface StoredAccount extends Account {
  readonly password: string;
}

/** Returns the fields of an account that may be shown. */
export function toPublicAccount({ id, name, isOwner, created }: StoredAccount): Account {
  return { id, name, isOwner, created };
}

interface NewAccount {
  readonly name: string;
  readonly password: string;
  readonly isOwner: boolean;
  readonly created: Temporal.Instant;
}

const ACCOUNT_COLUMNS = ['id', 'name', 'password', 'is_owner', 'created'] as const;
type AccountRow = Pick<Selectable<IdentityTables['account']>, (typeof ACCOUNT_COLUMNS)[number]>;

const toAccount = <Row extends AccountRow | undefined>(row: Row): StoredAccount | (Row & undefined) =>
  row && {
    id: row.id,
    name: row.name,
    password: row.password,
    isOwner: row.is_owner === 1,
    created: Temporal.Instant.fromEpochMilliseconds(row.created),
  };

const toInstant = (ms: number | null): Temporal.Instant | undefined =>
  ms === null ? undefined : Temporal.Instant.fromEpochMilliseconds(ms);

const SIGNUP_SETTING = 'signup';

/** The credential is right, but its account is suspended. */
export class SuspendedRefusal extends Refusal {
  override readonly name = 'SuspendedRefusal';
  constructor() {
    super(ACCOUNT_SUSPENDED, 'This account is suspended. Ask the owner of this server to lift the suspension');
  }
}

/** Creates the store of accounts and of server-wide settings. */
export function createAccountStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<IdentityTables>();
  const accounts = db.selectFrom('account').select(ACCOUNT_COLUMNS);
  return {
    findById: async (id: number): Promise<StoredAccount | undefined> =>
      toAccount(await accounts.where('id', '=', id).executeTakeFirst()),

    findByName: async (name: string): Promise<StoredAccount | undefined> =>
      toAccount(await accounts.where('folded', '=', foldAccountName(name)).executeTakeFirst()),

    findOwner: async (): Promise<StoredAccount | undefined> =>
      toAccount(await accounts.where('is_owner', '=', 1).executeTakeFirst()),

    hasOwner: async (): Promise<boolean> =>
      (await db.selectFrom('account').select('id').where('is_owner', '=', 1).executeTakeFirst()) !== undefined,

    /** Locks the ownership until the transaction ends. Returns whether there is an owner. */
    lockOwner: async (tx: Transaction<unknown>): Promise<boolean> => {
      const owner = await withIdentityTables(tx)
        .updateTable('account')
        .set({ is_owner: 1 })
        .where('is_owner', '=', 1)
        .executeTakeFirst();
      return owner.numUpdatedRows > 0n;
    },

    isOwner: async (tx: Transaction<unknown>, account: number): Promise<boolean> => {
      const row = await withIdentityTables(tx)
        .selectFrom('account')
        .select('is_owner')
        .where('id', '=', account)
        .executeTakeFirst();
      return row?.is_owner === 1;
    },

    countOthers: async (tx: Transaction<unknown>, account: number): Promise<number> => {
      const { others } = await withIdentityTables(tx)
        .selectFrom('account')
        .select(({ fn }) => fn.countAll().as('others'))
        .where('id', '!=', account)
        .executeTakeFirstOrThrow();
      return Number(others);
    },

    /** Returns the new id, or undefined if the name or the ownership was just taken. */
    insert: async (tx: Transaction<unknown>, account: NewAccount): Promise<number | undefined> => {
      const row = await withIdentityTables(tx)
        .insertInto('account')
        .values({
          name: account.name,
          folded: foldAccountName(account.name),
          password: account.password,
          is_owner: toFlag(account.isOwner),
          created: account.created.epochMilliseconds,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row?.id;
    },

    /** Replaces the hash `from`. Returns false if it is no longer the account's. */
    replacePassword: async (
      tx: Transaction<unknown>,
      account: number,
      { from, to }: { readonly from: string; readonly to: string },
    ): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .updateTable('account')
        .set({ password: to })
        .where('id', '=', account)
        .where('password', '=', from)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    setPassword: async (tx: Transaction<unknown>, account: number, password: string): Promise<void> => {
      await withIdentityTables(tx).updateTable('account').set({ password }).where('id', '=', account).execute();
    },

    /** Links of a suspended account don't work. */
    getLinkGeneration: async (account: number): Promise<number | undefined> => {
      const row = await db
        .selectFrom('account')
        .select('link_generation')
        .where('id', '=', account)
        .where('suspended', 'is', null)
        .executeTakeFirst();
      return row?.link_generation;
    },

    /** @throws Refusal if the account is suspended. */
    assertActive: async (source: Kysely<unknown>, account: number): Promise<void> => {
      const row = await withIdentityTables(source)
        .selectFrom('account')
        .select('suspended')
        .where('id', '=', account)
        .executeTakeFirst();
      if (row?.suspended != null) throw new SuspendedRefusal();
    },

    allowPasswordLogin: async (account: number, until: number): Promise<void> => {
      await db.updateTable('account').set({ password_login_until: until }).where('id', '=', account).execute();
    },

    /** Returns whether the operator has reset the password within the last day. */
    isPasswordLoginAllowed: async (tx: Transaction<unknown>, account: number, now: number): Promise<boolean> => {
      const row = await withIdentityTables(tx)
        .selectFrom('account')
        .select('id')
        .where('id', '=', account)
        .where('password_login_until', '>', now)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns false for the owner, and for an account that does not exist. @param since undefined lifts it */
    setSuspended: async (tx: Transaction<unknown>, account: number, since: number | undefined): Promise<boolean> => {
      const result = await withIdentityTables(tx)
        .updateTable('account')
        .set({ suspended: since ?? null })
        .where('id', '=', account)
        .where('is_owner', '=', 0)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Lists all accounts, oldest first. */
    listForOwner: async (): Promise<readonly AccountInfo[]> => {
      const rows = await db
        .selectFrom('account')
        .select([...ACCOUNT_COLUMNS, 'suspended'])
        .select((eb) => [
          eb
            .selectFrom('session')
            .select(({ fn }) => fn.max('last_seen').as('seen'))
            .whereRef('session.account', '=', 'account.id')
            .as('seen'),
          eb
            .selectFrom('totp')
            .select(({ fn }) => fn.countAll().as('count'))
            .whereRef('totp.account', '=', 'account.id')
            .as('totp_count'),
          eb
            .selectFrom('passkey')
            .select(({ fn }) => fn.countAll().as('count'))
            .whereRef('passkey.account', '=', 'account.id')
            .as('passkey_count'),
        ])
        .orderBy('id')
        .execute();
      return rows.map(({ suspended, seen, totp_count: totpCount, passkey_count: passkeyCount, ...row }) => ({
        ...toPublicAccount(toAccount(row)),
        suspended: toInstant(suspended),
        lastSeen: toInstant(seen),
        hasSecondFactor: Number(totpCount) + Number(passkeyCount) > 0,
      }));
    },

    incrementLinkGeneration: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await withIdentityTables(tx)
        .updateTable('account')
        .set((eb) => ({ link_generation: eb('link_generation', '+', 1) }))
        .where('id', '=', account)
        .execute();
    },

    remove: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await withIdentityTables(tx).deleteFrom('account').where('id', '=', account).execute();
    },

    getSignupRule: async (): Promise<SignupRule> => {
      const row = await db.selectFrom('setting').select('value').where('name', '=', SIGNUP_SETTING).executeTakeFirst();
      return SIGNUP_RULES.find((rule) => rule === row?.value) ?? 'open';
    },

    setSignupRule: async (tx: Transaction<unknown>, value: SignupRule): Promise<void> => {
      await withIdentityTables(tx)
        .insertInto('setting')
        .values({ name: SIGNUP_SETTING, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}

export type AccountStore = ReturnType<typeof createAccountStore>;
