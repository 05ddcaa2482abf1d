import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { MAX_SLOTS_PER_ACCOUNT } from '../../contract/limits.ts';
import { createSavedWeekStore } from './savedWeekStore.ts';
import { createSlotStore, type SlotStore } from './slotStore.ts';
import { withTimetableTables } from './tables.ts';

/** Revision and settings of one account's timetable. */
export interface TimetableSettings {
  /** Changes with every change of the slots. */
  readonly revision: number;
  readonly isInFeed: boolean;
}

export function createSettingsStore({ db }: Database) {
  return {
    get: async (account: number): Promise<TimetableSettings> => {
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
    raiseRevision: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await withTimetableTables(tx)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed: 0 })
        .onConflict((conflict) =>
          conflict.column('account').doUpdateSet((eb) => ({ revision: eb('timetable_book.revision', '+', 1) })),
        )
        .execute();
    },
    setInFeed: async (account: number, isInFeed: boolean): Promise<void> => {
      const in_feed = toFlag(isInFeed);
      await withTimetableTables(db)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed })
        .onConflict((conflict) => conflict.column('account').doUpdateSet({ in_feed }))
        .execute();
    },
  };
}

/** Enforces the limit of slots per account without counting at every save. */
function createSlotLimit(slots: SlotStore) {
  /** Upper bound of the number of slots, by account. */
  const maxByAccount = new Map<number, number>();
  /** @throws Refusal if the account would exceed its limit. */
  return async (tx: Transaction<unknown>, account: number, addedCount: number): Promise<void> => {
    if (addedCount === 0) return;
    let upperBound = maxByAccount.get(account) ?? MAX_SLOTS_PER_ACCOUNT;
    if (upperBound + addedCount > MAX_SLOTS_PER_ACCOUNT) upperBound = await slots.count(tx, account);
    if (upperBound + addedCount > MAX_SLOTS_PER_ACCOUNT)
      throw new Refusal(
        'timetable.too_many_slots',
        `Your timetable has the maximum of ${MAX_SLOTS_PER_ACCOUNT.toLocaleString('en')} slots, including those deleted today. Delete old ones, and try again tomorrow`,
      );
    maxByAccount.set(account, upperBound + addedCount);
  };
}

export function createTimetableStore(database: Database) {
  const slots = createSlotStore(database);
  return {
    slots,
    settings: createSettingsStore(database),
    savedWeeks: createSavedWeekStore(database),
    reserveSlots: createSlotLimit(slots),
  };
}
export type TimetableStore = ReturnType<typeof createTimetableStore>;
