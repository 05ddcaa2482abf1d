import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { type Day, listIntegers } from '../../domain/days.ts';
import type { DayUse } from '../../domain/deviceRecord.ts';
import { packEntries, readEntries, type Entry } from './packing.ts';
import { selectDevices, type UsageTables, withUsageTables } from './tables.ts';

/** All focused time of an application on a device. */
export interface Total {
  readonly application: number;
  readonly seconds: number;
  /** Start of the first and end of the last interval, in seconds since the epoch. */
  readonly first: number;
  readonly last: number;
}

const TOTALS_ROWS_PER_STATEMENT = 500;
const COLUMNS = ['device', 'application', 'seconds', 'first_use', 'last_use'] as const;
const toTotal = ({
  application,
  seconds,
  first_use: first,
  last_use: last,
}: UsageTables['screentime_total']): Total => ({ application, seconds, first, last });

export function createTotalStore({ db }: Database) {
  return {
    /** Lists totals by application (including `ALL_APPLICATIONS`), for one device or each device. */
    list: async (
      account: number,
      device?: number,
      source: Kysely<unknown> = db,
    ): Promise<readonly (Total & { readonly device: number })[]> => {
      const rows = await withUsageTables(source)
        .selectFrom('screentime_total')
        .select(COLUMNS)
        .where('device', 'in', selectDevices(source, account))
        .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
        .execute();
      return rows.map((row) => ({ device: row.device, ...toTotal(row) }));
    },
    readByDevice: async (
      source: Kysely<unknown>,
      device: number,
      applications: readonly number[],
    ): Promise<ReadonlyMap<number, Total>> => {
      const totalsByApplication = new Map<number, Total>();
      for (const batch of splitIntoChunks(applications, TOTALS_ROWS_PER_STATEMENT)) {
        const rows = await withUsageTables(source)
          .selectFrom('screentime_total')
          .select(COLUMNS)
          .where('device', '=', device)
          .where('application', 'in', batch)
          .execute();
        for (const row of rows) totalsByApplication.set(row.application, toTotal(row));
      }
      return totalsByApplication;
    },
    save: async (tx: Transaction<unknown>, device: number, totals: readonly Total[]): Promise<void> => {
      for (const batch of splitIntoChunks(
        totals.filter(({ seconds }) => seconds === 0).map(({ application }) => application),
        TOTALS_ROWS_PER_STATEMENT,
      ))
        await withUsageTables(tx)
          .deleteFrom('screentime_total')
          .where('device', '=', device)
          .where('application', 'in', batch)
          .execute();
      for (const batch of splitIntoChunks(
        totals.filter(({ seconds }) => seconds > 0),
        TOTALS_ROWS_PER_STATEMENT,
      ))
        await withUsageTables(tx)
          .insertInto('screentime_total')
          .values(
            batch.map(({ application, seconds, first, last }) => ({
              device,
              application,
              seconds,
              first_use: first,
              last_use: last,
            })),
          )
          .onConflict((conflict) =>
            conflict.columns(['device', 'application']).doUpdateSet((eb) => ({
              seconds: eb.ref('excluded.seconds'),
              first_use: eb.ref('excluded.first_use'),
              last_use: eb.ref('excluded.last_use'),
            })),
          )
          .execute();
    },
    /** Removes everything of a device. */
    clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
      await withUsageTables(tx).deleteFrom('screentime_total').where('device', '=', device).execute();
    },
  };
}

/** Days per row. */
const CHUNK_DAYS = 256;
const ROWS_PER_STATEMENT = 500;
const VALUES_PER_DAY = 3;

/**
 * Days of one application on one device. Values have the index of their day in `days`; days without usage are missing.
 */
export interface DaySeries {
  readonly device: number;
  readonly application: number;
  readonly days: readonly Day[];
  /** Focused time. */
  readonly seconds: readonly number[];
  /** Times it got the focus after at least 30 s without it; for all applications together, the sum. */
  readonly opened: readonly number[];
  /** Longest focused interval within the day, in seconds. */
  readonly longest: readonly number[];
}

interface DayQuery {
  /** Generation of the days, from the account's revision; it determines the zone. */
  readonly generation: number;
  readonly device?: number | undefined;
  /** All if missing, including `ALL_APPLICATIONS`. */
  readonly applications?: readonly number[] | undefined;
  readonly from: Day;
  /** Inclusive. */
  readonly until: Day;
}

type Row = Omit<UsageTables['screentime_day'], 'generation'>;

function toSeries(rows: readonly Row[], { from, until }: DayQuery): DaySeries | undefined {
  const [first] = rows;
  const days: number[] = [];
  const seconds: number[] = [];
  const opened: number[] = [];
  const longest: number[] = [];
  for (const { chunk, data } of rows)
    readEntries(data, chunk * CHUNK_DAYS, VALUES_PER_DAY, (day, [length = 0, openedCount = 0, longestSeconds = 0]) => {
      if (day < from || day > until) return;
      days.push(day);
      seconds.push(length);
      opened.push(openedCount);
      longest.push(longestSeconds);
    });
  if (!first || days.length === 0) return undefined;
  return { device: first.device, application: first.application, days, seconds, opened, longest };
}

/** Creates the store of days in the home zone. */
export function createDayStore({ db }: Database) {
  return {
    listBetween: async (
      account: number,
      dayQuery: DayQuery,
      source: Kysely<unknown> = db,
    ): Promise<readonly DaySeries[]> => {
      const { generation, device, applications, from, until } = dayQuery;
      const rows: Row[] = [];
      const chunks = listIntegers(Math.floor(from / CHUNK_DAYS), Math.floor(until / CHUNK_DAYS));
      for (const batch of splitIntoChunks(chunks, ROWS_PER_STATEMENT))
        rows.push(
          ...(await withUsageTables(source)
            .selectFrom('screentime_day')
            .select(['device', 'application', 'chunk', 'data'])
            .where('device', 'in', selectDevices(source, account))
            .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
            .where('generation', '=', generation)
            .where('chunk', 'in', batch)
            .$if(applications !== undefined, (query) => query.where('application', 'in', applications ?? []))
            .execute()),
        );
      rows.sort((a, b) => a.chunk - b.chunk);
      const grouped = Map.groupBy(rows, (row) => `${row.device} ${row.application}`);
      return [...grouped.values()].flatMap((seriesRows) => toSeries(seriesRows, dayQuery) ?? []);
    },
    /** Replaces days of one device for the given applications. Removes days without usage. */
    save: async (
      tx: Transaction<unknown>,
      { device, generation }: { readonly device: number; readonly generation: number },
      savedDays: ReadonlySet<Day>,
      uses: ReadonlyMap<number, readonly DayUse[]>,
    ): Promise<void> => {
      const chunks = [...new Set([...savedDays].map((day) => Math.floor(day / CHUNK_DAYS)))];
      const storedRows = await readStoredRows(tx, { device, generation }, { chunks, applications: [...uses.keys()] });
      const rows: Omit<Row, 'device'>[] = [];
      for (const [application, dayUses] of uses)
        for (const chunk of chunks) {
          const entries: Entry[] = dayUses
            .filter(({ day }) => Math.floor(day / CHUNK_DAYS) === chunk)
            .map(({ day, seconds, opened, longest }) => [day, seconds, opened, longest]);
          const storedData = storedRows.get(`${chunk} ${application}`);
          if (storedData)
            readEntries(storedData, chunk * CHUNK_DAYS, VALUES_PER_DAY, (day, values) => {
              if (!savedDays.has(day)) entries.push([day, ...values]);
            });
          entries.sort(([a], [b]) => a - b);
          const data = packEntries(chunk * CHUNK_DAYS, entries);
          if (storedData || data.length > 0) rows.push({ chunk, application, data });
        }
      await writeRows(tx, { device, generation }, rows);
    },
    /** Removes the days of all other generations. */
    removeOtherGenerations: async (tx: Transaction<unknown>, device: number, generation: number): Promise<void> => {
      await withUsageTables(tx)
        .deleteFrom('screentime_day')
        .where('device', '=', device)
        .where('generation', '<>', generation)
        .execute();
    },
    /** Removes everything of a device. */
    clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
      await withUsageTables(tx).deleteFrom('screentime_day').where('device', '=', device).execute();
    },
  };
}

interface DayLocation {
  readonly device: number;
  readonly generation: number;
}

async function readStoredRows(
  tx: Transaction<unknown>,
  { device, generation }: DayLocation,
  { chunks, applications }: { readonly chunks: readonly number[]; readonly applications: readonly number[] },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const storedRows = new Map<string, Uint8Array>();
  for (const batch of splitIntoChunks(applications, ROWS_PER_STATEMENT))
    for (const chunkBatch of splitIntoChunks(chunks, ROWS_PER_STATEMENT)) {
      const rows = await withUsageTables(tx)
        .selectFrom('screentime_day')
        .select(['chunk', 'application', 'data'])
        .where('device', '=', device)
        .where('generation', '=', generation)
        .where('chunk', 'in', chunkBatch)
        .where('application', 'in', batch)
        .execute();
      for (const { chunk, application, data } of rows) storedRows.set(`${chunk} ${application}`, data);
    }
  return storedRows;
}

async function writeRows(
  tx: Transaction<unknown>,
  { device, generation }: DayLocation,
  rows: readonly Omit<Row, 'device'>[],
): Promise<void> {
  for (const { chunk, application } of rows.filter(({ data }) => data.length === 0))
    await withUsageTables(tx)
      .deleteFrom('screentime_day')
      .where('device', '=', device)
      .where('generation', '=', generation)
      .where('chunk', '=', chunk)
      .where('application', '=', application)
      .execute();
  for (const batch of splitIntoChunks(
    rows.filter(({ data }) => data.length > 0),
    ROWS_PER_STATEMENT,
  ))
    await withUsageTables(tx)
      .insertInto('screentime_day')
      .values(batch.map((row) => ({ device, generation, ...row })))
      .onConflict((conflict) =>
        conflict
          .columns(['device', 'generation', 'chunk', 'application'])
          .doUpdateSet((eb) => ({ data: eb.ref('excluded.data') })),
      )
      .execute();
}
