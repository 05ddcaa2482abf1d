import type { Day } from './day.ts';

export type Style = 'calendar' | 'repeat' | 'duration';
export type RepeatUnit = 'day' | 'week' | 'month' | 'year';
export type DurationUnit = 'hours' | 'days' | 'weeks' | 'months' | 'years';

/** From which day on a repeat counts. `today` is the day on which it was saved. */
export type RepeatFrom = { readonly type: 'forever' } | { readonly type: 'today' | 'date'; readonly day: Day };
/** `times` counts further times after the first one in bounds (after the event's own day where from is `forever`). `day` is included. */
export type RepeatUntil =
  | { readonly type: 'forever' }
  | { readonly type: 'times'; readonly times: number }
  | { readonly type: 'date'; readonly day: Day };

/** Every `every` `unit`s counted from the event's day, both ways, within its bounds (contract.md section 6). */
export interface Repeat {
  readonly every: number;
  readonly unit: RepeatUnit;
  readonly from: RepeatFrom;
  readonly until: RepeatUntil;
}

export interface Duration {
  readonly amount: number;
  readonly unit: DurationUnit;
}

/** On which days an event stands, told from its own day. */
export type DayPattern =
  | { readonly kind: 'single' }
  | { readonly kind: 'repeat'; readonly repeat: Repeat }
  /** A rule of another calendar that `Repeat` cannot say: its RRULE and RDATE lines, its meaning in words, and the days worked out from it. */
  | { readonly kind: 'foreign'; readonly rule: string; readonly words: string; readonly days: readonly Day[] }
  | { readonly kind: 'duration'; readonly duration: Duration };

/** What a person (or another calendar) says of an event. */
export interface EventDraft {
  readonly name: string;
  readonly description: string;
  readonly day: Day;
  /** `HH:MM` of the clock of `zone`; undefined is all day. */
  readonly time: string | undefined;
  /** `HH:MM` on the last day (`endDays`); only beside a `time`, and later than that. */
  readonly endTime: string | undefined;
  /** Days from the one on which it begins to the one on which it ends; none is 0. A duration says its days itself. */
  readonly endDays?: number | undefined;
  /** IANA name of the zone by whose clock the day, the times, the pattern and the exceptions are told; undefined is no zone. */
  readonly zone?: string | undefined;
  readonly pattern: DayPattern;
  /** Days on which a repeat is left out, in order. */
  readonly exceptions: readonly Day[];
  /** Names of the user's own tags, in order. */
  readonly tags: readonly string[];
  /** The main tag, one of `tags`. */
  readonly pinned: string | undefined;
}

/** When an event is. */
export type EventTimes = Pick<EventDraft, 'day' | 'pattern' | 'exceptions'> &
  Partial<Pick<EventDraft, 'time' | 'endTime' | 'endDays' | 'zone'>>;

/** An event as it is kept. */
export interface CalendarEvent extends EventDraft {
  readonly id: number;
  /** Unique in the account; the UID of iCalendar. */
  readonly uid: string;
  /** Its name below the collection of CalDAV, such as `3f2c….ics`. */
  readonly resource: string;
  /** The subscribed calendar that it comes from. */
  readonly subscription: number | undefined;
  /** The event of which it is one changed day (RECURRENCE-ID of another calendar), and that day. Both or none. */
  readonly parent: number | undefined;
  readonly replaces: Day | undefined;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly edited: number;
  /** The account's count of changes as of its last one: changes with every change of it, and grows. */
  readonly revision: number;
}

export const styleOf = ({ kind }: Pick<DayPattern, 'kind'>): Style =>
  kind === 'single' ? 'calendar' : kind === 'duration' ? 'duration' : 'repeat';
