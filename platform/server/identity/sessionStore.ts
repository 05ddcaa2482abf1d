import type { Kysely, Transaction } from 'kysely';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { LiveSession, ClientInfo } from './identity.ts';
import { type IdentityTables, withIdentityTables } from './identityTables.ts';

/** A stored session. Times are milliseconds since the epoch. */
export interface StoredSession extends LiveSession, ClientInfo {
  readonly created: number;
  readonly unusedTtlMs: number;
  readonly lastSeen: number;
}

/** Selects sessions of an account to end. */
export type SessionSelector =
  | { readonly ids: readonly number[] }
  | { readonly allBut: number | undefined }
  | { readonly device: number }
  | 'all';

/**
 * Maximum age of a person's session, even if it is used. A device's lasts until it is revoked or unused for too long.
 */
const PERSON_TTL_MS = 400 * DAY_MS;
const DEVICE_UNUSED_TTL_MS = 400 * DAY_MS;
const PERSON_UNUSED_DAYS = 300;

/** Converts the requested days without use to milliseconds. */
export function getUnusedTtlMs(days: number | undefined): number {
  return (days ?? PERSON_UNUSED_DAYS) * DAY_MS;
}

/** Returns when the session ends if it is not used again (docs/design/reliability.md section 10.3). */
export function getExpiryMs(session: Pick<StoredSession, 'kind' | 'created' | 'unusedTtlMs' | 'lastSeen'>): number {
  const unused = session.lastSeen + session.unusedTtlMs;
  return session.kind === 'person' ? Math.min(unused, session.created + PERSON_TTL_MS) : unused;
}

interface NewSession {
  readonly account: number;
  readonly kind: 'person' | 'device';
  readonly device?: number;
  readonly hash: string;
  readonly unusedLimit?: number;
  readonly origin: ClientInfo;
}

type SessionRow = {
  id: number;
  account: number;
  kind: 'person' | 'device';
  device: number | null;
  created: number;
  unused_limit: number;
  last_seen: number;
  address: string;
  browser: string;
};

const toSession = (row: SessionRow): StoredSession => ({
  id: row.id,
  account: row.account,
  kind: row.kind,
  device: row.device ?? undefined,
  created: row.created,
  unusedTtlMs: row.unused_limit,
  lastSeen: row.last_seen,
  address: row.address,
  browser: row.browser,
});

const columns = [
  'id',
  'account',
  'kind',
  'device',
  'created',
  'unused_limit',
  'last_seen',
  'address',
  'browser',
] as const;

/** Creates the store of sessions. */
export function createSessionStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<IdentityTables>();
  return {
    find: async (hash: string): Promise<StoredSession | undefined> => {
      const row = await db.selectFrom('session').select(columns).where('hash', '=', hash).executeTakeFirst();
      return row && toSession(row);
    },

    /** Lists the account's sessions of persons, including expired ones that are not yet removed. */
    listByPerson: async (reader: Kysely<unknown>, account: number): Promise<readonly StoredSession[]> => {
      const rows = await reader
        .$extendTables<IdentityTables>()
        .selectFrom('session')
        .select(columns)
        .where('account', '=', account)
        .where('kind', '=', 'person')
        .orderBy('id')
        .execute();
      return rows.map(toSession);
    },

    add: async (tx: Transaction<unknown>, session: NewSession, now: number): Promise<number> => {
      const unusedLimit = session.unusedLimit ?? DEVICE_UNUSED_TTL_MS;
      const { kind, account, hash, origin } = session;
      const { id } = await withIdentityTables(tx)
        .insertInto('session')
        .values({
          account,
          hash,
          kind,
          device: session.device ?? null,
          created: now,
          unused_limit: unusedLimit,
          expires: getExpiryMs({ kind, created: now, unusedTtlMs: unusedLimit, lastSeen: now }),
          last_seen: now,
          address: origin.address,
          browser: origin.browser,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },

    /** Removes sessions of this account, and returns their ids. `allBut` does not affect devices. */
    end: async (tx: Transaction<unknown>, account: number, which: SessionSelector): Promise<readonly number[]> => {
      const deletion = withIdentityTables(tx).deleteFrom('session').where('account', '=', account).returning('id');
      const rows = await (() => {
        if (which === 'all') return deletion;
        if ('ids' in which) return which.ids.length === 0 ? undefined : deletion.where('id', 'in', [...which.ids]);
        if ('device' in which) return deletion.where('device', '=', which.device);
        const persons = deletion.where('kind', '=', 'person');
        return which.allBut === undefined ? persons : persons.where('id', '!=', which.allBut);
      })()?.execute();
      return (rows ?? []).map(({ id }) => id);
    },

    /** Saves last use of up to 200 sessions in one statement. Ended ones stay ended. */
    saveSeen: async ([first, ...rest]: readonly StoredSession[]): Promise<void> => {
      if (first === undefined) return;
      await db
        .updateTable('session')
        .set((eb) => {
          // Cast each value, because PostgreSQL would treat all of them as text.
          const times = (getValue: (session: StoredSession) => number) => {
            const value = (session: StoredSession) => eb.cast<number>(eb.val(getValue(session)), 'bigint');
            const start = eb.case().when('id', '=', first.id).then(value(first));
            return rest.reduce((built, one) => built.when('id', '=', one.id).then(value(one)), start);
          };
          const texts = (getValue: (session: StoredSession) => string) => {
            const value = (session: StoredSession) => eb.cast<string>(eb.val(getValue(session)), 'text');
            const start = eb.case().when('id', '=', first.id).then(value(first));
            return rest.reduce((built, one) => built.when('id', '=', one.id).then(value(one)), start);
          };
          return {
            last_seen: times(({ lastSeen }) => lastSeen)
              .elseRef('last_seen')
              .end(),
            expires: times(getExpiryMs).elseRef('expires').end(),
            address: texts(({ address }) => address)
              .elseRef('address')
              .end(),
            browser: texts(({ browser }) => browser)
              .elseRef('browser')
              .end(),
          };
        })
        .where('id', 'in', [first.id, ...rest.map(({ id }) => id)])
        .execute();
    },

    removeExpired: async (now: number): Promise<readonly number[]> => {
      const rows = await db.deleteFrom('session').where('expires', '<=', now).returning('id').execute();
      return rows.map(({ id }) => id);
    },
  };
}
