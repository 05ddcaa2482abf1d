import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { SuspendedRefusal } from './accountStore.ts';
import type { LiveSession, ClientInfo, SessionInfo } from './identity.ts';
import {
  getExpiryMs,
  createSessionStore,
  getUnusedTtlMs,
  type SessionSelector,
  type StoredSession,
} from './sessionStore.ts';
import { hashSecret, isToken, generateToken } from './tokens.ts';

const UNKNOWN_TOKEN_TTL_MS = 10_000;
const UNKNOWN_TOKEN_CACHE_SIZE = 10_000;
const SAVE_BATCH_SIZE = 200;
const MAX_SESSIONS_PER_ACCOUNT = 100;

interface CachedSession extends StoredSession {
  readonly hash: string;
}

interface SessionsDeps {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
  readonly log: FastifyBaseLogger;
}

const toLiveSession = ({ id, account, kind, device }: StoredSession): LiveSession => ({ id, account, kind, device });

/** Creates a cache of texts that are not tokens, so that repeated lookups do not read the database. */
function createUnknownTokenCache(clock: () => number) {
  const expiresAt = new LRUCache<string, number>({ max: UNKNOWN_TOKEN_CACHE_SIZE });
  return {
    has: (hash: string): boolean => (expiresAt.get(hash) ?? 0) > clock(),
    add: (hash: string): void => {
      expiresAt.set(hash, clock() + UNKNOWN_TOKEN_TTL_MS);
    },
  };
}

/** Creates the session cache in front of the database (docs/design/reliability.md section 10.3). */
export function createSessions({ database, now, clock, log }: SessionsDeps) {
  const store = createSessionStore(database.db);
  const { coordination } = database;
  const sessionsByHash = new Map<string, CachedSession>();
  const sessionsById = new Map<number, CachedSession>();
  const unsavedIds = new Set<number>();
  const unknownTokens = createUnknownTokenCache(clock);
  const pendingReads = new Map<string, Promise<StoredSession | undefined>>();
  const listeners: ((sessions: readonly number[]) => void)[] = [];
  let endedCount = 0;

  const isExpired = (session: StoredSession): boolean => getExpiryMs(session) <= now().epochMilliseconds;

  function addToCache(session: CachedSession): void {
    sessionsByHash.set(session.hash, session);
    sessionsById.set(session.id, session);
  }

  function evict(ids: readonly number[]): void {
    endedCount += 1;
    for (const id of ids) {
      const cached = sessionsById.get(id);
      sessionsById.delete(id);
      unsavedIds.delete(id);
      if (cached) sessionsByHash.delete(cached.hash);
    }
    if (ids.length > 0) for (const listener of listeners) listener(ids);
  }

  /**
   * Reads a session, and reads it again if sessions ended meanwhile, since the result may be stale.
   * @throws SuspendedRefusal
   */
  async function readIntoCache(hash: string): Promise<StoredSession | undefined> {
    for (;;) {
      const endedCountBefore = endedCount;
      const found = await store.find(hash);
      if (endedCountBefore !== endedCount) continue;
      if (found === undefined) {
        unknownTokens.add(hash);
        return undefined;
      }
      const { isSuspended, ...stored } = found;
      if (isSuspended && !isExpired(stored)) throw new SuspendedRefusal();
      addToCache({ ...stored, hash });
      return stored;
    }
  }

  async function find(hash: string): Promise<StoredSession | undefined> {
    if (unknownTokens.has(hash)) return undefined;
    const pending = pendingReads.get(hash);
    if (pending) return pending;
    const read = readIntoCache(hash).finally(() => pendingReads.delete(hash));
    pendingReads.set(hash, read);
    return read;
  }

  async function save(): Promise<void> {
    const unsavedSessions = [...unsavedIds].flatMap((id) => sessionsById.get(id) ?? []);
    for (let from = 0; from < unsavedSessions.length; from += SAVE_BATCH_SIZE) {
      const batch = unsavedSessions.slice(from, from + SAVE_BATCH_SIZE);
      for (const { id } of batch) unsavedIds.delete(id);
      try {
        await store.saveLastUse(batch);
      } catch (error) {
        for (const { id } of batch) unsavedIds.add(id);
        throw error;
      }
    }
  }

  /** Removes rows, and notifies the other instances. */
  async function remove(
    tx: Transaction<unknown>,
    account: number,
    selector: SessionSelector,
  ): Promise<readonly number[]> {
    const ids = await store.remove(tx, account, selector);
    if (ids.length > 0) await coordination.notify(tx, 'sessions.ended', ids);
    return ids;
  }
  coordination.onNotification('sessions.ended', (ids) => evict(ids as readonly number[]));
  coordination.onInterruption(() => {
    endedCount += 1;
    sessionsByHash.clear();
  });

  async function cleanUp(): Promise<void> {
    await save();
    const expired = await store.removeExpired(now().epochMilliseconds);
    if (expired.length > 0) evict(expired);
  }

  const timer = setInterval(() => {
    cleanUp().catch((error: unknown) => log.error({ err: error }, 'sessions.unsaved'));
  }, 60_000);
  timer.unref();

  /** Returns the cached session, which may have unsaved use. */
  const withUnsavedUse = (stored: StoredSession): StoredSession => sessionsById.get(stored.id) ?? stored;

  /** Lists the sessions over the limit, longest unused first. */
  const listSurplus = (sessions: readonly StoredSession[]): readonly number[] =>
    sessions
      .map(withUnsavedUse)
      .toSorted((a, b) => Number(isExpired(b)) - Number(isExpired(a)) || a.lastSeen - b.lastSeen || a.id - b.id)
      .slice(0, Math.max(0, sessions.length - (MAX_SESSIONS_PER_ACCOUNT - 1)))
      .map(({ id }) => id);

  /** Forgets the cached sessions of an account without ending them, because it was suspended or restored. */
  function forgetAccount(account: number): void {
    endedCount += 1;
    for (const [id, session] of sessionsById)
      if (session.account === account) {
        sessionsById.delete(id);
        sessionsByHash.delete(session.hash);
        unsavedIds.delete(id);
      }
  }

  return {
    forgetAccount,
    /** @throws SuspendedRefusal */
    findByToken: async (token: string): Promise<LiveSession | undefined> => {
      if (!isToken(token)) return undefined;
      const hash = hashSecret(token);
      const cached = sessionsByHash.get(hash);
      // Another instance may have used an expired one.
      const stored = cached && !(coordination.isShared && isExpired(cached)) ? cached : await find(hash);
      return stored === undefined || isExpired(stored) ? undefined : toLiveSession(stored);
    },

    markSeen: (session: number, { address, browser }: ClientInfo): void => {
      const cached = sessionsById.get(session);
      if (cached === undefined) return;
      addToCache({ ...cached, lastSeen: now().epochMilliseconds, address, browser });
      unsavedIds.add(session);
    },

    /** Opens a person's session, and ends others over the limit. Pass `endedIds` to `evict` after the commit. */
    openPerson: async (
      tx: Transaction<unknown>,
      {
        account,
        days,
        client,
      }: { readonly account: number; readonly days: number | undefined; readonly client: ClientInfo },
    ): Promise<{ readonly token: string; readonly endedIds: readonly number[] }> => {
      const surplus = listSurplus(await store.listPersonSessions(tx, account));
      const endedIds = await remove(tx, account, { ids: surplus });
      const token = generateToken('person');
      const session = {
        account,
        kind: 'person',
        hash: hashSecret(token),
        unusedTtlMs: getUnusedTtlMs(days),
        client,
      } as const;
      await store.insert(tx, session, now().epochMilliseconds);
      return { token, endedIds };
    },

    openDevice: async (tx: Transaction<unknown>, account: number, device: number): Promise<string> => {
      const token = generateToken('device');
      const client = { address: '', browser: '' };
      await store.insert(
        tx,
        { account, kind: 'device', device, hash: hashSecret(token), client },
        now().epochMilliseconds,
      );
      return token;
    },

    list: async (account: number): Promise<readonly SessionInfo[]> => {
      const stored = (await store.listPersonSessions(database.db, account)).map(withUnsavedUse);
      return stored
        .filter((session) => !isExpired(session))
        .map((session) => ({
          ...toLiveSession(session),
          created: Temporal.Instant.fromEpochMilliseconds(session.created),
          expires: Temporal.Instant.fromEpochMilliseconds(getExpiryMs(session)),
          lastSeen: Temporal.Instant.fromEpochMilliseconds(session.lastSeen),
          address: session.address,
          browser: session.browser,
        }));
    },

    /** Removes rows. Call `evict` after the commit. */
    remove,

    /** Removes ended sessions from the cache, and notifies listeners, which close their sockets. */
    evict,
    onEnded: (listener: (sessions: readonly number[]) => void): void => void listeners.push(listener),
    /** Saves last uses, and removes expired sessions. */
    cleanUp,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await save();
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
