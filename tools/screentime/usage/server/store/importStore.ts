import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Day } from '../../domain/days.ts';
import type { Track } from '../../domain/track.ts';
import { packTracks, unpackTracks } from './packing.ts';
import { withUsageTables } from './tables.ts';

/** An import that can be undone. */
export interface UsageImport {
  readonly id: number;
  readonly device: number;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** Focused time. */
  readonly seconds: number;
}

/** An import and its range of UTC days. */
export interface ListedImport extends UsageImport {
  readonly first: Day;
  readonly last: Day;
}

const ROWS_PER_STATEMENT = 500;
const COLUMNS = ['id', 'device', 'created', 'seconds'] as const;

/** Creates the store of what imports added, in days like those of the segment store. */
export function createImportStore({ db }: Database) {
  return {
    /** Lists imports, newest first, without those whose intervals are all gone. */
    list: async (account: number): Promise<readonly ListedImport[]> =>
      withUsageTables(db)
        .selectFrom('screentime_import')
        .innerJoin('screentime_import_day', 'screentime_import_day.import', 'screentime_import.id')
        .select((eb) => [
          ...COLUMNS,
          eb.fn.min<number>('screentime_import_day.day').as('first'),
          eb.fn.max<number>('screentime_import_day.day').as('last'),
        ])
        .where('account', '=', account)
        .groupBy(['screentime_import.id', 'screentime_import.device', 'created', 'seconds'])
        .orderBy('id', 'desc')
        .execute(),
    get: async (source: Kysely<unknown>, account: number, id: number): Promise<UsageImport | undefined> =>
      withUsageTables(source)
        .selectFrom('screentime_import')
        .select(COLUMNS)
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst(),
    listByDevice: async (source: Kysely<unknown>, device: number): Promise<readonly UsageImport[]> =>
      withUsageTables(source).selectFrom('screentime_import').select(COLUMNS).where('device', '=', device).execute(),
    insert: async (
      tx: Transaction<unknown>,
      { account, device, created }: Pick<UsageImport, 'device' | 'created'> & { readonly account: number },
    ): Promise<number> => {
      const { id } = await withUsageTables(tx)
        .insertInto('screentime_import')
        .values({ account, device, created, seconds: 0 })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    addSeconds: async (tx: Transaction<unknown>, id: number, seconds: number): Promise<void> => {
      await withUsageTables(tx)
        .updateTable('screentime_import')
        .set((eb) => ({ seconds: eb('seconds', '+', seconds) }))
        .where('id', '=', id)
        .execute();
    },
    moveAll: async (tx: Transaction<unknown>, from: number, into: number): Promise<void> => {
      await withUsageTables(tx)
        .updateTable('screentime_import')
        .set({ device: into })
        .where('device', '=', from)
        .execute();
    },
    remove: async (tx: Transaction<unknown>, id: number): Promise<void> => {
      await withUsageTables(tx).deleteFrom('screentime_import').where('id', '=', id).execute();
    },
    /** Removes all imports of a device, but not the usage they added. */
    clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
      await withUsageTables(tx).deleteFrom('screentime_import').where('device', '=', device).execute();
    },

    /** Lists the first UTC days of an import, in order. */
    listFirstDays: async (source: Kysely<unknown>, id: number, max: number): Promise<readonly Day[]> => {
      const rows = await withUsageTables(source)
        .selectFrom('screentime_import_day')
        .select('day')
        .where('import', '=', id)
        .orderBy('day')
        .limit(max)
        .execute();
      return rows.map(({ day }) => day);
    },
    readDays: async (
      source: Kysely<unknown>,
      id: number,
      days: readonly Day[],
    ): Promise<ReadonlyMap<Day, readonly Track[]>> => {
      const tracksByDay = new Map<Day, readonly Track[]>();
      for (const chunk of splitIntoChunks(days, ROWS_PER_STATEMENT)) {
        const rows = await withUsageTables(source)
          .selectFrom('screentime_import_day')
          .select(['day', 'data'])
          .where('import', '=', id)
          .where('day', 'in', chunk)
          .execute();
        for (const { day, data } of rows) tracksByDay.set(day, unpackTracks(day, data));
      }
      return tracksByDay;
    },
    /** Replaces days. Removes days without tracks. */
    saveDays: async (
      tx: Transaction<unknown>,
      id: number,
      changed: ReadonlyMap<Day, readonly Track[]>,
    ): Promise<void> => {
      for (const chunk of splitIntoChunks([...changed.keys()], ROWS_PER_STATEMENT))
        await withUsageTables(tx)
          .deleteFrom('screentime_import_day')
          .where('import', '=', id)
          .where('day', 'in', chunk)
          .execute();
      const rows = [...changed].map(([day, tracks]) => ({ import: id, day, data: packTracks(day, tracks) }));
      for (const chunk of splitIntoChunks(
        rows.filter(({ data }) => data.length > 0),
        ROWS_PER_STATEMENT,
      ))
        await withUsageTables(tx).insertInto('screentime_import_day').values(chunk).execute();
    },
  };
}
