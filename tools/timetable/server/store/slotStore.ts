import type { Kysely, Selectable, Transaction } from 'kysely';
import { parseIso, toIso, type Day } from '#platform/contract/day.ts';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { type Rgb, type Slot, isStatus } from '../../domain/slot.ts';
import { type TimetableTables, withTimetableTables } from './tables.ts';

export interface StoredSlot extends Slot {
  readonly id: number;
  readonly day: Day;
  /** Milliseconds since the epoch. */
  readonly changed: number;
}
/** A slot that may be deleted. */
export interface DeletableSlot extends StoredSlot {
  /** When it was deleted, in epoch milliseconds. */
  readonly gone: number | null;
}

/** A range of days, both included. */
export interface DayRange {
  readonly from: Day;
  readonly until: Day;
  /** Maximum number of slots, earliest first; unlimited if missing. */
  readonly limit?: number;
}

const SLOT_COLUMNS = [
  'id',
  'day',
  'start_minute',
  'end_minute',
  'name',
  'description',
  'colour',
  'status',
  'changed',
  'gone',
] as const;
type SlotRow = Pick<Selectable<TimetableTables['timetable_slot']>, (typeof SLOT_COLUMNS)[number]>;

/** Rows per statement; with ten values each, below the limits of both databases. */
const ROWS_PER_STATEMENT = 500;

const unpackColour = (rgb: number): Rgb => [(rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255];
const packColour = ([red, green, blue]: Rgb): number => (red << 16) | (green << 8) | blue;

const toSlot = ({
  id,
  day,
  start_minute: start,
  end_minute: end,
  colour,
  status,
  changed,
  ...row
}: SlotRow): StoredSlot => ({
  id,
  day: parseIso(day) ?? 0,
  start,
  end,
  name: row.name,
  description: row.description,
  colour: unpackColour(colour),
  status: isStatus(status) ? status : 'Not Started',
  changed,
});
const toRow = ({ start, end, name, description, colour, status }: Slot) => ({
  start_minute: start,
  end_minute: end,
  name,
  description,
  colour: packColour(colour),
  status,
});

/** A slot that is not stored yet. */
export type NewSlotRow = Omit<StoredSlot, 'id'>;

async function setDeletedAt(tx: Transaction<unknown>, account: number, ids: readonly number[], gone: number | null) {
  for (const chunk of splitIntoChunks(ids, ROWS_PER_STATEMENT))
    await withTimetableTables(tx)
      .updateTable('timetable_slot')
      .set({ gone })
      .where('account', '=', account)
      .where('id', 'in', chunk)
      .execute();
}

const selectByAccount = (account: number, source: Kysely<unknown>) =>
  withTimetableTables(source).selectFrom('timetable_slot').select(SLOT_COLUMNS).where('account', '=', account);

/** Creates the database access for slots. */
export function createSlotStore({ db }: Database) {
  return {
    /** Returns slots by day, then by time. */
    listBetween: async (
      account: number,
      { from, until, limit }: DayRange,
      source: Kysely<unknown> = db,
    ): Promise<readonly StoredSlot[]> => {
      const rows = await selectByAccount(account, source)
        .where('gone', 'is', null)
        .where('day', '>=', toIso(from))
        .where('day', '<=', toIso(until))
        .orderBy('day')
        .orderBy('start_minute')
        .orderBy('id')
        .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
        .execute();
      return rows.map(toSlot);
    },
    get: async (account: number, id: number): Promise<StoredSlot | undefined> => {
      const row = await selectByAccount(account, db).where('id', '=', id).where('gone', 'is', null).executeTakeFirst();
      return row && toSlot(row);
    },
    /** Returns those of these ids that belong to the account, including deleted ones. */
    listByIds: async (
      tx: Transaction<unknown>,
      account: number,
      ids: readonly number[],
    ): Promise<readonly DeletableSlot[]> => {
      const all: DeletableSlot[] = [];
      for (const chunk of splitIntoChunks(ids, ROWS_PER_STATEMENT)) {
        const rows = await selectByAccount(account, tx).where('id', 'in', chunk).execute();
        all.push(...rows.map((row) => ({ ...toSlot(row), gone: row.gone })));
      }
      return all;
    },
    /** @returns the id of the new slot. */
    insert: async (
      tx: Transaction<unknown>,
      account: number,
      { day, changed, ...slot }: NewSlotRow,
    ): Promise<number> => {
      const { id } = await withTimetableTables(tx)
        .insertInto('timetable_slot')
        .values({ account, day: toIso(day), ...toRow(slot), changed })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** @returns their ids, in any order. */
    insertAll: async (
      tx: Transaction<unknown>,
      account: number,
      slots: readonly NewSlotRow[],
    ): Promise<readonly number[]> => {
      const ids: number[] = [];
      for (const chunk of splitIntoChunks(slots, ROWS_PER_STATEMENT)) {
        const values = chunk.map(({ day, changed, ...slot }) => ({
          account,
          day: toIso(day),
          ...toRow(slot),
          changed,
        }));
        const rows = await withTimetableTables(tx)
          .insertInto('timetable_slot')
          .values(values)
          .returning('id')
          .execute();
        ids.push(...rows.map(({ id }) => id));
      }
      return ids;
    },
    update: async (
      tx: Transaction<unknown>,
      account: number,
      { id, day, changed, ...slot }: StoredSlot,
    ): Promise<void> => {
      await withTimetableTables(tx)
        .updateTable('timetable_slot')
        .set({ day: toIso(day), ...toRow(slot), changed })
        .where('account', '=', account)
        .where('id', '=', id)
        .execute();
    },
    /** `time` is in epoch milliseconds. */
    remove: async (tx: Transaction<unknown>, account: number, ids: readonly number[], time: number): Promise<void> =>
      setDeletedAt(tx, account, ids, time),
    restore: async (tx: Transaction<unknown>, account: number, ids: readonly number[]): Promise<void> =>
      setDeletedAt(tx, account, ids, null),
    /** Deletes slots for good that were removed before that time. */
    purge: async (before: number): Promise<void> => {
      await withTimetableTables(db).deleteFrom('timetable_slot').where('gone', '<', before).execute();
    },
    /** Counts all slots, including deleted ones. */
    count: async (tx: Kysely<unknown>, account: number): Promise<number> => {
      const { slots } = await withTimetableTables(tx)
        .selectFrom('timetable_slot')
        .select((eb) => eb.fn.countAll<number>().as('slots'))
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return slots;
    },
  };
}
export type SlotStore = ReturnType<typeof createSlotStore>;
