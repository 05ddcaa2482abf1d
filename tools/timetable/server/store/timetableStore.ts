import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';
import { SLOTS_LIMIT } from '../../contract/limits.ts';
import { bookStore } from './book.ts';
import { savedWeekStore } from './savedWeekStore.ts';
import { slotStore, type SlotStore } from './slotStore.ts';

/** Keeps accounts below their limit of slots without counting them at every save. */
const createRoom = (slots: SlotStore) => {
  /** By account: never fewer than it has. */
  const most = new Map<number, number>();
  /** @throws Refusal where the account has no room for so many more. */
  return async (tx: Transaction<unknown>, account: number, more: number): Promise<void> => {
    if (more === 0) return;
    let known = most.get(account) ?? SLOTS_LIMIT;
    if (known + more > SLOTS_LIMIT) known = await slots.count(tx, account);
    if (known + more > SLOTS_LIMIT)
      throw new Refusal(
        `A timetable has at most ${SLOTS_LIMIT.toLocaleString('en')} slots, those deleted today among them: delete old ones, and try again tomorrow`,
      );
    most.set(account, known + more);
  };
};

/** All that is kept of timetables. */
export const timetableStore = (database: Database) => {
  const slots = slotStore(database);
  return { slots, book: bookStore(database), savedWeeks: savedWeekStore(database), takeRoom: createRoom(slots) };
};
export type TimetableStore = ReturnType<typeof timetableStore>;
