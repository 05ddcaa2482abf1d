import type { FastifyBaseLogger } from 'fastify';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { createConcurrencyLimit } from '../schedule/concurrencyLimit.ts';
import type { Seal } from '../storage/seal.ts';
import { createAccountStore, toPublicAccount, createBrowserStore } from './accountStore.ts';
import { createAppPasswords } from './appPasswords.ts';
import type { Account, LoginService, Identity } from './identity.ts';
import type { IdentityTables } from './identityTables.ts';
import { createLoginService } from './loginService.ts';
import { createLoginThrottle, disabledLoginThrottle } from './loginThrottle.ts';
import { createOwnership } from './ownership.ts';
import { type PasswordHasher, type HashCost, createPasswordHasher, validateNewPassword } from './passwords.ts';
import { createPasswordVerifier } from './passwordVerifier.ts';
import { createSessions } from './sessions.ts';
import { foldAccountName, isAccountName } from './username.ts';

/**
 * The spelling that a time zone itself has, of a name such as `europe/berlin`; undefined where there is no such zone. Not by
 * `Intl.DateTimeFormat`: the first one of a process takes up to a second, in which nobody else is answered.
 */
export function canonicalizeZone(name: string): string | undefined {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const ZONE_CACHE_SIZE = 10_000;

/** Home zones of accounts: what 'today' is for them. */
export function createZoneStore({ db: ground }: Database) {
  const db = ground.$extendTables<IdentityTables>();
  const known = new Map<number, string>();
  const keep = (account: number, zone: string): void => {
    if (known.size >= ZONE_CACHE_SIZE) known.clear();
    known.set(account, zone);
  };
  return {
    /** The zone that a page names, remembered as the account's home; without one the home zone, else this machine's. @throws Refusal for a name that is no zone's. */
    zone: async (account: number, named?: string): Promise<string> => {
      if (named !== undefined && named !== '') {
        const zone = canonicalizeZone(named);
        if (zone === undefined) throw new Refusal('There is no such time zone');
        if (known.get(account) !== zone) {
          await db.updateTable('account').set({ zone }).where('id', '=', account).execute();
          keep(account, zone);
        }
        return zone;
      }
      const remembered = known.get(account);
      if (remembered !== undefined) return remembered;
      const row = await db.selectFrom('account').select('zone').where('id', '=', account).executeTakeFirst();
      if (row?.zone != null) keep(account, row.zone);
      return row?.zone ?? Temporal.Now.timeZoneId();
    },
  };
}

const MAX_CONCURRENT_HASHES = 2;
const MAX_QUEUED_HASHES = 32;
const ACCOUNT_CACHE_SIZE = 10_000;

export interface IdentityOptions {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly passwordHash: HashCost;
  readonly rateLimits: boolean;
  /** For app passwords that have to come back as they were. */
  readonly seal: Seal;
  /** In the place of the one that `passwordHash` names. */
  readonly hasher?: PasswordHasher;
  /** Milliseconds of a clock that only goes forward, for throttles; tests turn it. */
  readonly clock?: () => number;
}

/** Accounts, sessions and passwords on the tables of `identityMigrations`. Disposing writes what was last seen. */
export async function createIdentity(options: IdentityOptions): Promise<Identity & LoginService & AsyncDisposable> {
  const { database, now, log, rateLimits, clock = () => performance.now() } = options;
  const { hasher = createPasswordHasher(options.passwordHash) } = options;
  const accounts = createAccountStore(database.db);
  const browsers = createBrowserStore(database.db);
  const sessions = createSessions({ database, now, clock, log });
  const appPasswords = createAppPasswords({ database, now, clock, log, rateLimits, seal: options.seal });
  const ownership = createOwnership(accounts);
  const turns = createConcurrencyLimit(MAX_CONCURRENT_HASHES, MAX_QUEUED_HASHES);
  const throttle = rateLimits ? createLoginThrottle(clock) : disabledLoginThrottle;
  const proof = createPasswordVerifier({ hasher, turns, throttle, log });
  const door = createLoginService({ database, accounts, browsers, sessions, ownership, proof, now, clock, rateLimits });

  const held = new Map<number, Account>();
  let removals = 0;
  const account = async (id: number): Promise<Account | undefined> => {
    const before = removals;
    const known = held.get(id);
    if (known) return known;
    const found = await accounts.byId(id);
    if (found === undefined || before !== removals) return found && toPublicAccount(found);
    if (held.size >= ACCOUNT_CACHE_SIZE) held.clear();
    held.set(id, toPublicAccount(found));
    return toPublicAccount(found);
  };

  const revoked = (id: number, ids: readonly number[]): number => {
    if (ids.length === 0) return 0;
    sessions.drop(ids);
    logSecurityEvent(log, 'session.revoked', { account: id, sessions: ids });
    return ids.length;
  };

  return {
    ...door,
    findSession: sessions.of,
    recordUse: sessions.seen,
    findAccount: account,
    resolveZone: createZoneStore(database).zone,
    findAccountByName: async (name) => {
      const found = isAccountName(name) ? await accounts.byName(name) : undefined;
      return found && toPublicAccount(found);
    },
    hasOwner: ownership.hasOwner,
    findOwner: async () => {
      const found = await accounts.owner();
      return found && toPublicAccount(found);
    },
    getSetupCode: ownership.setupCode,

    checkPassword: async (id, password, { address }) => {
      const known = await account(id);
      if (known === undefined) throw new InvalidTokenRefusal();
      const attempt = { name: foldAccountName(known.name), address, trustedBy: `account ${id} at ${address}` };
      await proof.prove({
        attempt,
        account: id,
        password,
        readAccount: () => accounts.byId(id),
        refusalMessage: 'Wrong password',
      });
    },

    appPasswords: appPasswords.passwords,

    changePassword: async (id, password, keepSession) => {
      const known = await account(id);
      if (known === undefined) throw new InvalidTokenRefusal();
      validateNewPassword(password, known.name);
      const hash = await proof.hashNew(password, 'trusted');
      const ended = await database.transaction(async ({ tx }) => {
        await accounts.setPassword(tx, id, hash);
        await appPasswords.removeAll(tx, id);
        await accounts.raiseLinks(tx, id);
        return sessions.remove(tx, id, { allBut: keepSession });
      });
      return revoked(id, ended);
    },

    listSessions: sessions.list,
    openDeviceSession: sessions.openDevice,
    endSessions: async (id, which) => {
      const ended = await database.transaction(async ({ tx }) => {
        if ('allBut' in which) await accounts.raiseLinks(tx, id);
        return sessions.remove(tx, id, which);
      });
      return revoked(id, ended);
    },
    getLinkGeneration: accounts.linkGeneration,
    revokeLinks: (id) => database.transaction(({ tx }) => accounts.raiseLinks(tx, id)),
    onSessionsEnded: sessions.onEnded,

    assertDeletable: (id) => database.transaction(({ tx }) => ownership.refuseLeaving(tx, id)),
    deleteAccount: async (id) => {
      const ended = await database.transaction(async ({ tx }) => {
        await ownership.refuseLeaving(tx, id);
        const ids = await sessions.remove(tx, id, 'all');
        await accounts.remove(tx, id);
        return ids;
      });
      removals += 1;
      held.delete(id);
      ownership.left();
      revoked(id, ended);
    },
    isSignupOpen: accounts.isSignupOpen,
    setSignupOpen: (isOpen) => database.transaction(({ tx }) => accounts.setSignupOpen(tx, isOpen)),

    [Symbol.asyncDispose]: async () => {
      await appPasswords.stop();
      await sessions.stop();
    },
  };
}
