import type { FastifyBaseLogger } from 'fastify';
import type { Transaction } from 'kysely';
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
  /** Milliseconds that only go forward. */
  readonly clock: () => number;
  readonly log: FastifyBaseLogger;
}

const toLive = ({ id, account, kind, device }: StoredSession): LiveSession => ({ id, account, kind, device });

/** Texts that were asked for lately and are no tokens, so that asking again costs no read. */
const createUnknownTokenCache = (clock: () => number) => {
  const until = new Map<string, number>();
  return {
    has: (hash: string): boolean => (until.get(hash) ?? 0) > clock(),
    add: (hash: string): void => {
      until.delete(hash);
      until.set(hash, clock() + UNKNOWN_TOKEN_TTL_MS);
      if (until.size <= UNKNOWN_TOKEN_CACHE_SIZE) return;
      const [oldest] = until.keys();
      if (oldest !== undefined) until.delete(oldest);
    },
  };
};

/** Sessions in memory and behind it in the database (reliability.md section 2). */
export function createSessions({ database, now, clock, log }: SessionsDeps) {
  const store = createSessionStore(database.db);
  const byHash = new Map<string, CachedSession>();
  const byId = new Map<number, CachedSession>();
  const unsaved = new Set<number>();
  const unknown = createUnknownTokenCache(clock);
  const fills = new Map<string, Promise<StoredSession | undefined>>();
  const listeners: ((sessions: readonly number[]) => void)[] = [];
  let endings = 0;

  const isOver = (session: StoredSession): boolean => getExpiryMs(session) <= now().epochMilliseconds;

  const hold = (session: CachedSession): void => {
    byHash.set(session.hash, session);
    byId.set(session.id, session);
  };

  const drop = (ids: readonly number[]): void => {
    endings += 1;
    for (const id of ids) {
      const held = byId.get(id);
      byId.delete(id);
      unsaved.delete(id);
      if (held) byHash.delete(held.hash);
    }
    if (ids.length > 0) for (const then of listeners) then(ids);
  };

  /** A read that an ending overtook may show a session that is gone: it is thrown away and done again. */
  const fill = async (hash: string): Promise<StoredSession | undefined> => {
    for (;;) {
      const before = endings;
      const stored = await store.find(hash);
      if (before !== endings) continue;
      if (stored === undefined) {
        unknown.add(hash);
        return undefined;
      }
      hold({ ...stored, hash });
      return stored;
    }
  };

  const find = async (hash: string): Promise<StoredSession | undefined> => {
    if (unknown.has(hash)) return undefined;
    const running = fills.get(hash);
    if (running) return running;
    const filling = fill(hash).finally(() => fills.delete(hash));
    fills.set(hash, filling);
    return filling;
  };

  const save = async (): Promise<void> => {
    const due = [...unsaved].flatMap((id) => byId.get(id) ?? []);
    for (let from = 0; from < due.length; from += SAVE_BATCH_SIZE) {
      const some = due.slice(from, from + SAVE_BATCH_SIZE);
      for (const { id } of some) unsaved.delete(id);
      try {
        await store.saveSeen(some);
      } catch (error) {
        for (const { id } of some) unsaved.add(id);
        throw error;
      }
    }
  };

  const tidy = async (): Promise<void> => {
    await save();
    const gone = await store.removeExpired(now().epochMilliseconds);
    if (gone.length > 0) drop(gone);
  };

  const timer = setInterval(() => {
    tidy().catch((error: unknown) => log.error({ err: error }, 'sessions.unsaved'));
  }, 60_000);
  timer.unref();

  /** As it is in memory, where it was used since it was last written. */
  const newest = (stored: StoredSession): StoredSession => byId.get(stored.id) ?? stored;

  /** Those over the limit, the longest unused first. */
  const surplus = (sessions: readonly StoredSession[]): readonly number[] =>
    sessions
      .map(newest)
      .toSorted((a, b) => Number(isOver(b)) - Number(isOver(a)) || a.lastSeen - b.lastSeen || a.id - b.id)
      .slice(0, Math.max(0, sessions.length - (MAX_SESSIONS_PER_ACCOUNT - 1)))
      .map(({ id }) => id);

  return {
    of: async (token: string): Promise<LiveSession | undefined> => {
      if (!isToken(token)) return undefined;
      const hash = hashSecret(token);
      const stored = byHash.get(hash) ?? (await find(hash));
      return stored === undefined || isOver(stored) ? undefined : toLive(stored);
    },

    seen: (session: number, { address, browser }: ClientInfo): void => {
      const held = byId.get(session);
      if (held === undefined) return;
      hold({ ...held, lastSeen: now().epochMilliseconds, address, browser });
      unsaved.add(session);
    },

    /** Opens a person's session and makes room for it. `ended` have to be handed to `drop` once the transaction is kept. */
    openPerson: async (
      tx: Transaction<unknown>,
      {
        account,
        days,
        origin,
      }: { readonly account: number; readonly days: number | undefined; readonly origin: ClientInfo },
    ): Promise<{ readonly token: string; readonly ended: readonly number[] }> => {
      const over = surplus(await store.ofPersons(tx, account));
      const ended = await store.end(tx, account, { ids: over });
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
      const stored = (await store.ofPersons(database.db, account)).map(newest);
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

    /** Removes rows; `drop` has to follow once the transaction is kept. */
    remove: async (tx: Transaction<unknown>, account: number, which: SessionSelector): Promise<readonly number[]> =>
      store.end(tx, account, which),

    /** Forgets ended sessions and tells those who hold their sockets. */
    drop,
    onEnded: (then: (sessions: readonly number[]) => void): void => void listeners.push(then),
    /** Writes what was seen and removes what expired. */
    tidy,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await save();
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
