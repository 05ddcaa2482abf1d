import type { Kysely, Transaction } from 'kysely';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import type { Status } from '#tools/screentime/contract/limits.ts';
import { SLOTS_PER_DAY, SLOT_SECONDS, listIntegers, type Day } from '../../domain/days.ts';
import { STATUS_CODE_COUNT, toStatusCode, parseStatus, type SecondRange } from '../../domain/track.ts';
import { packEntries, readEntries, type Entry } from './packing.ts';
import { selectDevices, type UsageTables, withUsageTables } from './tables.ts';

/** UTC days per row. */
const CHUNK_DAYS = 32;
const CHUNK_SLOTS = CHUNK_DAYS * SLOTS_PER_DAY;
const ROWS_PER_STATEMENT = 500;

/** Returns the slot of a second. A slot has 15 minutes, counted from the epoch. */
export function getSlot(seconds: number): number {
  return Math.floor(seconds / SLOT_SECONDS);
}

/**
 * Slots of one application and status on one device: `seconds[n]` of slot `slots[n]`, in order. Empty slots are
 * missing.
 */
export interface SlotSeries {
  readonly device: number;
  readonly application: number;
  readonly status: Status;
  readonly slots: readonly number[];
  readonly seconds: readonly number[];
}

interface SlotQuery extends SecondRange {
  readonly device?: number | undefined;
  /** All if missing, including `ALL_APPLICATIONS`. */
  readonly applications?: readonly number[] | undefined;
  /** Only `on` if missing. */
  readonly statuses?: readonly Status[];
}

/** Application and status of a series. */
export interface SlotKey {
  readonly application: number;
  readonly status: Status;
}

type Row = UsageTables['screentime_u15'];

function toSeries(rows: readonly Row[], from: number, until: number): SlotSeries | undefined {
  const [first] = rows;
  const slots: number[] = [];
  const seconds: number[] = [];
  for (const { chunk, data } of rows)
    readEntries(data, chunk * CHUNK_SLOTS, 1, (slot, [value = 0]) => {
      if (slot < from || slot >= until) return;
      slots.push(slot);
      seconds.push(value);
    });
  if (!first || slots.length === 0) return undefined;
  return { device: first.device, application: first.application, status: parseStatus(first.status), slots, seconds };
}

function listUtcDays({ chunk, data }: Pick<Row, 'chunk' | 'data'>): readonly Day[] {
  const days: Day[] = [];
  readEntries(data, chunk * CHUNK_SLOTS, 1, (slot) => void days.push(Math.floor(slot / SLOTS_PER_DAY)));
  return days;
}

/** Creates the store of seconds per slot, from which days of any zone are summed. */
export function createSlotStore({ db }: Database) {
  return {
    /** Returns slots between two seconds since the epoch, which must be slot boundaries. */
    listBetween: async (
      account: number,
      { device, applications, statuses = ['on'], from, until }: SlotQuery,
      source: Kysely<unknown> = db,
    ): Promise<readonly SlotSeries[]> => {
      const [first, end] = [getSlot(from), getSlot(until - 1) + 1];
      const chunks = listIntegers(Math.floor(first / CHUNK_SLOTS), Math.floor((end - 1) / CHUNK_SLOTS));
      const rows: Row[] = [];
      for (const batch of splitIntoChunks(chunks, ROWS_PER_STATEMENT))
        rows.push(
          ...(await withUsageTables(source)
            .selectFrom('screentime_u15')
            .selectAll()
            .where('device', 'in', selectDevices(source, account))
            .$if(device !== undefined, (query) => query.where('device', '=', device ?? 0))
            .where('chunk', 'in', batch)
            .where('status', 'in', statuses.map(toStatusCode))
            .$if(applications !== undefined, (query) => query.where('application', 'in', applications ?? []))
            .execute()),
        );
      rows.sort((a, b) => a.chunk - b.chunk);
      const grouped = Map.groupBy(rows, (row) => `${row.device} ${row.application} ${row.status}`);
      return [...grouped.values()].flatMap((seriesRows) => toSeries(seriesRows, first, end) ?? []);
    },
    /** Returns the first and the last UTC day with this application and status on a device. */
    findFirstAndLastDay: async (
      source: Kysely<unknown>,
      device: number,
      { application, status }: SlotKey,
    ): Promise<{ readonly first: Day; readonly last: Day } | undefined> => {
      const selectEdge = (direction: 'asc' | 'desc') =>
        withUsageTables(source)
          .selectFrom('screentime_u15')
          .select(['chunk', 'data'])
          .where('device', '=', device)
          .where('application', '=', application)
          .where('status', '=', toStatusCode(status))
          .orderBy('chunk', direction)
          .limit(1)
          .executeTakeFirst();
      const [lowest, highest] = [await selectEdge('asc'), await selectEdge('desc')];
      if (!lowest || !highest) return undefined;
      return { first: listUtcDays(lowest)[0] ?? 0, last: listUtcDays(highest).at(-1) ?? 0 };
    },
    /** Replaces all slots of these UTC days on one device, for each given application and status. */
    save: async (
      tx: Transaction<unknown>,
      device: number,
      keys: readonly SlotKey[],
      {
        days,
        listEntries,
      }: { readonly days: readonly number[]; readonly listEntries: (key: SlotKey) => readonly Entry[] },
    ): Promise<void> => {
      const chunks = [...new Set(days.map((day) => Math.floor(day / CHUNK_DAYS)))];
      const savedDays = new Set(days);
      const storedRows = await readStoredRows(tx, device, { chunks, keys });
      const rows: Omit<Row, 'device'>[] = [];
      for (const key of keys) {
        const newEntries = Map.groupBy(listEntries(key), ([slot]) => Math.floor(slot / CHUNK_SLOTS));
        for (const chunk of chunks) {
          const entries: Entry[] = [...(newEntries.get(chunk) ?? [])];
          const storedData = storedRows.get(getRowKey({ ...key, chunk }));
          if (storedData)
            readEntries(storedData, chunk * CHUNK_SLOTS, 1, (slot, [seconds = 0]) => {
              if (!savedDays.has(Math.floor(slot / SLOTS_PER_DAY))) entries.push([slot, seconds]);
            });
          entries.sort(([a], [b]) => a - b);
          const data = packEntries(chunk * CHUNK_SLOTS, entries);
          if (storedData || data.length > 0)
            rows.push({ chunk, application: key.application, status: toStatusCode(key.status), data });
        }
      }
      await writeRows(tx, device, rows);
    },
    /** Removes everything of a device. */
    clear: async (tx: Transaction<unknown>, device: number): Promise<void> => {
      await withUsageTables(tx).deleteFrom('screentime_u15').where('device', '=', device).execute();
    },
  };
}

const getRowKey = ({ application, status, chunk }: SlotKey & { readonly chunk: number }): string =>
  `${chunk} ${application * STATUS_CODE_COUNT + toStatusCode(status)}`;

async function readStoredRows(
  tx: Transaction<unknown>,
  device: number,
  { chunks, keys }: { readonly chunks: readonly number[]; readonly keys: readonly SlotKey[] },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const storedRows = new Map<string, Uint8Array>();
  const applications = [...new Set(keys.map(({ application }) => application))];
  for (const batch of splitIntoChunks(applications, ROWS_PER_STATEMENT))
    for (const chunkBatch of splitIntoChunks(chunks, ROWS_PER_STATEMENT)) {
      const rows = await withUsageTables(tx)
        .selectFrom('screentime_u15')
        .select(['chunk', 'application', 'status', 'data'])
        .where('device', '=', device)
        .where('chunk', 'in', chunkBatch)
        .where('application', 'in', batch)
        .execute();
      for (const { chunk, application, status, data } of rows)
        storedRows.set(getRowKey({ chunk, application, status: parseStatus(status) }), data);
    }
  return storedRows;
}

async function writeRows(
  tx: Transaction<unknown>,
  device: number,
  rows: readonly Omit<Row, 'device'>[],
): Promise<void> {
  for (const { chunk, application, status } of rows.filter(({ data }) => data.length === 0))
    await withUsageTables(tx)
      .deleteFrom('screentime_u15')
      .where('device', '=', device)
      .where('chunk', '=', chunk)
      .where('application', '=', application)
      .where('status', '=', status)
      .execute();
  for (const batch of splitIntoChunks(
    rows.filter(({ data }) => data.length > 0),
    ROWS_PER_STATEMENT,
  ))
    await withUsageTables(tx)
      .insertInto('screentime_u15')
      .values(batch.map((row) => ({ device, ...row })))
      .onConflict((conflict) =>
        conflict
          .columns(['device', 'chunk', 'application', 'status'])
          .doUpdateSet((eb) => ({ data: eb.ref('excluded.data') })),
      )
      .execute();
}
