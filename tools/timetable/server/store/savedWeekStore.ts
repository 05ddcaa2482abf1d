import type { Kysely, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import type { Slot } from '../../domain/slot.ts';
import { withTimetableTables } from './tables.ts';

/** A named copy of a week, as in the list. */
export interface SavedWeekSummary {
  readonly id: number;
  readonly name: string;
  readonly slots: number;
  /** Milliseconds since the epoch. */
  readonly saved: number;
}
/** A named copy of a week with its slots. */
export interface SavedWeek extends Omit<SavedWeekSummary, 'slots'> {
  /** Monday first. */
  readonly days: readonly (readonly Slot[])[];
}

/** Creates the database access for saved weeks. */
export function createSavedWeekStore({ db }: Database) {
  return {
    /** Returns the saved weeks, newest first. */
    list: async (account: number): Promise<readonly SavedWeekSummary[]> =>
      withTimetableTables(db)
        .selectFrom('timetable_week')
        .select(['id', 'name', 'slots', 'saved'])
        .where('account', '=', account)
        .orderBy('id', 'desc')
        .execute(),
    get: async (account: number, id: number, source: Kysely<unknown> = db): Promise<SavedWeek | undefined> => {
      const row = await withTimetableTables(source)
        .selectFrom('timetable_week')
        .select(['id', 'name', 'days', 'saved'])
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      // Only `insert` writes this JSON.
      return row && { ...row, days: JSON.parse(row.days) as SavedWeek['days'] };
    },
    count: async (tx: Kysely<unknown>, account: number): Promise<number> => {
      const { weeks } = await withTimetableTables(tx)
        .selectFrom('timetable_week')
        .select((eb) => eb.fn.countAll<number>().as('weeks'))
        .where('account', '=', account)
        .executeTakeFirstOrThrow();
      return weeks;
    },
    /** @returns the id of the new saved week. */
    insert: async (
      tx: Transaction<unknown>,
      account: number,
      { name, days, saved }: Omit<SavedWeek, 'id'>,
    ): Promise<number> => {
      const { id } = await withTimetableTables(tx)
        .insertInto('timetable_week')
        .values({ account, name, slots: days.flat().length, days: JSON.stringify(days), saved })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** @returns whether it existed. */
    remove: async (account: number, id: number): Promise<boolean> => {
      const { numDeletedRows } = await withTimetableTables(db)
        .deleteFrom('timetable_week')
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
