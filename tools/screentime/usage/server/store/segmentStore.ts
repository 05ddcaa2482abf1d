import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { type Day, listUtcDays } from '../../domain/days.ts';
import {
  STATUS_CODE_COUNT,
  toStatusCode,
  parseStatus,
  clipRanges,
  type SecondRange,
  type Track,
} from '../../domain/track.ts';
import { packTracks, unpackTracks } from './packing.ts';
import { selectDevices, type UsageTables, withUsageTables } from './tables.ts';

/** What a device did in some time. */
export interface DeviceTracks {
  readonly device: number;
  readonly tracks: readonly Track[];
}

const ROWS_PER_STATEMENT = 500;

type DayRow = UsageTables['screentime_segment'];

/** Joins consecutive days of a device, so that a range across midnight is one again. */
function joinRows(rows: readonly DayRow[], bounds: SecondRange): readonly Track[] {
  const rangesByTrack = new Map<number, SecondRange[]>();
  for (const { day, data } of rows)
    for (const { application, status, ranges: dayRanges } of unpackTracks(day, data)) {
      const key = application * STATUS_CODE_COUNT + toStatusCode(status);
      const ranges = rangesByTrack.get(key);
      if (!ranges) {
        rangesByTrack.set(key, [...dayRanges]);
        continue;
      }
      const [first, ...rest] = dayRanges;
      const last = ranges.at(-1);
      if (first && last && last.until === first.from) ranges.splice(-1, 1, { from: last.from, until: first.until });
      else if (first) ranges.push(first);
      for (const range of rest) ranges.push(range);
    }
  return [...rangesByTrack]
    .map(([key, ranges]) => ({
      application: Math.floor(key / STATUS_CODE_COUNT),
      status: parseStatus(key % STATUS_CODE_COUNT),
      ranges: clipRanges(ranges, bounds),
    }))
    .filter(({ ranges }) => ranges.length > 0);
}

/** Creates the store of all intervals, the source of truth for the rollups. */
export function createSegmentStore({ db }: Database) {
  return {
    /** Returns tracks between two seconds since the epoch, cut at both; for one device or each device. */
    listBetween: async (
      account: number,
      { device, ...bounds }: SecondRange & { readonly device?: number | undefined },
      source: Kysely<unknown> = db,
    ): Promise<readonly DeviceTracks[]> => {
      const rows: DayRow[] = [];
      for (const days of splitIntoChunks(listUtcDays(bounds), ROWS_PER_STATEMENT))
        rows.push(
          ...(await withUsageTables(source)
            .selectFrom('screentime_segment')
            .select(['device', 'day', 'data'])
            .where('device', 'in', selectDevices(source, account))
            .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
            .where('day', 'in', days)
            .execute()),
        );
      rows.sort((a, b) => a.device - b.device || a.day - b.day);
      return [...Map.groupBy(rows, (row) => row.device)].map(([id, deviceRows]) => ({
        device: id,
        tracks: joinRows(deviceRows, bounds),
      }));
    },
    /** Returns stored UTC days of one device. Empty days are missing. */
    readDays: async (
      source: Kysely<unknown>,
      device: number,
      days: readonly Day[],
    ): Promise<ReadonlyMap<Day, readonly Track[]>> => {
      const tracksByDay = new Map<Day, readonly Track[]>();
      for (const chunk of splitIntoChunks(days, ROWS_PER_STATEMENT)) {
        const rows = await withUsageTables(source)
          .selectFrom('screentime_segment')
          .select(['day', 'data'])
          .where('device', '=', device)
          .where('day', 'in', chunk)
          .execute();
        for (const { day, data } of rows) tracksByDay.set(day, unpackTracks(day, data));
      }
      return tracksByDay;
    },
    /** Lists UTC days of one device with data, in order. */
    listDaysWithData: async (source: Kysely<unknown>, device: number): Promise<readonly Day[]> => {
      const rows = await withUsageTables(source)
        .selectFrom('screentime_segment')
        .select('day')
        .where('device', '=', device)
        .orderBy('day')
        .execute();
      return rows.map(({ day }) => day);
    },
    /** Lists UTC days with data, of all devices of an account or one, optionally within an inclusive range. */
    listStoredDays: async (
      account: number,
      { device, from, until }: { readonly device?: number | undefined; readonly from?: Day; readonly until?: Day } = {},
    ): Promise<readonly Day[]> => {
      const rows = await withUsageTables(db)
        .selectFrom('screentime_segment')
        .select('day')
        .distinct()
        .where('device', 'in', selectDevices(db, account))
        .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
        .$if(from !== undefined, (query) => query.where('day', '>=', from ?? 0))
        .$if(until !== undefined, (query) => query.where('day', '<=', until ?? 0))
        .orderBy('day')
        .execute();
      return rows.map(({ day }) => day);
    },
    /** Removes everything of a device. */
    clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
      await withUsageTables(tx).deleteFrom('screentime_segment').where('device', '=', device).execute();
    },
    save: async (
      tx: Transaction<unknown>,
      device: number,
      changed: ReadonlyMap<Day, readonly Track[]>,
    ): Promise<void> => {
      const rows = [...changed].map(([day, tracks]) => ({ device, day, data: packTracks(day, tracks) }));
      const emptyDays = rows.filter(({ data }) => data.length === 0).map(({ day }) => day);
      for (const chunk of splitIntoChunks(emptyDays, ROWS_PER_STATEMENT))
        await withUsageTables(tx)
          .deleteFrom('screentime_segment')
          .where('device', '=', device)
          .where('day', 'in', chunk)
          .execute();
      for (const chunk of splitIntoChunks(
        rows.filter(({ data }) => data.length > 0),
        ROWS_PER_STATEMENT,
      ))
        await withUsageTables(tx)
          .insertInto('screentime_segment')
          .values(chunk)
          .onConflict((conflict) =>
            conflict.columns(['device', 'day']).doUpdateSet((eb) => ({ data: eb.ref('excluded.data') })),
          )
          .execute();
    },
  };
}
