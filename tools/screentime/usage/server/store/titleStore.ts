import type { Kysely, Selectable, Transaction } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { UsageInterval } from '../../domain/interval.ts';
import type { SecondRange } from '../../domain/track.ts';
import { selectDevices, type UsageTables, withUsageTables } from './tables.ts';

/** Title of an application while it was focused. */
export interface StoredTitle extends Omit<UsageInterval, 'status'> {
  readonly title: string;
}

const ROWS_PER_STATEMENT = 500;
/** Max segment length, which limits how far before a range an overlapping one can start. */
const MAX_SEGMENT_SECONDS = DAY_SECONDS;

type Row = Selectable<UsageTables['screentime_title']>;
const toTitle = ({ application, from_time: from, until_time: until, title }: Row): StoredTitle => ({
  application,
  from,
  until,
  title,
});

export function createTitleStore({ db }: Database) {
  return {
    /** Lists titles in order. */
    listBetween: async (
      account: number,
      { device, from, until }: SecondRange & { readonly device?: number | undefined },
      source: Kysely<unknown> = db,
    ): Promise<readonly (StoredTitle & { readonly device: number })[]> => {
      const rows = await withUsageTables(source)
        .selectFrom('screentime_title')
        .selectAll()
        .where('device', 'in', selectDevices(source, account))
        .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
        .where('from_time', '<', until)
        .where('from_time', '>', from - MAX_SEGMENT_SECONDS)
        .where('until_time', '>', from)
        .orderBy('from_time')
        .execute();
      return rows.map((row) => ({ device: row.device, ...toTitle(row) }));
    },
    /** Inserts titles, or replaces those that start in the same second. The input must have no duplicates. */
    save: async (tx: Transaction<unknown>, device: number, titles: readonly StoredTitle[]): Promise<void> => {
      for (const chunk of splitIntoChunks(titles, ROWS_PER_STATEMENT))
        await withUsageTables(tx)
          .insertInto('screentime_title')
          .values(
            chunk.map(({ application, from, until, title }) => ({
              device,
              application,
              from_time: from,
              until_time: until,
              title,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['device', 'from_time', 'application'])
              .doUpdateSet((eb) => ({ until_time: eb.ref('excluded.until_time'), title: eb.ref('excluded.title') })),
          )
          .execute();
    },
    /** Removes an application's titles that overlap a range. */
    removeOverlapping: async (
      tx: Transaction<unknown>,
      device: number,
      { application, from, until }: SecondRange & { readonly application: number },
    ): Promise<void> => {
      await withUsageTables(tx)
        .deleteFrom('screentime_title')
        .where('device', '=', device)
        .where('application', '=', application)
        .where('from_time', '<', until)
        .where('from_time', '>', from - MAX_SEGMENT_SECONDS)
        .where('until_time', '>', from)
        .execute();
    },
    /** Removes everything of a device. */
    clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
      await withUsageTables(tx).deleteFrom('screentime_title').where('device', '=', device).execute();
    },
    /** Moves titles to another device, unless it has one of the same application and second. */
    moveAll: async (tx: Transaction<unknown>, from: number, into: number): Promise<void> => {
      await withUsageTables(tx)
        .updateTable('screentime_title as moved')
        .set({ device: into })
        .where('moved.device', '=', from)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('screentime_title as existing')
                .select('existing.id')
                .where('existing.device', '=', into)
                .whereRef('existing.from_time', '=', 'moved.from_time')
                .whereRef('existing.application', '=', 'moved.application'),
            ),
          ),
        )
        .execute();
    },
    /** Removes titles that ended before `before`. */
    purge: async (before: number): Promise<void> => {
      await withUsageTables(db).deleteFrom('screentime_title').where('until_time', '<', before).execute();
    },
  };
}
