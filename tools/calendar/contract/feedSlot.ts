import { defineSlot } from '#platform/contract/slot.ts';

/**
 * Something with a time of day that is in an account's calendar feed without being an event. Times are local,
 * `YYYY-MM-DDTHH:MM`.
 */
export interface CalendarFeedEntry {
  /** The same in every feed and unique on this server, such as `slot-12`. */
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly start: string;
  /** Later than `start`. */
  readonly end: string;
  /** Last change, in milliseconds since the epoch. */
  readonly changed: number;
  /** Planned but cancelled: calendar apps strike it through or hide it. */
  readonly isCancelled: boolean;
}

/** What a tool adds to an account's calendar feed. */
export interface CalendarFeed {
  /**
   * Changes whenever `listEntries` would return something else. Read at each request for the feed, so it must be cheap.
   */
  readonly revision: string;
  readonly listEntries: () => Promise<readonly CalendarFeedEntry[]>;
}

/** Functions of other tools that return what an account has in its feed, or undefined for nothing. */
export const calendarFeedSlot = defineSlot<(account: number) => Promise<CalendarFeed | undefined>>('calendar.feed');
