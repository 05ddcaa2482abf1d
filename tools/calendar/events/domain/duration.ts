import { civilOf, dayInMonth, LAST_DAY, monthIndexOf, monthLength } from './day.ts';
import type { Day } from './day.ts';
import type { Duration, EventTimes } from './event.ts';
import { minutesOf, timeOf } from './time.ts';

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
export const untilOf = (day: Day, duration: Duration): Day => {
  const { amount, unit } = duration;
  const until =
    unit === 'months' || unit === 'years' ? afterMonths(day, amount * MONTHS[unit]) : afterDays(day, duration);
  return Math.min(LAST_DAY, Math.max(day, until));
};

const DAY_MINUTES = 24 * 60;

type EventEnd = Omit<EventTimes, 'exceptions' | 'zone'>;

/** The minutes that a duration of hours takes from its time on; undefined of all others. */
const minutesFromTime = ({ pattern, time, endTime }: EventEnd): number | undefined =>
  pattern.kind === 'duration' && pattern.duration.unit === 'hours' && time !== undefined && endTime === undefined
    ? pattern.duration.amount * 60
    : undefined;

/** Days from the first to the last day of each time that an event takes place, by its own clock. */
export const endDaysOf = (event: EventEnd): number => {
  const { day, pattern, time, endDays = 0 } = event;
  if (pattern.kind !== 'duration') return endDays;
  const minutes = minutesFromTime(event);
  if (minutes === undefined || time === undefined) return untilOf(day, pattern.duration) - day;
  return Math.min(LAST_DAY - day, Math.max(0, Math.ceil((minutesOf(time) + minutes) / DAY_MINUTES) - 1));
};

/** Where it ends on its last day, '24:00' at the day's end; undefined where it has no end of its own. */
export const endTimeOf = (event: EventEnd): string | undefined => {
  const minutes = minutesFromTime(event);
  if (minutes === undefined || minutes === 0 || event.time === undefined) return event.endTime;
  return timeOf(Math.min(DAY_MINUTES, minutesOf(event.time) + minutes - endDaysOf(event) * DAY_MINUTES));
};
