import type { Transaction, Kysely } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';
import { toLocalDay } from '../../domain/day.ts';
import type { HistoryEntry } from '../../domain/editHistory.ts';
import { splitIntoBatches, type CalendarTables } from './tables.ts';

/** The account's revision now and at the start of the transaction. */
export interface RevisionRange {
  readonly last: number;
  readonly before: number;
}

/** Stores the revision of each account's calendar. */
export function createRevisionStore({ db: untypedDb }: Database) {
  const startRevisions = new WeakMap<Transaction<unknown>, number>();
  return {
    getRevision: async (account: number, db: Kysely<unknown> = untypedDb): Promise<number> => {
      const row = await db
        .$extendTables<CalendarTables>()
        .selectFrom('calendar_book')
        .select('revision')
        .where('account', '=', account)
        .executeTakeFirst();
      return row?.revision ?? 0;
    },
    /**
     * Raises the revision. Runs first in each transaction that changes the calendar: its row lock serializes them on
     * both databases, so that each sees the commits before it.
     */
    raise: async (tx: Transaction<unknown>, account: number, changes: number): Promise<RevisionRange> => {
      const { revision: last } = await tx
        .$extendTables<CalendarTables>()
        .insertInto('calendar_book')
        .values({ account, revision: changes })
        .onConflict((conflict) =>
          conflict.column('account').doUpdateSet((eb) => ({ revision: eb('calendar_book.revision', '+', changes) })),
        )
        .returning('revision')
        .executeTakeFirstOrThrow();
      const before = startRevisions.get(tx) ?? last - changes;
      startRevisions.set(tx, before);
      return { last, before };
    },
  };
}
export type RevisionStore = ReturnType<typeof createRevisionStore>;

/** Maximum number of history entries in an answer. */
const MAX_HISTORY_ENTRIES = 2000;

/** Stores the history: what was done to an event, when, and from which address. */
export function createEditStore({ db: untypedDb, dialect }: Database) {
  const db = untypedDb.$extendTables<CalendarTables>();
  return {
    add: async (
      tx: Transaction<unknown>,
      events: readonly number[],
      { type, at, address }: HistoryEntry,
    ): Promise<void> => {
      const rows = events.map((event) => ({ event, type, at, address, day: null }));
      for (const batch of splitIntoBatches(rows, 5))
        await tx.$extendTables<CalendarTables>().insertInto('calendar_edit').values(batch).execute();
    },
    /** Inserts entries of earlier times. */
    addHistories: async (
      tx: Transaction<unknown>,
      entries: readonly (HistoryEntry & { readonly event: number })[],
    ): Promise<void> => {
      const rows = entries.map((entry) => ({ ...entry, day: entry.type === 'accessed' ? toLocalDay(entry.at) : null }));
      for (const batch of splitIntoBatches(rows, 5))
        await tx
          .$extendTables<CalendarTables>()
          .insertInto('calendar_edit')
          .values(batch)
          .onConflict((conflict) => conflict.columns(['event', 'address', 'day']).doNothing())
          .execute();
    },
    /** Stores one access for each event, address and day (UTC). */
    recordAccess: async (
      account: number,
      event: number,
      { at, address }: Omit<HistoryEntry, 'type'>,
    ): Promise<void> => {
      const day = toLocalDay(at);
      const existing = await db
        .selectFrom('calendar_edit')
        .select('id')
        .where('event', '=', event)
        .where('address', '=', address)
        .where('day', '=', day)
        .executeTakeFirst();
      if (existing) return;
      // Selected from the event's row, so that an event that is being removed gets no entry. PostgreSQL waits for its
      // removal.
      await db
        .insertInto('calendar_edit')
        .columns(['event', 'type', 'at', 'address', 'day'])
        .expression((subquery) =>
          subquery
            .selectFrom('calendar_event')
            .select((eb) => [
              'id',
              eb.val('accessed').as('type'),
              eb.cast<number>(eb.val(at), 'bigint').as('at'),
              eb.val(address).as('address'),
              eb.cast<number>(eb.val(day), 'integer').as('day'),
            ])
            .where('id', '=', event)
            .where('account', '=', account)
            .$if(dialect === 'postgres', (row) => row.forKeyShare()),
        )
        .onConflict((conflict) => conflict.columns(['event', 'address', 'day']).doNothing())
        .execute();
    },
    /** Lists the newest entries of an event, oldest first. */
    list: async (account: number, event: number): Promise<readonly HistoryEntry[]> => {
      const newest = await db
        .selectFrom('calendar_edit as edit')
        .innerJoin('calendar_event as event', 'event.id', 'edit.event')
        .select(['edit.type', 'edit.at', 'edit.address'])
        .where('event.account', '=', account)
        .where('edit.event', '=', event)
        .orderBy('edit.at', 'desc')
        .orderBy('edit.id', 'desc')
        .limit(MAX_HISTORY_ENTRIES)
        .execute();
      return newest.toReversed();
    },
    /** Lists complete histories by event. */
    listAll: async (
      account: number,
      events: readonly number[],
    ): Promise<ReadonlyMap<number, readonly HistoryEntry[]>> => {
      const historyByEvent = new Map<number, readonly HistoryEntry[]>();
      for (const batch of splitIntoBatches(events)) {
        const rows = await db
          .selectFrom('calendar_edit as edit')
          .innerJoin('calendar_event as event', 'event.id', 'edit.event')
          .select(['edit.event', 'edit.type', 'edit.at', 'edit.address'])
          .where('event.account', '=', account)
          .where('edit.event', 'in', batch)
          .orderBy('edit.at')
          .orderBy('edit.id')
          .execute();
        for (const [event, edits] of Map.groupBy(rows, (row) => row.event)) historyByEvent.set(event, edits);
      }
      return historyByEvent;
    },
  };
}
export type EditStore = ReturnType<typeof createEditStore>;
