import type { FastifyBaseLogger } from 'fastify';
import { InvalidToken } from '#platform/contract/refusal.ts';
import type { Database } from '../database/database.ts';
import { securityEvent } from '../log.ts';
import type { Seal } from '../seal.ts';
import { accountStore, shownOf } from './accountStore.ts';
import { makeAppPasswords } from './appPasswords.ts';
import { browserStore } from './browserStore.ts';
import { makeFrontDoor } from './frontDoor.ts';
import { type Hasher, type HashStrength, makeHasher } from './hashing.ts';
import type { Account, FrontDoor, Identity } from './identity.ts';
import { foldName, isName } from './names.ts';
import { makeOwnership } from './ownership.ts';
import { checkNewPassword } from './passwords.ts';
import { makeProof } from './proof.ts';
import { makeSessions } from './sessions.ts';
import { makeThrottle, noThrottle } from './throttle.ts';
import { makeTurns } from './turns.ts';
import { makeZones } from './zones.ts';

const HASHES_AT_ONCE = 2;
const HASHES_WAITING = 32;
const ACCOUNTS_HELD = 10_000;

export interface IdentityOptions {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
  readonly passwordHash: HashStrength;
  readonly rateLimits: boolean;
  /** For app passwords that have to come back as they were. */
  readonly seal: Seal;
  /** In the place of the one that `passwordHash` names. */
  readonly hasher?: Hasher;
  /** Milliseconds of a clock that only goes forward, for throttles; tests turn it. */
  readonly clock?: () => number;
}

/** Accounts, sessions and passwords on the tables of `identityMigrations`. Disposing writes what was last seen. */
export const makeIdentity = async (options: IdentityOptions): Promise<Identity & FrontDoor & AsyncDisposable> => {
  const { database, now, log, rateLimits, clock = () => performance.now() } = options;
  const { hasher = makeHasher(options.passwordHash) } = options;
  const accounts = accountStore(database.db);
  const browsers = browserStore(database.db);
  const sessions = makeSessions({ database, now, clock, log });
  const appPasswords = makeAppPasswords({ database, now, clock, log, rateLimits, seal: options.seal });
  const ownership = makeOwnership(accounts);
  const turns = makeTurns(HASHES_AT_ONCE, HASHES_WAITING);
  const throttle = rateLimits ? makeThrottle(clock) : noThrottle;
  const proof = makeProof({ hasher, turns, throttle, log });
  const door = makeFrontDoor({ database, accounts, browsers, sessions, ownership, proof, now, clock, rateLimits });

  const held = new Map<number, Account>();
  let removals = 0;
  const account = async (id: number): Promise<Account | undefined> => {
    const before = removals;
    const known = held.get(id);
    if (known) return known;
    const found = await accounts.byId(id);
    if (found === undefined || before !== removals) return found && shownOf(found);
    if (held.size >= ACCOUNTS_HELD) held.clear();
    held.set(id, shownOf(found));
    return shownOf(found);
  };

  const revoked = (id: number, ids: readonly number[]): number => {
    if (ids.length === 0) return 0;
    sessions.drop(ids);
    securityEvent(log, 'session.revoked', { account: id, sessions: ids });
    return ids.length;
  };

  return {
    ...door,
    sessionOf: sessions.of,
    seen: sessions.seen,
    account,
    zone: makeZones(database).zone,
    accountNamed: async (name) => {
      const found = isName(name) ? await accounts.byName(name) : undefined;
      return found && shownOf(found);
    },
    hasOwner: ownership.hasOwner,
    owner: async () => {
      const found = await accounts.owner();
      return found && shownOf(found);
    },
    setupCode: ownership.setupCode,

    checkPassword: async (id, password, { address }) => {
      const known = await account(id);
      if (known === undefined) throw new InvalidToken();
      const attempt = { name: foldName(known.name), address, vouched: `account ${id} at ${address}` };
      await proof.prove({ attempt, account: id, password, read: () => accounts.byId(id), wrong: 'Wrong password' });
    },

    appPasswords: appPasswords.passwords,

    changePassword: async (id, password, keepSession) => {
      const known = await account(id);
      if (known === undefined) throw new InvalidToken();
      checkNewPassword(password, known.name);
      const hash = await proof.hashNew(password, 'trusted');
      const ended = await database.transaction(async ({ tx }) => {
        await accounts.setPassword(tx, id, hash);
        await appPasswords.removeAll(tx, id);
        await accounts.raiseLinks(tx, id);
        return sessions.remove(tx, id, { allBut: keepSession });
      });
      return revoked(id, ended);
    },

    sessions: sessions.list,
    openDeviceSession: sessions.openDevice,
    endSessions: async (id, which) => {
      const ended = await database.transaction(async ({ tx }) => {
        if ('allBut' in which) await accounts.raiseLinks(tx, id);
        return sessions.remove(tx, id, which);
      });
      return revoked(id, ended);
    },
    linkGeneration: accounts.linkGeneration,
    endLinks: (id) => database.transaction(({ tx }) => accounts.raiseLinks(tx, id)),
    onEnded: sessions.onEnded,

    checkDeletable: (id) => database.transaction(({ tx }) => ownership.refuseLeaving(tx, id)),
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
};
