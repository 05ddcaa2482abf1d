import type { Kysely, Selectable, Transaction } from 'kysely';
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
  readonly unusedTtlMs?: number;
  readonly client: ClientInfo;
}

const SESSION_COLUMNS = [
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
type SessionRow = Pick<Selectable<IdentityTables['session']>, (typeof SESSION_COLUMNS)[number]>;

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

/** Creates the store of sessions. */
export function createSessionStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<IdentityTables>();
  return {
    find: async (hash: string): Promise<(StoredSession & { readonly isSuspended: boolean }) | undefined> => {
      const row = await db
        .selectFrom('session')
        .select(SESSION_COLUMNS)
        .select((eb) =>
          eb.selectFrom('account').select('suspended').whereRef('account.id', '=', 'session.account').as('suspended'),
        )
        .where('hash', '=', hash)
        .executeTakeFirst();
      return row && { ...toSession(row), isSuspended: row.suspended !== null };
    },

    /** Lists the account's sessions of persons, including expired ones that are not yet removed. */
    listPersonSessions: async (source: Kysely<unknown>, account: number): Promise<readonly StoredSession[]> => {
      const rows = await withIdentityTables(source)
        .selectFrom('session')
        .select(SESSION_COLUMNS)
        .where('account', '=', account)
        .where('kind', '=', 'person')
        .orderBy('id')
        .execute();
      return rows.map(toSession);
    },

    insert: async (tx: Transaction<unknown>, session: NewSession, now: number): Promise<number> => {
      const { kind, account, hash, client, unusedTtlMs = DEVICE_UNUSED_TTL_MS } = session;
      const { id } = await withIdentityTables(tx)
        .insertInto('session')
        .values({
          account,
          hash,
          kind,
          device: session.device ?? null,
          created: now,
          unused_limit: unusedTtlMs,
          expires: getExpiryMs({ kind, created: now, unusedTtlMs, lastSeen: now }),
          last_seen: now,
          address: client.address,
          browser: client.browser,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },

    /** Removes sessions of this account, and returns their ids. `allBut` does not affect devices. */
    remove: async (
      tx: Transaction<unknown>,
      account: number,
      selector: SessionSelector,
    ): Promise<readonly number[]> => {
      const deletion = withIdentityTables(tx).deleteFrom('session').where('account', '=', account).returning('id');
      const rows = await (() => {
        if (selector === 'all') return deletion;
        if ('ids' in selector)
          return selector.ids.length === 0 ? undefined : deletion.where('id', 'in', [...selector.ids]);
        if ('device' in selector) return deletion.where('device', '=', selector.device);
        const persons = deletion.where('kind', '=', 'person');
        return selector.allBut === undefined ? persons : persons.where('id', '!=', selector.allBut);
      })()?.execute();
      return (rows ?? []).map(({ id }) => id);
    },

    /**
     * Saves the last use of up to 200 sessions in one statement. Ended ones stay ended, and a later use that another
     * instance has saved stays.
     */
    saveLastUse: async ([first, ...rest]: readonly StoredSession[]): Promise<void> => {
      if (first === undefined) return;
      await db
        .updateTable('session')
        .set((eb) => {
          // Cast each value, because PostgreSQL would treat all of them as text.
          const chooseById = <T extends number | string>(
            type: 'bigint' | 'text',
            getValue: (session: StoredSession) => T,
          ) => {
            const cast = (session: StoredSession) => eb.cast<T>(eb.val(getValue(session)), type);
            const isLater = ({ id, lastSeen }: StoredSession) =>
              eb.and([eb('id', '=', id), eb('last_seen', '<=', lastSeen)]);
            return rest.reduce(
              (builder, session) => builder.when(isLater(session)).then(cast(session)),
              eb.case().when(isLater(first)).then(cast(first)),
            );
          };
          return {
            last_seen: chooseById('bigint', ({ lastSeen }) => lastSeen)
              .elseRef('last_seen')
              .end(),
            expires: chooseById('bigint', getExpiryMs).elseRef('expires').end(),
            address: chooseById('text', ({ address }) => address)
              .elseRef('address')
              .end(),
            browser: chooseById('text', ({ browser }) => browser)
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
