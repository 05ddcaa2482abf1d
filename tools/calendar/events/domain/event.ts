import { type Day, toCivilDate, LAST_DAY, getMonthLength } from '#platform/contract/day.ts';
import { DAY_MINUTES } from '#platform/contract/duration.ts';
import { getDayOfMonth, getMonthIndex, toMinutes, formatTime } from './day.ts';

const MONTHS_PER_UNIT = { months: 1, years: 12 } as const;

function getEndAfterMonths(day: Day, months: number): Day {
  const { year, month, date } = toCivilDate(day);
  const monthIndex = getMonthIndex({ year, month }) + months;
  const lastDate = getMonthLength(Math.floor(monthIndex / 12), (monthIndex % 12) + 1);
  // A clamped day is the last day of the duration: a month from 31 January ends on 28 February, not on the 27th.
  return date > lastDate ? getDayOfMonth(monthIndex, lastDate) : getDayOfMonth(monthIndex, date) - 1;
}

function getEndAfterDays(day: Day, { amount, unit }: Duration): Day {
  if (unit === 'hours') return day + Math.max(0, Math.ceil(amount / 24) - 1);
  return day + amount * (unit === 'weeks' ? 7 : 1) - 1;
}

/**
 * Returns the last day of a duration that starts on `day`. Never before `day` and never after the last supported day.
 */
export function getDurationEnd(day: Day, duration: Duration): Day {
  const { amount, unit } = duration;
  const until =
    unit === 'months' || unit === 'years'
      ? getEndAfterMonths(day, amount * MONTHS_PER_UNIT[unit])
      : getEndAfterDays(day, duration);
  return Math.min(LAST_DAY, Math.max(day, until));
}

type EventEnd = Omit<EventTimes, 'exceptions' | 'zone'>;

/** Returns the minutes of a duration in hours that starts at a time. Undefined for other events. */
const findLengthMinutes = ({ pattern, time, endTime }: EventEnd): number | undefined =>
  pattern.kind === 'duration' && pattern.duration.unit === 'hours' && time !== undefined && endTime === undefined
    ? pattern.duration.amount * 60
    : undefined;

/** Counts the days from the first to the last day of one occurrence, in the event's own zone. */
export function countEndDays(event: EventEnd): number {
  const { day, pattern, time, endDays = 0 } = event;
  if (pattern.kind !== 'duration') return endDays;
  const minutes = findLengthMinutes(event);
  if (minutes === undefined || time === undefined) return getDurationEnd(day, pattern.duration) - day;
  return Math.min(LAST_DAY - day, Math.max(0, Math.ceil((toMinutes(time) + minutes) / DAY_MINUTES) - 1));
}

/** Returns the end time on the last day, '24:00' at the end of the day. Undefined if the event has no end. */
export function findEndTime(event: EventEnd): string | undefined {
  const minutes = findLengthMinutes(event);
  if (minutes === undefined || minutes === 0 || event.time === undefined) return event.endTime;
  return formatTime(Math.min(DAY_MINUTES, toMinutes(event.time) + minutes - countEndDays(event) * DAY_MINUTES));
}

export type Style = 'calendar' | 'repeat' | 'duration';
export type RepeatUnit = 'day' | 'week' | 'month' | 'year';
export type DurationUnit = 'hours' | 'days' | 'weeks' | 'months' | 'years';

/** The day from which a repeat counts. For `today` it is the day on which the event was saved. */
export type RepeatFrom = { readonly type: 'forever' } | { readonly type: 'today' | 'date'; readonly day: Day };
/**
 * `times` counts further times after the first one (after the event's own day if from is `forever`). `day` is included.
 */
export type RepeatUntil =
  | { readonly type: 'forever' }
  | { readonly type: 'times'; readonly times: number }
  | { readonly type: 'date'; readonly day: Day };

/**
 * Every `every` units, counted from the event's day in both directions, within its bounds
 * (docs/specification/calendar.md section 4.2).
 */
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

/** Rule for the days on which an event happens, relative to its own day. */
export type DayPattern =
  | { readonly kind: 'single' }
  | { readonly kind: 'repeat'; readonly repeat: Repeat }
  /** A foreign rule that `Repeat` can't express: RRULE and RDATE lines, the rule in words, and its computed days. */
  | { readonly kind: 'foreign'; readonly rule: string; readonly words: string; readonly days: readonly Day[] }
  | { readonly kind: 'duration'; readonly duration: Duration };

/** The part of an event that users and other calendars can edit. */
export interface EventDraft {
  readonly name: string;
  readonly description: string;
  readonly day: Day;
  /** `HH:MM` in `zone`; undefined is all day. */
  readonly time: string | undefined;
  /** `HH:MM` on the last day (`endDays`). Only together with `time`, and later than it. */
  readonly endTime: string | undefined;
  /** Days between start and end; defaults to 0. Not used by durations, whose pattern has the length. */
  readonly endDays?: number | undefined;
  /** IANA name of the zone of the day, times, pattern and exceptions. Undefined is no zone. */
  readonly zone?: string | undefined;
  readonly pattern: DayPattern;
  /** Days on which a repeat does not happen, in order. */
  readonly exceptions: readonly Day[];
  /** Names of the user's own tags, in order. */
  readonly tags: readonly string[];
  /** The main tag, one of `tags`. */
  readonly pinned: string | undefined;
}

export type EventTimes = Pick<EventDraft, 'day' | 'pattern' | 'exceptions'> &
  Partial<Pick<EventDraft, 'time' | 'endTime' | 'endDays' | 'zone'>>;

/** A stored event. */
export interface CalendarEvent extends EventDraft {
  readonly id: number;
  /** Unique in the account; the UID of iCalendar. */
  readonly uid: string;
  /** Name in the CalDAV collection, such as `3f2c….ics`. */
  readonly resource: string;
  /** The subscribed calendar that it comes from. */
  readonly subscription: number | undefined;
  /** The repeat that this event is a changed day of (RECURRENCE-ID of iCalendar), and that day. Both or none. */
  readonly parent: number | undefined;
  readonly replaces: Day | undefined;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly edited: number;
  /** The account's revision after the last change of this event. It rises with every change. */
  readonly revision: number;
}

export function getStyle({ kind }: Pick<DayPattern, 'kind'>): Style {
  return kind === 'single' ? 'calendar' : kind === 'duration' ? 'duration' : 'repeat';
}
