import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { Tables } from './tables.ts';

/** A computer that has usage. */
export interface UsageDevice {
  readonly id: number;
  /** As of its last report, or of the last night. */
  readonly name: string;
  /** As ActivityWatch calls it, of one that was imported. */
  readonly hostname: string | undefined;
}

const inside = (source: Kysely<unknown>) => source.$extendTables<Tables>();

export const usageDeviceStore = ({ db }: Database) => ({
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
});
