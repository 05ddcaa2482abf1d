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

const inside = (source: Kysely<unknown>) => source.$extendTables<UsageTables>();

export const cursorStore = ({ db }: Database) => ({
  of: async (source: Kysely<unknown>, device: number, boot: string): Promise<Cursor> => {
    const row = await inside(source)
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
    await inside(tx)
      .insertInto('screentime_cursor')
      .values({ device, boot, taken, until_time: until, used: now })
      .onConflict((already) => already.columns(['device', 'boot']).doUpdateSet({ taken, until_time: until, used: now }))
      .execute();
  },
  /** Clears away boots that were not heard of since then: nothing is counted twice without them either. */
  purge: async (before: number): Promise<void> => {
    await inside(db).deleteFrom('screentime_cursor').where('used', '<', before).execute();
  },
});
