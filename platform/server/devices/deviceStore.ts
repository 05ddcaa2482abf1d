import type { Generated, Kysely, Selectable, Transaction } from 'kysely';
import { abilities as abilitiesSchema, type Abilities } from '#platform/contract/device.ts';
import { idColumn, referenceAccount } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { lockAccount } from '../identity/accountStore.ts';
import type { Migration } from '../tool.ts';
import type { Device } from './deviceLink.ts';

export const deviceMigrations: readonly Migration[] = [
  {
    name: '001-device',
    up: async (db) => {
      await db.schema
        .createTable('device')
        .$call(idColumn(db))
        .addColumn('account', 'integer', referenceAccount)
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('system', 'text', (column) => column.notNull())
        .addColumn('version', 'text', (column) => column.notNull())
        .addColumn('abilities', 'text', (column) => column.notNull()) // JSON
        .addColumn('created', 'bigint', (column) => column.notNull()) // milliseconds since the epoch
        .addColumn('last_seen', 'bigint') // milliseconds since the epoch
        .execute();
      await db.schema.createIndex('device_account').on('device').column('account').execute();
    },
  },
  {
    name: '002-browser',
    up: async (db) => {
      await db.schema.alterTable('device').addColumn('browser_key', 'text').execute();
      await db.schema.createIndex('device_browser').unique().on('device').columns(['account', 'browser_key']).execute();
    },
  },
  {
    name: '003-lost-at',
    up: async (db) => {
      await db.schema.alterTable('device').addColumn('lost_at', 'bigint').execute(); // milliseconds since the epoch
    },
  },
  {
    name: '004-lost-session',
    up: async (db) => {
      await db.schema.alterTable('device').addColumn('lost_session', 'integer').execute();
    },
  },
];

type DeviceTables = {
  /**
   * Times are milliseconds since the epoch. `lost_at` is null if the device is connected or left on purpose;
   * `lost_session` is the session of the lost connection. Only browsers have a `browser_key`.
   */
  device: {
    id: Generated<number>;
    account: number;
    kind: string;
    name: string;
    system: string;
    version: string;
    abilities: string;
    created: number;
    last_seen: number | null;
    browser_key: string | null;
    lost_at: number | null;
    lost_session: number | null;
  };
};
type DeviceRow = Selectable<DeviceTables['device']>;

const toDevice = (row: DeviceRow): Device => ({
  id: row.id,
  account: row.account,
  kind: row.kind === 'browser' ? 'browser' : 'computer',
  name: row.name,
  system: row.system,
  version: row.version,
  abilities: abilitiesSchema.parse(JSON.parse(row.abilities)),
  created: Temporal.Instant.fromEpochMilliseconds(row.created),
  lastSeen: row.last_seen === null ? undefined : Temporal.Instant.fromEpochMilliseconds(row.last_seen),
});

const getLastSeenMs = ({ lastSeen, created }: Device): number => (lastSeen ?? created).epochMilliseconds;

/** What an agent reports about itself. */
export interface SelfDescription {
  readonly version: string;
  readonly system: string;
  readonly abilities: Abilities;
}

interface NewDevice extends Pick<Device, 'account' | 'kind' | 'name' | 'system' | 'created'> {
  readonly browserKey?: string;
}

export function createDeviceStore({ db: untypedDb, dialect }: Database) {
  const db = untypedDb.$extendTables<DeviceTables>();
  return {
    list: async (account: number): Promise<readonly Device[]> => {
      const rows = await db.selectFrom('device').selectAll().where('account', '=', account).orderBy('id').execute();
      return rows.map(toDevice);
    },
    find: async (account: number, device: number): Promise<Device | undefined> => {
      const row = await db
        .selectFrom('device')
        .selectAll()
        .where('account', '=', account)
        .where('id', '=', device)
        .executeTakeFirst();
      return row && toDevice(row);
    },
    /** Locks the account until the transaction ends, and returns the names of its devices. */
    lockNames: async (tx: Transaction<unknown>, account: number): Promise<readonly Pick<Device, 'id' | 'name'>[]> => {
      await lockAccount({ dialect }, tx, account);
      return tx
        .$extendTables<DeviceTables>()
        .selectFrom('device')
        .select(['id', 'name'])
        .where('account', '=', account)
        .execute();
    },
    insert: async (tx: Transaction<unknown>, device: NewDevice): Promise<Device> => {
      const row = await tx
        .$extendTables<DeviceTables>()
        .insertInto('device')
        .values({
          account: device.account,
          kind: device.kind,
          name: device.name,
          system: device.system,
          version: '',
          abilities: '{}',
          created: device.created.epochMilliseconds,
          last_seen: null,
          browser_key: device.browserKey ?? null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toDevice(row);
    },
    /** Finds a computer by its name and the system that it reported. */
    findBySystem: async (
      tx: Transaction<unknown>,
      account: number,
      { name, system }: Pick<Device, 'name' | 'system'>,
    ): Promise<Device | undefined> => {
      const query = tx.$extendTables<DeviceTables>().selectFrom('device').selectAll().where('account', '=', account);
      const row = await query.where('name', '=', name).where('system', '=', system).executeTakeFirst();
      return row && toDevice(row);
    },
    findBrowser: async (account: number, key: string, tx: Kysely<unknown> = untypedDb): Promise<Device | undefined> => {
      const query = tx.$extendTables<DeviceTables>().selectFrom('device').selectAll().where('account', '=', account);
      const row = await query.where('browser_key', '=', key).executeTakeFirst();
      return row && toDevice(row);
    },
    /** Lists the account's browsers, longest unused first. */
    listBrowsers: async (account: number, tx: Kysely<unknown> = untypedDb): Promise<readonly Device[]> => {
      const rows = await tx
        .$extendTables<DeviceTables>()
        .selectFrom('device')
        .selectAll()
        .where('account', '=', account)
        .where('kind', '=', 'browser')
        .execute();
      return rows.map(toDevice).toSorted((first, second) => getLastSeenMs(first) - getLastSeenMs(second));
    },
    rename: async (tx: Transaction<unknown>, { account, id, name }: Pick<Device, 'account' | 'id' | 'name'>) => {
      const update = tx.$extendTables<DeviceTables>().updateTable('device').set({ name });
      await update.where('account', '=', account).where('id', '=', id).execute();
    },
    updateDescription: async (
      { account, id }: Pick<Device, 'account' | 'id'>,
      { version, system, abilities }: SelfDescription,
      now: Temporal.Instant,
    ): Promise<Device | undefined> => {
      const row = await db
        .updateTable('device')
        .set({ version, system, abilities: JSON.stringify(abilities), last_seen: now.epochMilliseconds, lost_at: null })
        .where('account', '=', account)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && toDevice(row);
    },
    /**
     * Records when the device was last connected.
     * @param lostSession session of the connection, if it was lost
     */
    markSeen: async (
      { account, id }: Pick<Device, 'account' | 'id'>,
      now: Temporal.Instant,
      lostSession?: number,
    ): Promise<void> => {
      const nowMs = now.epochMilliseconds;
      const update = db.updateTable('device').set({
        last_seen: nowMs,
        lost_at: lostSession === undefined ? null : nowMs,
        lost_session: lostSession ?? null,
      });
      await update.where('account', '=', account).where('id', '=', id).execute();
    },
    /** Stops waiting for the device to reconnect. */
    clearLost: async ({ account, id }: Pick<Device, 'account' | 'id'>): Promise<void> => {
      const update = db.updateTable('device').set({ lost_at: null, lost_session: null });
      await update.where('account', '=', account).where('id', '=', id).execute();
    },
    /** Lists devices of all accounts whose connection was lost after `since`, in milliseconds since the epoch. */
    listLostSince: async (since: number) => {
      const rows = await db.selectFrom('device').selectAll().where('lost_at', '>', since).execute();
      return rows.map((row) => ({
        device: toDevice(row),
        lostAt: row.lost_at ?? 0,
        session: row.lost_session ?? undefined,
      }));
    },
    remove: async (account: number, device: number, tx: Kysely<unknown> = untypedDb): Promise<void> => {
      await tx
        .$extendTables<DeviceTables>()
        .deleteFrom('device')
        .where('account', '=', account)
        .where('id', '=', device)
        .execute();
    },
  };
}
