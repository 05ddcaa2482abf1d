import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { SLOTS_LIMIT } from '../../contract/limits.ts';
import { savedWeekStore } from './savedWeekStore.ts';
import { slotStore, type SlotStore } from './slotStore.ts';
import { withTimetableTables } from './tables.ts';

/** Settings of one account's timetable. */
export interface TimetableRevision {
  /** Changes with every change of the slots. */
  readonly revision: number;
  readonly isInFeed: boolean;
}

export function bookStore({ db }: Database) {
  return {
    getBook: async (account: number): Promise<TimetableRevision> => {
      const row = await withTimetableTables(db)
        .selectFrom('timetable_book')
        .select(['revision', 'in_feed'])
        .where('account', '=', account)
        .executeTakeFirst();
      return { revision: row?.revision ?? 0, isInFeed: row?.in_feed === 1 };
    },
    /**
     * Raises the revision. Must come first in every transaction that changes the timetable: it locks the account's row,
     * so that these transactions run one after another on both databases and see each other's results.
     */
    raise: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await withTimetableTables(tx)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed: 0 })
        .onConflict((already) =>
          already.column('account').doUpdateSet((is) => ({ revision: is('timetable_book.revision', '+', 1) })),
        )
        .execute();
    },
    setInFeed: async (account: number, on: boolean): Promise<void> => {
      const in_feed = toFlag(on);
      await withTimetableTables(db)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed })
        .onConflict((already) => already.column('account').doUpdateSet({ in_feed }))
        .execute();
    },
  };
}

/** Enforces the limit of slots per account without counting at every save. */
const createSlotLimit = (slots: SlotStore) => {
  /** Upper bound of the number of slots, by account. */
  const maxByAccount = new Map<number, number>();
  /** @throws Refusal if the account would exceed its limit. */
  return async (tx: Transaction<unknown>, account: number, more: number): Promise<void> => {
    if (more === 0) return;
    let upperBound = maxByAccount.get(account) ?? SLOTS_LIMIT;
    if (upperBound + more > SLOTS_LIMIT) upperBound = await slots.count(tx, account);
    if (upperBound + more > SLOTS_LIMIT)
      throw new Refusal(
        'timetable.too_many_slots',
        `Your timetable has the maximum of ${SLOTS_LIMIT.toLocaleString('en')} slots, including those deleted today. Delete old ones, and try again tomorrow`,
      );
    maxByAccount.set(account, upperBound + more);
  };
};

/** Creates all stores of the timetable. */
export function timetableStore(database: Database) {
  const slots = slotStore(database);
  return { slots, book: bookStore(database), savedWeeks: savedWeekStore(database), takeRoom: createSlotLimit(slots) };
}
export type TimetableStore = ReturnType<typeof timetableStore>;
