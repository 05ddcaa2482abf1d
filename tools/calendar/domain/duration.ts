import { civilOf, dayInMonth, LAST_DAY, monthIndexOf, monthLength } from './day.ts';
import type { Day } from './day.ts';
import type { Duration } from './event.ts';

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
