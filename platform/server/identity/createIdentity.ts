import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '#platform/contract/duration.ts';
import { InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { createLocalEntries } from '../cluster/sharedEntries.ts';
import type { Database } from '../database/database.ts';
import type { Egress } from '../egress/egress.ts';
import { logSecurityEvent } from '../operations/logger.ts';
import { writeUnlessFull } from '../storage/diskFullError.ts';
import type { Seal } from '../storage/seal.ts';
import { createAccountStore, toPublicAccount, createBrowserStore } from './accountStore.ts';
import { createAppPasswords } from './appPasswords.ts';
import { createExternalLoginStore } from './externalLoginStore.ts';
import type { Account, AppPasswordKind, LoginService, Identity, NewBrowserLogin } from './identity.ts';
import type { IdentityTables } from './identityTables.ts';
import { createInvitations } from './invitations.ts';
import { createInvitationStore } from './invitationStore.ts';
import { createLoginService } from './loginService.ts';
import { type CounterStorage, createLoginThrottle, disabledLoginThrottle } from './loginThrottle.ts';
import { createOpenIdProvider, type SingleSignOnOptions } from './openIdProvider.ts';
import { createOwnership } from './ownership.ts';
import { type PasswordHasher, type HashCost, createPasswordHasher, validateNewPassword } from './passwords.ts';
import { createConcurrencyLimit, createPasswordVerifier } from './passwordVerifier.ts';
import { createSecondFactors } from './secondFactors.ts';
import { createSecondFactorStore } from './secondFactorStore.ts';
import { createSessions } from './sessions.ts';
import { createTickets } from './tickets.ts';
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
export function createZoneStore({ db: untypedDb, coordination }: Database) {
  const db = untypedDb.$extendTables<IdentityTables>();
  const cache = new LRUCache<number, string>({ max: ZONE_CACHE_SIZE });
  coordination.onNotification('account.zone', (account) => void cache.delete(account as number));
  coordination.onInterruption(() => cache.clear());
  return {
    /**
     * Returns the named zone and saves it as the home zone; without a name the home zone, or else this machine's.
     * @throws Refusal for an unknown name.
     */
    resolve: async (account: number, name?: string): Promise<string> => {
      if (name !== undefined && name !== '') {
        const zone = canonicalizeZone(name);
        if (zone === undefined) throw new Refusal('account.unknown_time_zone', 'There is no such time zone');
        if (cache.get(account) !== zone) {
          // Pages send their zone when they read.
          await writeUnlessFull(() => db.updateTable('account').set({ zone }).where('id', '=', account).execute());
          await coordination.notify(untypedDb, 'account.zone', account);
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
  /** Seals secrets of authenticator apps, and tickets between two steps. */
  readonly secondFactorSeal: Seal;
  readonly appPasswordKinds?: readonly AppPasswordKind[];
  /** At least 10 random bytes that decide the set-up code, so that several instances have the same. */
  readonly setupCodeSeed?: Uint8Array | undefined;
  /** Replaces the hasher that `passwordHash` selects. */
  readonly hasher?: PasswordHasher;
  /** Monotonic time in milliseconds, for throttles. Tests advance it. */
  readonly clock?: () => number;
  /** Login at an OpenID provider, and the guarded egress for requests to it. */
  readonly singleSignOn?: { readonly options: SingleSignOnOptions; readonly egress: Egress } | undefined;
  /** Where failed attempts are counted; by default in this process. */
  readonly counters?: CounterStorage | undefined;
}

/** Creates the identity service on the tables of `identityMigrations`. Disposing it saves the last uses of sessions. */
export async function createIdentity(options: IdentityOptions): Promise<Identity & LoginService & AsyncDisposable> {
  const { database, now, log, rateLimits, clock = () => performance.now() } = options;
  const counters = options.counters ?? { createEntries: createLocalEntries, clock };
  const { hasher = createPasswordHasher(options.passwordHash) } = options;
  const accounts = createAccountStore(database.db);
  const browsers = createBrowserStore(database.db);
  const sessions = createSessions({ database, now, clock, log });
  const appPasswords = createAppPasswords({
    database,
    now,
    counters,
    log,
    rateLimits,
    seal: options.seal,
    kinds: options.appPasswordKinds ?? [],
  });
  const invitations = createInvitations({ store: createInvitationStore(database.db), now, log });
  const ownership = createOwnership(accounts, invitations, options.setupCodeSeed);
  const hashLimit = createConcurrencyLimit(MAX_CONCURRENT_HASHES, MAX_QUEUED_HASHES);
  const throttle = rateLimits ? createLoginThrottle(counters) : disabledLoginThrottle;
  const verifier = createPasswordVerifier({ hasher, hashLimit, throttle, log });
  const tickets = createTickets({ seal: options.secondFactorSeal, now });
  const factorStore = createSecondFactorStore(database);
  const factors = createSecondFactors({
    database,
    store: factorStore,
    accounts,
    browsers,
    tickets,
    seal: options.secondFactorSeal,
    now,
    log,
  });
  const externalLogins = createExternalLoginStore(database.db);
  const newBrowserListeners: ((login: NewBrowserLogin) => void)[] = [];
  const loginService = createLoginService({
    database,
    accounts,
    browsers,
    sessions,
    ownership,
    verifier,
    now,
    counters,
    rateLimits,
    factors,
    factorStore,
    tickets,
    log,
    externalLogins,
    openId: options.singleSignOn && {
      options: options.singleSignOn.options,
      provider: createOpenIdProvider(options.singleSignOn.options, { egress: options.singleSignOn.egress, log, clock }),
    },
    onNewBrowserLogin: (login) => {
      logSecurityEvent(log, 'login.new_browser', { account: login.account, address: login.client.address });
      for (const listener of newBrowserListeners) listener(login);
    },
  });

  const suspensionListeners: ((account: number, isSuspended: boolean) => void)[] = [];

  const accountCache = new LRUCache<number, Account>({ max: ACCOUNT_CACHE_SIZE });
  let removalCount = 0;
  async function getAccount(id: number): Promise<Account | undefined> {
    const removalCountBefore = removalCount;
    const cached = accountCache.get(id);
    if (cached) return cached;
    const stored = await accounts.findById(id);
    if (stored && removalCountBefore === removalCount) accountCache.set(id, toPublicAccount(stored));
    return stored && toPublicAccount(stored);
  }

  function forgetAccount(id: number): void {
    removalCount += 1;
    accountCache.delete(id);
    ownership.onLastAccountDeleted();
  }
  function applySuspension(account: number, isSuspended: boolean): void {
    sessions.forgetAccount(account);
    for (const listener of suspensionListeners) listener(account, isSuspended);
  }
  database.coordination.onNotification('account.deleted', (id) => forgetAccount(id as number));
  database.coordination.onNotification('account.suspended', (content) =>
    applySuspension(...(content as [number, boolean])),
  );
  database.coordination.onInterruption(() => accountCache.clear());

  /** Ends sessions whose rows were removed, and returns their number. */
  function evictRevoked(id: number, ids: readonly number[]): number {
    if (ids.length === 0) return 0;
    sessions.evict(ids);
    logSecurityEvent(log, 'session.revoked', { account: id, sessions: ids });
    return ids.length;
  }

  return {
    ...loginService,
    findSession: sessions.findByToken,
    recordUse: sessions.markSeen,
    findAccount: getAccount,
    resolveZone: createZoneStore(database).resolve,
    findAccountByName: async (name) => {
      const stored = isAccountName(name) ? await accounts.findByName(name) : undefined;
      return stored && toPublicAccount(stored);
    },
    hasOwner: ownership.hasOwner,
    findOwner: async () => {
      const stored = await accounts.findOwner();
      return stored && toPublicAccount(stored);
    },
    getSetupCode: ownership.getSetupCode,

    checkPassword: async (id, password, { address }) => {
      const account = await getAccount(id);
      if (account === undefined) throw new InvalidTokenRefusal();
      const attempt = { name: foldAccountName(account.name), address, trustedBy: `account ${id} at ${address}` };
      await verifier.verifyAccount({
        attempt,
        account: id,
        password,
        readAccount: () => accounts.findById(id),
        refusalMessage: 'Wrong password',
      });
    },

    appPasswords: appPasswords.passwords,
    secondFactors: factors.service,
    allowPasswordLogin: (id) => accounts.allowPasswordLogin(id, now().epochMilliseconds + DAY_MS),

    changePassword: async (id, password, currentSession) => {
      const account = await getAccount(id);
      if (account === undefined) throw new InvalidTokenRefusal();
      validateNewPassword(password, account.name);
      const hash = await verifier.hashNew(password, 'trusted');
      const ended = await database.transaction(async ({ tx }) => {
        await accounts.setPassword(tx, id, hash);
        await appPasswords.removeAll(tx, id);
        await externalLogins.remove(tx, id);
        await browsers.forgetRemembered(tx, id);
        await accounts.incrementLinkGeneration(tx, id);
        return sessions.remove(tx, id, { allBut: currentSession });
      });
      return evictRevoked(id, ended);
    },

    listSessions: sessions.list,
    openDeviceSession: async (tx, account, device) => {
      await accounts.assertActive(tx, account);
      return sessions.openDevice(tx, account, device);
    },
    endSessions: async (id, selector) => {
      const ended = await database.transaction(async ({ tx }) => {
        if ('allBut' in selector) {
          await accounts.incrementLinkGeneration(tx, id);
          await browsers.forgetRemembered(tx, id);
        }
        return sessions.remove(tx, id, selector);
      });
      return evictRevoked(id, ended);
    },
    getLinkGeneration: accounts.getLinkGeneration,
    revokeLinks: (id) => database.transaction(({ tx }) => accounts.incrementLinkGeneration(tx, id)),
    onSessionsEnded: sessions.onEnded,
    onNewBrowserLogin: (listener) => void newBrowserListeners.push(listener),

    assertDeletable: (id) => database.transaction(({ tx }) => ownership.validateDeletion(tx, id)),
    deleteAccount: async (id) => {
      const ended = await database.transaction(async ({ tx }) => {
        await ownership.validateDeletion(tx, id);
        const ids = await sessions.remove(tx, id, 'all');
        await accounts.remove(tx, id);
        await database.coordination.notify(tx, 'account.deleted', id);
        return ids;
      });
      forgetAccount(id);
      evictRevoked(id, ended);
    },
    getSignupRule: accounts.getSignupRule,
    setSignupRule: (rule) => database.transaction(({ tx }) => accounts.setSignupRule(tx, rule)),
    invitations: invitations.service,
    listAccounts: accounts.listForOwner,

    setSuspended: async (id, isSuspended, { address }) => {
      const isChanged = await database.transaction(async ({ tx }) => {
        // Together, so that no instance misses it, even if this one is killed in between.
        await database.coordination.notify(tx, 'account.suspended', [id, isSuspended]);
        return accounts.setSuspended(tx, id, isSuspended ? now().epochMilliseconds : undefined);
      });
      if (!isChanged)
        throw (await getAccount(id))?.isOwner === true
          ? new Refusal('account.owner_not_suspendable', "The owner of this server can't be suspended")
          : new Refusal('account.not_found', 'There is no such account. It may have been deleted');
      logSecurityEvent(log, isSuspended ? 'account.suspended' : 'account.restored', { account: id, address });
      applySuspension(id, isSuspended);
    },
    assertActive: (id) => accounts.assertActive(database.db, id),
    onSuspension: (listener) => void suspensionListeners.push(listener),

    [Symbol.asyncDispose]: async () => {
      await appPasswords.stop();
      await sessions.stop();
    },
  };
}
