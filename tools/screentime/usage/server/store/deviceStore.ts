import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { UsageTables } from './tables.ts';

/** What was taken of one boot of an agent. */
export interface Cursor {
  /** The last number taken, 0 before the first. */
  readonly taken: number;
  /** Where its segment ended, in seconds since the epoch: what comes of it later is only what lies behind. */
  readonly until: number;
}

const cursorsInside = (source: Kysely<unknown>) => source.$extendTables<UsageTables>();

export function cursorStore({ db }: Database) {
  return {
    of: async (source: Kysely<unknown>, device: number, boot: string): Promise<Cursor> => {
      const row = await cursorsInside(source)
        .selectFrom('screentime_cursor')
        .select(['taken', 'until_time'])
        .where('device', '=', device)
        .where('boot', '=', boot)
        .executeTakeFirst();
      return { taken: row?.taken ?? 0, until: row?.until_time ?? 0 };
    },
    /** @param now milliseconds since the epoch. */
    move: async (
      tx: Transaction<unknown>,
      { device, boot, now }: { readonly device: number; readonly boot: string; readonly now: number },
      { taken, until }: Cursor,
    ): Promise<void> => {
      await cursorsInside(tx)
        .insertInto('screentime_cursor')
        .values({ device, boot, taken, until_time: until, used: now })
        .onConflict((already) =>
          already.columns(['device', 'boot']).doUpdateSet({ taken, until_time: until, used: now }),
        )
        .execute();
    },
    /** Clears away boots that were not heard of since then: nothing is counted twice without them either. */
    purge: async (before: number): Promise<void> => {
      await cursorsInside(db).deleteFrom('screentime_cursor').where('used', '<', before).execute();
    },
  };
}

/** A computer that has usage. */
export interface UsageDevice {
  readonly id: number;
  /** As of its last report, or of the last night. */
  readonly name: string;
  /** As ActivityWatch calls it, of one that was imported. */
  readonly hostname: string | undefined;
}

const inside = (source: Kysely<unknown>) => source.$extendTables<UsageTables>();

export function usageDeviceStore({ db }: Database) {
  return {
    /** Also those that were removed since. */
    list: async (account: number, source: Kysely<unknown> = db): Promise<readonly UsageDevice[]> => {
      const rows = await inside(source)
        .selectFrom('screentime_device')
        .select(['device', 'name', 'hostname'])
        .where('account', '=', account)
        .orderBy('device')
        .execute();
      return rows.map(({ device, name, hostname }) => ({ id: device, name, hostname: hostname ?? undefined }));
    },
    /** Keeps it, or its new name. */
    keep: async (tx: Transaction<unknown>, account: number, { id, name, hostname }: UsageDevice): Promise<void> => {
      await inside(tx)
        .insertInto('screentime_device')
        .values({ device: id, account, name, hostname: hostname ?? null })
        .onConflict((already) => already.column('device').doUpdateSet({ name }))
        .execute();
    },
    /** Removes it with everything that it recorded. */
    remove: async (tx: Transaction<unknown>, account: number, id: number): Promise<void> => {
      await inside(tx)
        .deleteFrom('screentime_device')
        .where('account', '=', account)
        .where('device', '=', id)
        .execute();
    },
    /** The computer that imports of a hostname go to because another one was merged into it. */
    byMergedHostname: async (
      source: Kysely<unknown>,
      account: number,
      hostname: string,
    ): Promise<number | undefined> => {
      const row = await inside(source)
        .selectFrom('screentime_hostname')
        .select('device')
        .where('account', '=', account)
        .where('hostname', '=', hostname)
        .executeTakeFirst();
      return row?.device;
    },
    /** From now on imports of the hostnames of one computer go to another one. */
    moveHostnames: async (
      tx: Transaction<unknown>,
      account: number,
      { from, into }: { readonly from: UsageDevice; readonly into: number },
    ): Promise<void> => {
      const on = inside(tx);
      await on.updateTable('screentime_hostname').set({ device: into }).where('device', '=', from.id).execute();
      if (from.hostname === undefined) return;
      await on
        .insertInto('screentime_hostname')
        .values({ account, hostname: from.hostname, device: into })
        .onConflict((already) => already.columns(['account', 'hostname']).doUpdateSet({ device: into }))
        .execute();
    },
  };
}
