import { type Day, civilOf, dayInMonth, LAST_DAY, monthIndexOf, monthLength, minutesOf, timeOf } from './day.ts';

const MONTHS = { months: 1, years: 12 } as const;

const afterMonths = (day: Day, months: number): Day => {
  const { year, month, date } = civilOf(day);
  const there = monthIndexOf({ year, month }) + months;
  const last = monthLength(Math.floor(there / 12), (there % 12) + 1);
  // A clamped day is itself the last one that belongs to the duration: 31 January and a month end on 28 February, not on the 27th.
  return date > last ? dayInMonth(there, last) : dayInMonth(there, date) - 1;
};

const afterDays = (day: Day, { amount, unit }: Duration): Day => {
  if (unit === 'hours') return day + Math.max(0, Math.ceil(amount / 24) - 1);
  return day + amount * (unit === 'weeks' ? 7 : 1) - 1;
};

/** The last day that belongs to a duration beginning on `day`: never before it, and never past the calendar's last one. */
export function untilOf(day: Day, duration: Duration): Day {
  const { amount, unit } = duration;
  const until =
    unit === 'months' || unit === 'years' ? afterMonths(day, amount * MONTHS[unit]) : afterDays(day, duration);
  return Math.min(LAST_DAY, Math.max(day, until));
}

const DAY_MINUTES = 24 * 60;

type EventEnd = Omit<EventTimes, 'exceptions' | 'zone'>;

/** The minutes that a duration of hours takes from its time on; undefined of all others. */
const minutesFromTime = ({ pattern, time, endTime }: EventEnd): number | undefined =>
  pattern.kind === 'duration' && pattern.duration.unit === 'hours' && time !== undefined && endTime === undefined
    ? pattern.duration.amount * 60
    : undefined;

/** Days from the first to the last day of each time that an event takes place, by its own clock. */
export function endDaysOf(event: EventEnd): number {
  const { day, pattern, time, endDays = 0 } = event;
  if (pattern.kind !== 'duration') return endDays;
  const minutes = minutesFromTime(event);
  if (minutes === undefined || time === undefined) return untilOf(day, pattern.duration) - day;
  return Math.min(LAST_DAY - day, Math.max(0, Math.ceil((minutesOf(time) + minutes) / DAY_MINUTES) - 1));
}

/** Where it ends on its last day, '24:00' at the day's end; undefined where it has no end of its own. */
export function endTimeOf(event: EventEnd): string | undefined {
  const minutes = minutesFromTime(event);
  if (minutes === undefined || minutes === 0 || event.time === undefined) return event.endTime;
  return timeOf(Math.min(DAY_MINUTES, minutesOf(event.time) + minutes - endDaysOf(event) * DAY_MINUTES));
}

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

export function styleOf({ kind }: Pick<DayPattern, 'kind'>): Style {
  return kind === 'single' ? 'calendar' : kind === 'duration' ? 'duration' : 'repeat';
}
