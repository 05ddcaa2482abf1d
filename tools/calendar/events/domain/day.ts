import {
  toCivilDate,
  toDay,
  findDay,
  getMonday,
  getMonthLength,
  parseIso,
  type CivilDate,
  type Day,
} from '#platform/contract/day.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';

/** Whether a text is a time of day: `HH:MM`, from 00:00 to 23:59. */
export function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
}

/** Converts `HH:MM` to minutes of the day. */
export function toMinutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Converts minutes of the day to `HH:MM`. */
export function formatTime(minutes: number): string {
  return `${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`;
}

/** Formats a day as the wire does: `23-11-2026`. */
export function toWire(day: Day): string {
  const { year, month, date } = toCivilDate(day);
  return `${padTwo(date)}-${padTwo(month)}-${String(year).padStart(4, '0')}`;
}

/** Parses `DD-MM-YYYY` (single digits accepted) or ISO. Returns undefined unless it is a day of the years 1 to 9999. */
export function parseDay(text: string): Day | undefined {
  const wire = /^(\d{1,2})-(\d{1,2})-(\d{4})$/.exec(text);
  return wire ? findDay({ year: Number(wire[3]), month: Number(wire[2]), date: Number(wire[1]) }) : parseIso(text);
}

/** Converts a day in either notation to `23-11-2026`. Returns other texts unchanged. */
export function toWireOrText(text: string): string {
  const day = parseDay(text);
  return day === undefined ? text : toWire(day);
}

/** Returns 1 for Monday to 7 for Sunday. */
export function getWeekday(day: Day): number {
  return day - getMonday(day) + 1;
}

/** Counts months since the year 0. Repeats and durations of months and years are computed with it. */
export function getMonthIndex({ year, month }: Pick<CivilDate, 'year' | 'month'>): number {
  return year * 12 + month - 1;
}
/** Returns day `date` of a month, or its last day if the month is shorter. */
export function getDayOfMonth(monthIndex: number, date: number): Day {
  const year = Math.floor(monthIndex / 12);
  const month = monthIndex - year * 12 + 1;
  return toDay({ year, month, date: Math.min(date, getMonthLength(year, month)) });
}

/** Returns the same date some months later, or the last day of that month. */
export function addMonths(day: Day, months: number): Day {
  const civil = toCivilDate(day);
  return getDayOfMonth(getMonthIndex(civil) + months, civil.date);
}

/** Returns the day of a local time. `localMs` is UTC plus the offset of the zone, in milliseconds. */
export function toLocalDay(localMs: number): Day {
  return Math.floor(localMs / DAY_MS);
}

/** Formats the time of day of a local time as `HH:MM`. */
export function formatLocalTime(localMs: number): string {
  return formatTime(Math.floor((localMs - toLocalDay(localMs) * DAY_MS) / MINUTE_MS));
}
