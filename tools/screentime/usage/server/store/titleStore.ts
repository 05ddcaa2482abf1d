import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { SecondRange } from '../../domain/track.ts';
import { devicesOf, type UsageTables } from './tables.ts';

/** What document or page an application showed while it was in focus. */
export interface TitleSpan extends SecondRange {
  readonly application: number;
  readonly title: string;
}

const ROWS_PER_STATEMENT = 500;
/** No segment is longer: what reaches into a time begins at most so long before it. */
const MAX_SEGMENT_SECONDS = 86_400;
const inside = (source: Kysely<unknown>) => source.$extendTables<UsageTables>();

type Row = Omit<UsageTables['screentime_title'], 'id'> & { readonly id: number };
const toTitle = ({ application, from_time: from, until_time: until, title }: Row): TitleSpan => ({
  application,
  from,
  until,
  title,
});

export function titleStore({ db }: Database) {
  return {
    /** In order of time. */
    between: async (
      account: number,
      { device, from, until }: SecondRange & { readonly device?: number | undefined },
      source: Kysely<unknown> = db,
    ): Promise<readonly (TitleSpan & { readonly device: number })[]> => {
      const rows = await inside(source)
        .selectFrom('screentime_title')
        .selectAll()
        .where('device', 'in', devicesOf(source, account))
        .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
        .where('from_time', '<', until)
        .where('from_time', '>', from - MAX_SEGMENT_SECONDS)
        .where('until_time', '>', from)
        .orderBy('from_time')
        .execute();
      return rows.map((row) => ({ device: row.device, ...toTitle(row) }));
    },
    /** Keeps them; one that began in the same second is the same one, as it is now. No two of them may be the same. */
    keep: async (tx: Transaction<unknown>, device: number, titles: readonly TitleSpan[]): Promise<void> => {
      for (const piece of splitIntoChunks(titles, ROWS_PER_STATEMENT))
        await inside(tx)
          .insertInto('screentime_title')
          .values(
            piece.map(({ application, from, until, title }) => ({
              device,
              application,
              from_time: from,
              until_time: until,
              title,
            })),
          )
          .onConflict((already) =>
            already
              .columns(['device', 'from_time', 'application'])
              .doUpdateSet((is) => ({ until_time: is.ref('excluded.until_time'), title: is.ref('excluded.title') })),
          )
          .execute();
    },
    /** Forgets what an application showed in some time. What reaches into it is forgotten whole. */
    forget: async (
      tx: Transaction<unknown>,
      device: number,
      { application, from, until }: SecondRange & { readonly application: number },
    ): Promise<void> => {
      await inside(tx)
        .deleteFrom('screentime_title')
        .where('device', '=', device)
        .where('application', '=', application)
        .where('from_time', '<', until)
        .where('from_time', '>', from - MAX_SEGMENT_SECONDS)
        .where('until_time', '>', from)
        .execute();
    },
    /** Forgets all of a device. */
    clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
      await inside(tx).deleteFrom('screentime_title').where('device', '=', device).execute();
    },
    /** Gives those of one device to another, except where that has one of the same application and second. */
    moveAll: async (tx: Transaction<unknown>, from: number, into: number): Promise<void> => {
      await inside(tx)
        .updateTable('screentime_title as moved')
        .set({ device: into })
        .where('moved.device', '=', from)
        .where((is) =>
          is.not(
            is.exists(
              is
                .selectFrom('screentime_title as there')
                .select('there.id')
                .where('there.device', '=', into)
                .whereRef('there.from_time', '=', 'moved.from_time')
                .whereRef('there.application', '=', 'moved.application'),
            ),
          ),
        )
        .execute();
    },
    /** Clears away what ended before then. */
    purge: async (before: number): Promise<void> => {
      await inside(db).deleteFrom('screentime_title').where('until_time', '<', before).execute();
    },
  };
}
