import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
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

const toLive = ({ id, account, kind, device }: StoredSession): LiveSession => ({ id, account, kind, device });

/** Creates a cache of texts that are not tokens, so that repeated lookups do not read the database. */
const createUnknownTokenCache = (clock: () => number) => {
  const expiresAt = new LRUCache<string, number>({ max: UNKNOWN_TOKEN_CACHE_SIZE });
  return {
    has: (hash: string): boolean => (expiresAt.get(hash) ?? 0) > clock(),
    add: (hash: string): void => {
      expiresAt.set(hash, clock() + UNKNOWN_TOKEN_TTL_MS);
    },
  };
};

/** Creates the session cache in front of the database (docs/design/reliability.md section 10.3). */
export function createSessions({ database, now, clock, log }: SessionsDeps) {
  const store = createSessionStore(database.db);
  const byHash = new Map<string, CachedSession>();
  const byId = new Map<number, CachedSession>();
  const unsaved = new Set<number>();
  const unknown = createUnknownTokenCache(clock);
  const pendingFills = new Map<string, Promise<StoredSession | undefined>>();
  const listeners: ((sessions: readonly number[]) => void)[] = [];
  let endedCount = 0;

  const isOver = (session: StoredSession): boolean => getExpiryMs(session) <= now().epochMilliseconds;

  const addToCache = (session: CachedSession): void => {
    byHash.set(session.hash, session);
    byId.set(session.id, session);
  };

  const drop = (ids: readonly number[]): void => {
    endedCount += 1;
    for (const id of ids) {
      const cached = byId.get(id);
      byId.delete(id);
      unsaved.delete(id);
      if (cached) byHash.delete(cached.hash);
    }
    if (ids.length > 0) for (const listener of listeners) listener(ids);
  };

  /** Reads a session, and reads it again if sessions ended meanwhile, since the result may be stale. */
  const fill = async (hash: string): Promise<StoredSession | undefined> => {
    for (;;) {
      const endedCountBefore = endedCount;
      const stored = await store.find(hash);
      if (endedCountBefore !== endedCount) continue;
      if (stored === undefined) {
        unknown.add(hash);
        return undefined;
      }
      addToCache({ ...stored, hash });
      return stored;
    }
  };

  const find = async (hash: string): Promise<StoredSession | undefined> => {
    if (unknown.has(hash)) return undefined;
    const running = pendingFills.get(hash);
    if (running) return running;
    const filling = fill(hash).finally(() => pendingFills.delete(hash));
    pendingFills.set(hash, filling);
    return filling;
  };

  const save = async (): Promise<void> => {
    const unsavedSessions = [...unsaved].flatMap((id) => byId.get(id) ?? []);
    for (let from = 0; from < unsavedSessions.length; from += SAVE_BATCH_SIZE) {
      const batch = unsavedSessions.slice(from, from + SAVE_BATCH_SIZE);
      for (const { id } of batch) unsaved.delete(id);
      try {
        await store.saveSeen(batch);
      } catch (error) {
        for (const { id } of batch) unsaved.add(id);
        throw error;
      }
    }
  };

  const tidy = async (): Promise<void> => {
    await save();
    const expired = await store.removeExpired(now().epochMilliseconds);
    if (expired.length > 0) drop(expired);
  };

  const timer = setInterval(() => {
    tidy().catch((error: unknown) => log.error({ err: error }, 'sessions.unsaved'));
  }, 60_000);
  timer.unref();

  /** Returns the cached session, which may have unsaved use. */
  const withUnsavedUse = (stored: StoredSession): StoredSession => byId.get(stored.id) ?? stored;

  /** Lists the sessions over the limit, longest unused first. */
  const listSurplus = (sessions: readonly StoredSession[]): readonly number[] =>
    sessions
      .map(withUnsavedUse)
      .toSorted((a, b) => Number(isOver(b)) - Number(isOver(a)) || a.lastSeen - b.lastSeen || a.id - b.id)
      .slice(0, Math.max(0, sessions.length - (MAX_SESSIONS_PER_ACCOUNT - 1)))
      .map(({ id }) => id);

  return {
    findByToken: async (token: string): Promise<LiveSession | undefined> => {
      if (!isToken(token)) return undefined;
      const hash = hashSecret(token);
      const stored = byHash.get(hash) ?? (await find(hash));
      return stored === undefined || isOver(stored) ? undefined : toLive(stored);
    },

    markSeen: (session: number, { address, browser }: ClientInfo): void => {
      const cached = byId.get(session);
      if (cached === undefined) return;
      addToCache({ ...cached, lastSeen: now().epochMilliseconds, address, browser });
      unsaved.add(session);
    },

    /** Opens a person's session, and ends others over the limit. Pass `ended` to `drop` after the commit. */
    openPerson: async (
      tx: Transaction<unknown>,
      {
        account,
        days,
        origin,
      }: { readonly account: number; readonly days: number | undefined; readonly origin: ClientInfo },
    ): Promise<{ readonly token: string; readonly ended: readonly number[] }> => {
      const surplus = listSurplus(await store.listByPerson(tx, account));
      const ended = await store.end(tx, account, { ids: surplus });
      const token = generateToken('person');
      const session = {
        account,
        kind: 'person',
        hash: hashSecret(token),
        unusedLimit: getUnusedTtlMs(days),
        origin,
      } as const;
      await store.add(tx, session, now().epochMilliseconds);
      return { token, ended };
    },

    openDevice: async (tx: Transaction<unknown>, account: number, device: number): Promise<string> => {
      const token = generateToken('device');
      const origin = { address: '', browser: '' };
      await store.add(
        tx,
        { account, kind: 'device', device, hash: hashSecret(token), origin },
        now().epochMilliseconds,
      );
      return token;
    },

    list: async (account: number): Promise<readonly SessionInfo[]> => {
      const stored = (await store.listByPerson(database.db, account)).map(withUnsavedUse);
      return stored
        .filter((session) => !isOver(session))
        .map((session) => ({
          ...toLive(session),
          created: Temporal.Instant.fromEpochMilliseconds(session.created),
          expires: Temporal.Instant.fromEpochMilliseconds(getExpiryMs(session)),
          lastSeen: Temporal.Instant.fromEpochMilliseconds(session.lastSeen),
          address: session.address,
          browser: session.browser,
        }));
    },

    /** Removes rows. Call `drop` after the commit. */
    remove: async (tx: Transaction<unknown>, account: number, which: SessionSelector): Promise<readonly number[]> =>
      store.end(tx, account, which),

    /** Removes ended sessions from the cache, and notifies listeners, who close their sockets. */
    drop,
    onEnded: (listener: (sessions: readonly number[]) => void): void => void listeners.push(listener),
    /** Saves last uses, and removes expired sessions. */
    tidy,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await save();
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
