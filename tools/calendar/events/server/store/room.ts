import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { EVENTS_LIMIT } from '#tools/calendar/contract/events.ts';
import type { CalendarTables } from './tables.ts';

const count = async (tx: Transaction<unknown>, account: number): Promise<number> => {
  const { events } = await tx
    .$extendTables<CalendarTables>()
    .selectFrom('calendar_event')
    .select((is) => is.fn.countAll<number>().as('events'))
    .where('account', '=', account)
    .executeTakeFirstOrThrow();
  return events;
};

/** Keeps accounts below their limit of events without counting them at every save. */
export const createRoom = () => {
  /** By account: never fewer than it has. */
  const most = new Map<number, number>();

  return {
    /** @throws Refusal where the account has no room for so many more. */
    take: async (tx: Transaction<unknown>, account: number, more: number): Promise<void> => {
      if (more === 0) return;
      let known = most.get(account) ?? EVENTS_LIMIT;
      if (known + more > EVENTS_LIMIT) known = await count(tx, account);
      if (known + more > EVENTS_LIMIT)
        throw new Refusal(
          `A calendar has at most ${EVENTS_LIMIT.toLocaleString('en')} events, those in the bin among them. Empty the bin, or delete some.`,
        );
      most.set(account, known + more);
    },
  };
};
export type Room = ReturnType<typeof createRoom>;
