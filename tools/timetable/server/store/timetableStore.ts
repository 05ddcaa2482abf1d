import type { Transaction, Kysely } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Database } from '#platform/server/database/database.ts';
import { SLOTS_LIMIT } from '../../contract/limits.ts';
import { savedWeekStore } from './savedWeekStore.ts';
import { slotStore, type SlotStore } from './slotStore.ts';
import type { TimetableTables } from './tables.ts';

/** What a timetable as a whole knows. */
export interface Book {
  /** Another one after every change of its slots. */
  readonly revision: number;
  readonly isInFeed: boolean;
}

const inside = (source: Kysely<unknown>) => source.$extendTables<TimetableTables>();

export function bookStore({ db }: Database) {
  return {
    of: async (account: number): Promise<Book> => {
      const row = await inside(db)
        .selectFrom('timetable_book')
        .select(['revision', 'in_feed'])
        .where('account', '=', account)
        .executeTakeFirst();
      return { revision: row?.revision ?? 0, isInFeed: row?.in_feed === 1 };
    },
    /**
     * Counts a change. Stands first in every transaction that changes the timetable: it has the account's row, so that those of one account
     * run one after another on both databases, and each sees what the ones before it have kept.
     */
    raise: async (tx: Transaction<unknown>, account: number): Promise<void> => {
      await inside(tx)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed: 0 })
        .onConflict((already) =>
          already.column('account').doUpdateSet((is) => ({ revision: is('timetable_book.revision', '+', 1) })),
        )
        .execute();
    },
    setInFeed: async (account: number, on: boolean): Promise<void> => {
      const in_feed = on ? 1 : 0;
      await inside(db)
        .insertInto('timetable_book')
        .values({ account, revision: 1, in_feed })
        .onConflict((already) => already.column('account').doUpdateSet({ in_feed }))
        .execute();
    },
  };
}

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
export function timetableStore(database: Database) {
  const slots = slotStore(database);
  return { slots, book: bookStore(database), savedWeeks: savedWeekStore(database), takeRoom: createRoom(slots) };
}
export type TimetableStore = ReturnType<typeof timetableStore>;
