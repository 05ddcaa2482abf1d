import type { Transaction } from 'kysely';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { calendarChanged } from '../../contract/events.ts';
import type { Author, Calendar, Change } from './calendar.ts';
import { dropEvents, removeEvents } from './store/binStore.ts';
import { bookStore, editStore } from './store/editStore.ts';
import {
  readAll,
  readBetween,
  readChildren,
  readEvent,
  readNamed,
  readRuled,
  readSources,
} from './store/eventStore.ts';
import { searchStore } from './store/placeEvents.ts';
import { createRoom, saveEvents, type Stores } from './store/saveEvents.ts';
import { tagStore } from './store/tagStore.ts';
import { changedSince } from './store/tombstoneStore.ts';

/** The calendar with the stores that its own handlers use. */
export interface LiveCalendar extends Calendar {
  readonly stores: Stores;
  /** Runs work in the caller's transaction or its own, and notifies the account's pages after the commit. */
  readonly change: <T>(
    account: number,
    outer: UnitOfWork | undefined,
    work: (tx: Transaction<unknown>) => Promise<T>,
  ) => Promise<T>;
}

export function createCalendar(context: ServerContext): LiveCalendar {
  const { database, realtime, now } = context;
  const { db } = database;
  const stores: Stores = {
    book: bookStore(database),
    tags: tagStore(database),
    edits: editStore(database),
    search: searchStore(database),
    room: createRoom(),
  };

  const change = async <T>(
    account: number,
    outer: UnitOfWork | undefined,
    work: (tx: Transaction<unknown>) => Promise<T>,
  ): Promise<T> => {
    const run = async ({ tx, afterCommit }: UnitOfWork): Promise<T> => {
      const result = await work(tx);
      const revision = await stores.book.revision(account, tx);
      afterCommit(() => realtime.send(`account:${account}`, calendarChanged, { revision }));
      return result;
    };
    return outer ? run(outer) : database.transaction(run);
  };
  const createWriteContext = (account: number, author: Author) => ({ account, author, now: now().epochMilliseconds });

  return {
    stores,
    change,
    runInOrder: createKeyedQueue(),
    read: async (account, id) => readEvent(db, account, id),
    byUid: async (account, uids) => readNamed(db, account, 'uid', uids),
    byResource: async (account, resources) => readNamed(db, account, 'resource', resources),
    childrenOf: async (account, parents) => readChildren(db, account, parents),
    all: (account, subscription) => readAll(db, account, subscription),
    between: async (account, from, until) => readBetween(db, account, [from, until]),
    ruled: async (account) => readRuled(db, account),
    sourceOf: async (account, events) => readSources(db, account, events),
    revision: async (account) => stores.book.revision(account),
    changedSince: async (account, revision) =>
      changedSince(db, account, { revision, now: await stores.book.revision(account) }),
    save: async (account, changes: readonly Change[], author, outer) =>
      changes.length === 0
        ? []
        : change(account, outer, async (tx) => saveEvents(tx, stores, changes, createWriteContext(account, author))),
    remove: async (account, which, author, outer) =>
      which.length === 0
        ? undefined
        : change(account, outer, async (tx) => removeEvents(tx, stores, which, createWriteContext(account, author))),
    drop: async (account, ids, outer) =>
      ids.length === 0 ? undefined : change(account, outer, async (tx) => dropEvents(tx, stores, account, ids)),
  };
}
