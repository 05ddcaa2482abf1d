import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import type { Seal } from '../storage/seal.ts';
import { createAccountStore, toPublicAccount, createBrowserStore } from './accountStore.ts';
import { createAppPasswords } from './appPasswords.ts';
import type { Account, AppPasswordKind, LoginService, Identity } from './identity.ts';
import type { IdentityTables } from './identityTables.ts';
import { createLoginService } from './loginService.ts';
import { createLoginThrottle, disabledLoginThrottle } from './loginThrottle.ts';
import { createOwnership } from './ownership.ts';
import { type PasswordHasher, type HashCost, createPasswordHasher, validateNewPassword } from './passwords.ts';
import { createConcurrencyLimit, createPasswordVerifier } from './passwordVerifier.ts';
import { createSessions } from './sessions.ts';
import { foldAccountName, isAccountName } from './username.ts';

/**
 * Returns the canonical spelling of a time zone such as `europe/berlin`, or undefined if it does not exist.
 * The first `Intl.DateTimeFormat` of a process would block it for up to a second.
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

/** Creates the store of home zones, which decide what 'today' is for an account. */
export function createZoneStore({ db: untypedDb }: Database) {
  const db = untypedDb.$extendTables<IdentityTables>();
  const cache = new LRUCache<number, string>({ max: ZONE_CACHE_SIZE });
  return {
    /**
     * Returns the named zone and saves it as the home zone; without a name the home zone, or else this machine's.
     * @throws Refusal for an unknown name.
     */
    zone: async (account: number, named?: string): Promise<string> => {
      if (named !== undefined && named !== '') {
        const zone = canonicalizeZone(named);
        if (zone === undefined) throw new Refusal('account.unknown_time_zone', 'There is no such time zone');
        if (cache.get(account) !== zone) {
          await db.updateTable('account').set({ zone }).where('id', '=', account).execute();
          cache.set(account, zone);
        }
        return zone;
      }
      const cachedZone = cache.get(account);
      if (cachedZone !== undefined) return cachedZone;
      const row = await db.selectFrom('account').select('zone').where('id', '=', account).executeTakeFirst();
      if (row?.zone != null) cache.set(account, row.zone);
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
  /** Seals app passwords that must be readable again. */
  readonly seal: Seal;
  readonly appPasswordKinds?: readonly AppPasswordKind[];
  /** Replaces the hasher that `passwordHash` selects. */
  readonly hasher?: PasswordHasher;
  /** Monotonic time in milliseconds, for throttles. Tests advance it. */
  readonly clock?: () => number;
}

/** Creates the identity service on the tables of `identityMigrations`. Disposing it saves the last uses of sessions. */
export async function createIdentity(options: IdentityOptions): Promise<Identity & LoginService & AsyncDisposable> {
  const { database, now, log, rateLimits, clock = () => performance.now() } = options;
  const { hasher = createPasswordHasher(options.passwordHash) } = options;
  const accounts = createAccountStore(database.db);
  const browsers = createBrowserStore(database.db);
  const sessions = createSessions({ database, now, clock, log });
  const appPasswords = createAppPasswords({
    database,
    now,
    clock,
    log,
    rateLimits,
    seal: options.seal,
    kinds: options.appPasswordKinds ?? [],
  });
  const ownership = createOwnership(accounts);
  const turns = createConcurrencyLimit(MAX_CONCURRENT_HASHES, MAX_QUEUED_HASHES);
  const throttle = rateLimits ? createLoginThrottle(clock) : disabledLoginThrottle;
  const verifier = createPasswordVerifier({ hasher, turns, throttle, log });
  const loginService = createLoginService({
    database,
    accounts,
    browsers,
    sessions,
    ownership,
    verifier,
    now,
    clock,
    rateLimits,
  });

  const accountCache = new LRUCache<number, Account>({ max: ACCOUNT_CACHE_SIZE });
  let removalCount = 0;
  const getAccount = async (id: number): Promise<Account | undefined> => {
    const removalCountBefore = removalCount;
    const cachedAccount = accountCache.get(id);
    if (cachedAccount) return cachedAccount;
    const found = await accounts.findById(id);
    if (found === undefined || removalCountBefore !== removalCount) return found && toPublicAccount(found);
    accountCache.set(id, toPublicAccount(found));
    return toPublicAccount(found);
  };

  const reportRevoked = (id: number, ids: readonly number[]): number => {
    if (ids.length === 0) return 0;
    sessions.drop(ids);
    logSecurityEvent(log, 'session.revoked', { account: id, sessions: ids });
    return ids.length;
  };

  return {
    ...loginService,
    findSession: sessions.findByToken,
    recordUse: sessions.markSeen,
    findAccount: getAccount,
    resolveZone: createZoneStore(database).zone,
    findAccountByName: async (name) => {
      const found = isAccountName(name) ? await accounts.findByName(name) : undefined;
      return found && toPublicAccount(found);
    },
    hasOwner: ownership.hasOwner,
    findOwner: async () => {
      const found = await accounts.findOwner();
      return found && toPublicAccount(found);
    },
    getSetupCode: ownership.setupCode,

    checkPassword: async (id, password, { address }) => {
      const cachedAccount = await getAccount(id);
      if (cachedAccount === undefined) throw new InvalidTokenRefusal();
      const attempt = { name: foldAccountName(cachedAccount.name), address, trustedBy: `account ${id} at ${address}` };
      await verifier.verifyAccount({
        attempt,
        account: id,
        password,
        readAccount: () => accounts.findById(id),
        refusalMessage: 'Wrong password',
      });
    },

    appPasswords: appPasswords.passwords,

    changePassword: async (id, password, keepSession) => {
      const cachedAccount = await getAccount(id);
      if (cachedAccount === undefined) throw new InvalidTokenRefusal();
      validateNewPassword(password, cachedAccount.name);
      const hash = await verifier.hashNew(password, 'trusted');
      const ended = await database.transaction(async ({ tx }) => {
        await accounts.setPassword(tx, id, hash);
        await appPasswords.removeAll(tx, id);
        await accounts.raiseLinks(tx, id);
        return sessions.remove(tx, id, { allBut: keepSession });
      });
      return reportRevoked(id, ended);
    },

    listSessions: sessions.list,
    openDeviceSession: sessions.openDevice,
    endSessions: async (id, which) => {
      const ended = await database.transaction(async ({ tx }) => {
        if ('allBut' in which) await accounts.raiseLinks(tx, id);
        return sessions.remove(tx, id, which);
      });
      return reportRevoked(id, ended);
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
      removalCount += 1;
      accountCache.delete(id);
      ownership.onLastAccountDeleted();
      reportRevoked(id, ended);
    },
    isSignupOpen: accounts.isSignupOpen,
    setSignupOpen: (isOpen) => database.transaction(({ tx }) => accounts.setSignupOpen(tx, isOpen)),

    [Symbol.asyncDispose]: async () => {
      await appPasswords.stop();
      await sessions.stop();
    },
  };
}
