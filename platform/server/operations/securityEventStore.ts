import type { Generated, Kysely } from 'kysely';
import { SECURITY_EVENTS, type SecurityEvent } from '#platform/contract/security.ts';
import { idColumn } from '../database/columns.ts';
import type { IdentityTables } from '../identity/identityTables.ts';
import type { Migration } from '../tool.ts';

export const securityMigrations: readonly Migration[] = [
  {
    name: '001-events',
    up: async (db) => {
      await db.schema
        .createTable('security_event')
        .$call(idColumn(db))
        // Null for events of the whole server.
        .addColumn('account', 'integer', (column) => column.references('account.id').onDelete('cascade'))
        .addColumn('event', 'text', (column) => column.notNull())
        .addColumn('address', 'text', (column) => column.notNull())
        .addColumn('device', 'integer')
        .addColumn('times', 'integer', (column) => column.notNull())
        // Last occurrence, in milliseconds since the epoch.
        .addColumn('time', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('security_event_account').on('security_event').columns(['account', 'time']).execute();
      await db.schema.createIndex('security_event_time').on('security_event').column('time').execute();
    },
  },
];

/** A security event with its account and address. Repetitions are one record with a count. */
export interface SecurityEventRecord {
  readonly event: SecurityEvent;
  /** Undefined for events of the whole server. */
  readonly account: number | undefined;
  /** Empty if there was no address, or very many. */
  readonly address: string;
  readonly device: number | undefined;
  readonly times: number;
  /** Last occurrence, in milliseconds since the epoch. */
  readonly time: number;
}

/** A stored security event with the name of its account. */
export interface StoredSecurityEvent extends SecurityEventRecord {
  readonly id: number;
  readonly username: string | undefined;
}

type SecurityTables = Pick<IdentityTables, 'account'> & {
  security_event: {
    id: Generated<number>;
    account: number | null;
    event: string;
    address: string;
    device: number | null;
    times: number;
    time: number;
  };
};

/** Number of stored events per account, and of the whole server. */
const MAX_EVENTS_PER_ACCOUNT = 200;

const isSecurityEvent = (event: string): event is SecurityEvent => SECURITY_EVENTS.some((known) => known === event);

export function createSecurityEventStore(untypedDb: Kysely<unknown>) {
  const db = untypedDb.$extendTables<SecurityTables>();
  const selectByAccount = (account: number | undefined) =>
    db.selectFrom('security_event').where('account', account === undefined ? 'is' : '=', account ?? null);
  const selectNewest = () =>
    db
      .selectFrom('security_event')
      .leftJoin('account', 'account.id', 'security_event.account')
      .selectAll('security_event')
      .select('account.name as username')
      .orderBy('security_event.time', 'desc')
      .orderBy('security_event.id', 'desc')
      .limit(MAX_EVENTS_PER_ACCOUNT);
  type Row = Awaited<ReturnType<ReturnType<typeof selectNewest>['execute']>>[number];
  const toEvents = (rows: readonly Row[]): readonly StoredSecurityEvent[] =>
    rows.flatMap(({ event, account, device, username, ...rest }) =>
      isSecurityEvent(event)
        ? {
            ...rest,
            event,
            account: account ?? undefined,
            device: device ?? undefined,
            username: username ?? undefined,
          }
        : [],
    );
  return {
    /** Newest first. */
    listByAccount: async (account: number) =>
      toEvents(await selectNewest().where('security_event.account', '=', account).execute()),
    /** Events of all accounts and of the whole server, newest first. */
    listAll: async () => toEvents(await selectNewest().execute()),
    /** Returns which of the accounts still exist. */
    findExistingAccounts: async (accounts: readonly number[]): Promise<ReadonlySet<number>> => {
      if (accounts.length === 0) return new Set();
      const rows = await db.selectFrom('account').select('id').where('id', 'in', accounts).execute();
      return new Set(rows.map(({ id }) => id));
    },
    insert: async ({ account, device, ...rest }: SecurityEventRecord): Promise<number> => {
      const values = { ...rest, account: account ?? null, device: device ?? null };
      const { id } = await db.insertInto('security_event').values(values).returning('id').executeTakeFirstOrThrow();
      return id;
    },
    /** Adds occurrences to an earlier record. @returns whether that still exists. */
    addOccurrences: async (id: number, { times, time, address }: SecurityEventRecord): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('security_event')
        .set((eb) => ({ times: eb('times', '+', times), time, address }))
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Removes all but the newest. */
    trim: async (account: number | undefined): Promise<void> => {
      const newest = selectByAccount(account)
        .select('id')
        .orderBy('time', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_EVENTS_PER_ACCOUNT);
      await db
        .deleteFrom('security_event')
        .where('account', account === undefined ? 'is' : '=', account ?? null)
        .where('id', 'not in', newest)
        .execute();
    },
  };
}
