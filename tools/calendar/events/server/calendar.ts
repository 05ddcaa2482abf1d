import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { Day } from '../domain/day.ts';
import type { CalendarEvent, EventDraft } from '../domain/event.ts';

/** Who changes, for the history. */
export interface Author {
  readonly address: string;
  /** Types of the history (`edithistory`) beside `accessed`, `moved`, `deleted` and `restored`. */
  readonly by: 'page' | 'import' | 'caldav' | 'subscription';
}

/** One event to be made or changed. No event stands twice among the changes of one save. */
export interface Change {
  /** 0 makes one. */
  readonly id: number;
  readonly draft: EventDraft;
  /** The revision that the sender had seen. @see Calendar.save */
  readonly seen?: number | undefined;
  /** For a new one, where another calendar named it. */
  readonly uid?: string;
  readonly resource?: string;
  /** Of a subscription's events the subscription is the tag: those of the draft are left out. */
  readonly subscription?: number;
  readonly parent?: number;
  readonly replaces?: Day;
  /** The object as another calendar sent it, kept word for word so that nothing of it is lost; undefined leaves what there is. */
  readonly source?: string;
}

/** What is left of an event that is gone, for those who keep a copy. */
export interface DeletedEvent {
  readonly resource: string;
  readonly revision: number;
}

/**
 * The account's events. Every query carries the account; deleted events are not seen. Changes tell all pages of the account
 * (`calendarchanged`) and count the account's revision up by one each.
 *
 * What becomes of a tag (another name, deleted, brought back) raises the revision of the events that carry it, for it is seen on them; its
 * colour does not. What becomes of a changed day raises the revision of its repeat, unless the same transaction saved that one.
 */
export interface Calendar {
  /** Lets work of an account be done one after another that looks for events by their uid and then makes those that are not there. */
  readonly inTurn: <T>(account: number, work: () => Promise<T>) => Promise<T>;
  readonly read: (account: number, id: number) => Promise<CalendarEvent | undefined>;
  /** Own events only, not those of subscriptions; a changed day of a repeat is not found by its parent's uid. */
  readonly byUid: (account: number, uids: readonly string[]) => Promise<readonly CalendarEvent[]>;
  readonly byResource: (account: number, resources: readonly string[]) => Promise<readonly CalendarEvent[]>;
  /** Changed days of repeats, by the events that they belong to. */
  readonly childrenOf: (account: number, parents: readonly number[]) => Promise<readonly CalendarEvent[]>;
  /** All own events, changed days among them (`subscription` undefined), or all of one subscription, by id, read some at a time. */
  readonly all: (account: number, subscription?: number) => AsyncIterable<CalendarEvent>;
  /** Own events that stand on at least one day from `from` to `until`. */
  readonly between: (account: number, from: Day, until: Day) => Promise<readonly CalendarEvent[]>;
  /** Own events with a rule of another calendar: it may say more times than the days that were worked out of it. */
  readonly ruled: (account: number) => Promise<readonly CalendarEvent[]>;
  /** The object of another calendar that an event was last given by, and the revision that it made. */
  readonly sourceOf: (
    account: number,
    events: readonly number[],
  ) => Promise<ReadonlyMap<number, { readonly text: string; readonly revision: number }>>;
  /** The account's count of changes. */
  readonly revision: (account: number) => Promise<number>;
  /**
   * Own events changed, and resources gone, behind a revision; changed days stand for their repeats. Undefined where that revision lies further
   * back than is remembered, or was never reached. Ask for `revision` first: what comes between is then told twice, not never.
   */
  readonly changedSince: (
    account: number,
    revision: number,
  ) => Promise<{ readonly changed: readonly CalendarEvent[]; readonly gone: readonly DeletedEvent[] } | undefined>;
  /**
   * Makes or changes events, all or none, in one transaction of its own or in that of `work`. Gives them as they are now, in order.
   * @throws Refusal 'There is no such event', `CHANGED_ELSEWHERE` where it was changed after `seen` (other than in its tags' names), and
   * for what breaks a limit (`checkedDraft` tells beforehand).
   */
  readonly save: (
    account: number,
    changes: readonly Change[],
    author: Author,
    work?: UnitOfWork,
  ) => Promise<readonly CalendarEvent[]>;
  /** Into the bin, with their changed days. @throws as `save`. */
  readonly remove: (
    account: number,
    which: readonly { readonly id: number; readonly seen?: number | undefined }[],
    author: Author,
    work?: UnitOfWork,
  ) => Promise<void>;
  /** Removes events of a subscription for good: they come again with it. */
  readonly drop: (account: number, ids: readonly number[], work?: UnitOfWork) => Promise<void>;
}
