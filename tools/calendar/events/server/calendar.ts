import type { Transaction } from 'kysely';
import type { Day } from '#platform/contract/day.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { calendarChanged } from '../../contract/events.ts';
import type { HistoryEntry } from '../domain/editHistory.ts';
import type { CalendarEvent, EventDraft } from '../domain/event.ts';
import { purgeEvents, removeEvents } from './store/binStore.ts';
import { createRevisionStore, createEditStore } from './store/editStore.ts';
import {
  iterateEvents,
  readEventsBetween,
  readChildren,
  readEvent,
  readEventsByName,
  readEventsWithForeignRule,
  readSources,
} from './store/eventStore.ts';
import { createSearchIndex } from './store/placeEvents.ts';
import { createEventLimit, saveEvents, type Stores } from './store/saveEvents.ts';
import { createTagStore } from './store/tagStore.ts';
import { readChangesSince } from './store/tombstoneStore.ts';

/** The author of a change, for the history. */
export interface Author {
  readonly address: string;
  /** Type of the history entry (`edithistory`). Entries also have `accessed`, `moved`, `deleted` and `restored`. */
  readonly by: 'page' | 'import' | 'caldav' | 'subscription';
}

/** An event to create or change. Each event occurs at most once in a save. */
export interface Change {
  /** 0 creates an event. */
  readonly id: number;
  readonly draft: EventDraft;
  /** The revision that the sender has seen. @see Calendar.save */
  readonly seenRevision?: number | undefined;
  /** UID of a new event, if another calendar chose it. */
  readonly uid?: string;
  readonly resource?: string;
  /** Events of a subscription have it as their only tag: the tags of the draft are ignored. */
  readonly subscription?: number;
  readonly parent?: number;
  readonly replaces?: Day;
  /**
   * The object as another calendar sent it, stored unchanged so that nothing is lost. Undefined leaves the stored one.
   */
  readonly source?: string;
  /** What a new event of an account's export has instead of the current time and a new history. */
  readonly past?: EventPast;
}

/** When an event was created and last edited, in milliseconds since the epoch, and its history. */
export interface EventPast extends Pick<CalendarEvent, 'created' | 'edited'> {
  readonly history: readonly HistoryEntry[];
}

/** A tombstone of an event, for clients that synchronize. */
export interface DeletedEvent {
  readonly resource: string;
  readonly revision: number;
}

/** An event to remove, and the revision that the sender has seen. */
export type Removal = Pick<Change, 'id' | 'seenRevision'>;

/** What changed in own events after a revision. */
export interface EventChanges {
  readonly changed: readonly CalendarEvent[];
  readonly deleted: readonly DeletedEvent[];
}

/**
 * The events of accounts, without deleted ones. A change raises the account's revision by one and sends
 * `calendarchanged` to its pages.
 */
export interface Calendar {
  /** Serializes work of an account that looks up events by UID and then creates the missing ones. */
  readonly runInOrder: <T>(account: number, work: () => Promise<T>) => Promise<T>;
  readonly read: (account: number, id: number) => Promise<CalendarEvent | undefined>;
  /** Own events only, without subscriptions. The parent's UID does not return changed days of a repeat. */
  readonly listByUid: (account: number, uids: readonly string[]) => Promise<readonly CalendarEvent[]>;
  readonly listByResource: (account: number, resources: readonly string[]) => Promise<readonly CalendarEvent[]>;
  /** Changed days of repeats, by the ids of the repeats. */
  readonly listChildren: (account: number, parents: readonly number[]) => Promise<readonly CalendarEvent[]>;
  /**
   * All own events including changed days (`subscription` undefined), or those of a subscription, by id, in batches.
   */
  readonly iterate: (account: number, subscription?: number) => AsyncIterable<CalendarEvent>;
  /** Own events that happen on at least one day from `from` to `until`. */
  readonly listBetween: (account: number, from: Day, until: Day) => Promise<readonly CalendarEvent[]>;
  /** Own events with a foreign rule, which may have more occurrences than the days that were computed from it. */
  readonly listWithForeignRule: (account: number) => Promise<readonly CalendarEvent[]>;
  /** The last object that another calendar sent for an event, and the revision that it produced. */
  readonly loadSources: (
    account: number,
    events: readonly number[],
  ) => Promise<ReadonlyMap<number, { readonly text: string; readonly revision: number }>>;
  /**
   * Returns the number of changes of the account. Renaming or deleting a tag also counts for its events, and changing
   * one day also counts for its repeat.
   */
  readonly getRevision: (account: number) => Promise<number>;
  /**
   * Lists own events changed and resources removed after a revision. Undefined if the revision is unknown or too old.
   * Read the current revision first: changes in between are then reported twice, not never.
   */
  readonly listChangedSince: (account: number, revision: number) => Promise<EventChanges | undefined>;
  /**
   * Creates or changes events, all or none, in its own transaction or in that of `unitOfWork`. Returns them in order.
   * @throws Refusal if an event does not exist, its content changed after `seenRevision`, or a limit is broken
   * (see `normalizeDraft`)
   */
  readonly save: (
    account: number,
    changes: readonly Change[],
    author: Author,
    unitOfWork?: UnitOfWork,
  ) => Promise<readonly CalendarEvent[]>;
  /** Moves events and their changed days to the bin. @throws as `save` */
  readonly remove: (
    account: number,
    removals: readonly Removal[],
    author: Author,
    unitOfWork?: UnitOfWork,
  ) => Promise<void>;
  /** Removes events of a subscription permanently. They return with the subscription. */
  readonly purge: (account: number, ids: readonly number[], unitOfWork?: UnitOfWork) => Promise<void>;
}

/** The calendar with its stores, for its own handlers. */
export interface CalendarWithStores extends Calendar {
  readonly stores: Stores;
  /** Runs work in the caller's transaction or its own, and notifies the account's pages after the commit. */
  readonly change: <T>(
    account: number,
    unitOfWork: UnitOfWork | undefined,
    work: (tx: Transaction<unknown>) => Promise<T>,
  ) => Promise<T>;
}

export function createCalendar(context: ServerContext): CalendarWithStores {
  const { database, realtime, now } = context;
  const { db } = database;
  const stores: Stores = {
    revisions: createRevisionStore(database),
    tags: createTagStore(database),
    edits: createEditStore(database),
    search: createSearchIndex(),
    eventLimit: createEventLimit(),
  };

  async function change<T>(
    account: number,
    unitOfWork: UnitOfWork | undefined,
    work: (tx: Transaction<unknown>) => Promise<T>,
  ): Promise<T> {
    async function run({ tx, afterCommit }: UnitOfWork): Promise<T> {
      const result = await work(tx);
      const revision = await stores.revisions.getRevision(account, tx);
      afterCommit(() => realtime.send(`account:${account}`, calendarChanged, { revision }));
      return result;
    }
    return unitOfWork ? run(unitOfWork) : database.transaction(run);
  }
  const enqueue = createKeyedQueue();
  const createWriteContext = (account: number, author: Author) => ({ account, author, now: now().epochMilliseconds });

  return {
    stores,
    change,
    runInOrder: (account, work) => enqueue(account, () => database.coordination.runAlone(`calendar ${account}`, work)),
    read: async (account, id) => readEvent(db, account, id),
    listByUid: async (account, uids) => readEventsByName(db, account, 'uid', uids),
    listByResource: async (account, resources) => readEventsByName(db, account, 'resource', resources),
    listChildren: async (account, parents) => readChildren(db, account, parents),
    iterate: (account, subscription) => iterateEvents(db, account, subscription),
    listBetween: async (account, from, until) => readEventsBetween(db, account, [from, until]),
    listWithForeignRule: async (account) => readEventsWithForeignRule(db, account),
    loadSources: async (account, events) => readSources(db, account, events),
    getRevision: async (account) => stores.revisions.getRevision(account),
    listChangedSince: async (account, revision) =>
      readChangesSince(db, account, { revision, now: await stores.revisions.getRevision(account) }),
    save: async (account, changes: readonly Change[], author, unitOfWork) =>
      changes.length === 0
        ? []
        : change(account, unitOfWork, async (tx) =>
            saveEvents(tx, stores, changes, createWriteContext(account, author)),
          ),
    remove: async (account, removals, author, unitOfWork) =>
      removals.length === 0
        ? undefined
        : change(account, unitOfWork, async (tx) =>
            removeEvents(tx, stores, removals, createWriteContext(account, author)),
          ),
    purge: async (account, ids, unitOfWork) =>
      ids.length === 0 ? undefined : change(account, unitOfWork, async (tx) => purgeEvents(tx, stores, account, ids)),
  };
}
