import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { splitIntoChunks } from '#platform/server/database/pieces.ts';
import { devicesOf } from './own.ts';
import type { UsageTables } from './tables.ts';

/** All the time that an application was ever in focus on a device. */
export interface Total {
  readonly application: number;
  readonly seconds: number;
  /** Seconds since the epoch: where its first stretch begins and its last one ends. */
  readonly first: number;
  readonly last: number;
}

const ROWS_PER_STATEMENT = 500;
const inside = (source: Kysely<unknown>) => source.$extendTables<UsageTables>();
const columns = ['device', 'application', 'seconds', 'first_use', 'last_use'] as const;
const toTotal = ({
  application,
  seconds,
  first_use: first,
  last_use: last,
}: UsageTables['screentime_total']): Total => ({
  application,
  seconds,
  first,
  last,
});

export const totalStore = ({ db }: Database) => ({
  /** Of each application (`ALL_APPLICATIONS` among them) on one device, or on each of them. */
  of: async (
    account: number,
    device?: number,
    source: Kysely<unknown> = db,
  ): Promise<readonly (Total & { readonly device: number })[]> => {
    const rows = await inside(source)
      .selectFrom('screentime_total')
      .select(columns)
      .where('device', 'in', devicesOf(source, account))
      .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
      .execute();
    return rows.map((row) => ({ device: row.device, ...toTotal(row) }));
  },
  ofDevice: async (
    source: Kysely<unknown>,
    device: number,
    applications: readonly number[],
  ): Promise<ReadonlyMap<number, Total>> => {
    const found = new Map<number, Total>();
    for (const piece of splitIntoChunks(applications, ROWS_PER_STATEMENT)) {
      const rows = await inside(source)
        .selectFrom('screentime_total')
        .select(columns)
        .where('device', '=', device)
        .where('application', 'in', piece)
        .execute();
      for (const row of rows) found.set(row.application, toTotal(row));
    }
    return found;
  },
  keep: async (tx: Transaction<unknown>, device: number, totals: readonly Total[]): Promise<void> => {
    for (const piece of splitIntoChunks(
      totals.filter(({ seconds }) => seconds === 0).map(({ application }) => application),
      ROWS_PER_STATEMENT,
    ))
      await inside(tx)
        .deleteFrom('screentime_total')
        .where('device', '=', device)
        .where('application', 'in', piece)
        .execute();
    for (const piece of splitIntoChunks(
      totals.filter(({ seconds }) => seconds > 0),
      ROWS_PER_STATEMENT,
    ))
      await inside(tx)
        .insertInto('screentime_total')
        .values(
          piece.map(({ application, seconds, first, last }) => ({
            device,
            application,
            seconds,
            first_use: first,
            last_use: last,
          })),
        )
        .onConflict((already) =>
          already.columns(['device', 'application']).doUpdateSet((is) => ({
            seconds: is.ref('excluded.seconds'),
            first_use: is.ref('excluded.first_use'),
            last_use: is.ref('excluded.last_use'),
          })),
        )
        .execute();
  },
  /** Forgets all of a device. */
  clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
    await inside(tx).deleteFrom('screentime_total').where('device', '=', device).execute();
  },
});
