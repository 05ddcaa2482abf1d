import type { Kysely, Transaction } from 'kysely';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Day } from '../../domain/days.ts';
import { toCode, parseStatus, clipRanges, type SecondRange, type Track } from '../../domain/track.ts';
import { packTracks, unpackTracks } from './packing.ts';
import { selectDevices, numbersBetween, withUsageTables } from './tables.ts';

/** What a device did in some time. */
export interface DeviceTracks {
  readonly device: number;
  readonly tracks: readonly Track[];
}

const ROWS_PER_STATEMENT = 500;
const STATUS_CODES = 4;

interface DayRow {
  readonly device: number;
  readonly day: Day;
  readonly data: Uint8Array;
}

/** Joins consecutive days of a device, so that a range across midnight is one again. */
const joinRows = (rows: readonly DayRow[], bounds: SecondRange): readonly Track[] => {
  const all = new Map<number, SecondRange[]>();
  for (const { day, data } of rows)
    for (const { application, status, spans } of unpackTracks(day, data)) {
      const key = application * STATUS_CODES + toCode(status);
      const earlier = all.get(key);
      if (!earlier) {
        all.set(key, [...spans]);
        continue;
      }
      const [first, ...rest] = spans;
      const last = earlier.at(-1);
      if (first && last && last.until === first.from) earlier.splice(-1, 1, { from: last.from, until: first.until });
      else if (first) earlier.push(first);
      for (const span of rest) earlier.push(span);
    }
  return [...all]
    .map(([key, spans]) => ({
      application: Math.floor(key / STATUS_CODES),
      status: parseStatus(key % STATUS_CODES),
      spans: clipRanges(spans, bounds),
    }))
    .filter(({ spans }) => spans.length > 0);
};

const daysBetween = ({ from, until }: SecondRange): readonly Day[] =>
  numbersBetween(Math.floor(from / DAY_SECONDS), Math.floor((until - 1) / DAY_SECONDS));

/** Creates the store of all intervals, the source of truth for the rollups. */
export function segmentStore({ db }: Database) {
  return {
    /** Returns tracks between two seconds since the epoch, cut at both; for one device or each device. */
    listBetween: async (
      account: number,
      { device, ...bounds }: SecondRange & { readonly device?: number | undefined },
      source: Kysely<unknown> = db,
    ): Promise<readonly DeviceTracks[]> => {
      const rows: DayRow[] = [];
      for (const days of splitIntoChunks(daysBetween(bounds), ROWS_PER_STATEMENT))
        rows.push(
          ...(await withUsageTables(source)
            .selectFrom('screentime_segment')
            .select(['device', 'day', 'data'])
            .where('device', 'in', selectDevices(source, account))
            .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
            .where('day', 'in', days)
            .execute()),
        );
      rows.sort((one, other) => one.device - other.device || one.day - other.day);
      return [...Map.groupBy(rows, (row) => row.device)].map(([id, own]) => ({
        device: id,
        tracks: joinRows(own, bounds),
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
      const empty = rows.filter(({ data }) => data.length === 0).map(({ day }) => day);
      for (const chunk of splitIntoChunks(empty, ROWS_PER_STATEMENT))
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
          .onConflict((already) =>
            already.columns(['device', 'day']).doUpdateSet((is) => ({ data: is.ref('excluded.data') })),
          )
          .execute();
    },
  };
}
