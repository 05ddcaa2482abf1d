import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { withUsageTables } from './tables.ts';

/** What was accepted of one boot of an agent. */
export interface Cursor {
  /** Last accepted number; 0 before the first. */
  readonly taken: number;
  /** End of that segment in seconds since the epoch. If it is sent again, only what follows counts. */
  readonly until: number;
}

export function createCursorStore({ db }: Database) {
  return {
    get: async (source: Kysely<unknown>, device: number, boot: string): Promise<Cursor> => {
      const row = await withUsageTables(source)
        .selectFrom('screentime_cursor')
        .select(['taken', 'until_time'])
        .where('device', '=', device)
        .where('boot', '=', boot)
        .executeTakeFirst();
      return { taken: row?.taken ?? 0, until: row?.until_time ?? 0 };
    },
    /**
     * Stores a cursor.
     * @param now milliseconds since the epoch
     */
    save: async (
      tx: Transaction<unknown>,
      { device, boot, now }: { readonly device: number; readonly boot: string; readonly now: number },
      { taken, until }: Cursor,
    ): Promise<void> => {
      await withUsageTables(tx)
        .insertInto('screentime_cursor')
        .values({ device, boot, taken, until_time: until, used: now })
        .onConflict((conflict) =>
          conflict.columns(['device', 'boot']).doUpdateSet({ taken, until_time: until, used: now }),
        )
        .execute();
    },
    /** Removes cursors of boots not used since `before`. Usage still counts only once without them. */
    purge: async (before: number): Promise<void> => {
      await withUsageTables(db).deleteFrom('screentime_cursor').where('used', '<', before).execute();
    },
  };
}

/** A computer with usage. */
export interface UsageDevice {
  readonly id: number;
  /** As of its last report, or of the last nightly run. */
  readonly name: string;
  /** ActivityWatch's name of an imported computer. */
  readonly hostname: string | undefined;
}

export function createUsageDeviceStore({ db }: Database) {
  return {
    /** Lists computers, including removed ones. */
    list: async (account: number, source: Kysely<unknown> = db): Promise<readonly UsageDevice[]> => {
      const rows = await withUsageTables(source)
        .selectFrom('screentime_device')
        .select(['device', 'name', 'hostname'])
        .where('account', '=', account)
        .orderBy('device')
        .execute();
      return rows.map(({ device, name, hostname }) => ({ id: device, name, hostname: hostname ?? undefined }));
    },
    /** Inserts a computer or updates its name. */
    save: async (tx: Transaction<unknown>, account: number, { id, name, hostname }: UsageDevice): Promise<void> => {
      await withUsageTables(tx)
        .insertInto('screentime_device')
        .values({ device: id, account, name, hostname: hostname ?? null })
        .onConflict((conflict) => conflict.column('device').doUpdateSet({ name }))
        .execute();
    },
    /** Removes a computer with all its usage. */
    remove: async (tx: Transaction<unknown>, account: number, id: number): Promise<void> => {
      await withUsageTables(tx)
        .deleteFrom('screentime_device')
        .where('account', '=', account)
        .where('device', '=', id)
        .execute();
    },
    /** Finds the computer into which the computer of this hostname was merged. */
    findByMergedHostname: async (
      source: Kysely<unknown>,
      account: number,
      hostname: string,
    ): Promise<number | undefined> => {
      const row = await withUsageTables(source)
        .selectFrom('screentime_hostname')
        .select('device')
        .where('account', '=', account)
        .where('hostname', '=', hostname)
        .executeTakeFirst();
      return row?.device;
    },
    /** Redirects later imports of a computer's hostnames to another computer. */
    moveHostnames: async (
      tx: Transaction<unknown>,
      account: number,
      { from, into }: { readonly from: UsageDevice; readonly into: number },
    ): Promise<void> => {
      const tables = withUsageTables(tx);
      await tables.updateTable('screentime_hostname').set({ device: into }).where('device', '=', from.id).execute();
      if (from.hostname === undefined) return;
      await tables
        .insertInto('screentime_hostname')
        .values({ account, hostname: from.hostname, device: into })
        .onConflict((conflict) => conflict.columns(['account', 'hostname']).doUpdateSet({ device: into }))
        .execute();
    },
  };
}
