/** Whether a text is a time of day: `HH:MM`, from 00:00 to 23:59. */
export function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
}

/** Converts `HH:MM` to minutes of the day. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Converts minutes of the day to `HH:MM`. */
export function timeOf(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** A day without a time zone: days since 1970-01-01, negative before. */
export type Day = number;

export const DAY_MS = 86_400_000;

interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly date: number;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

export function monthLength(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (LENGTHS[month - 1] ?? 31);
}

// Howard Hinnant's days_from_civil and its inverse: exact for every year, without the two-digit years of Date.UTC.
/** Returns the day of a date. The date must exist. */
export function dayOf({ year, month, date }: Civil): Day {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function civilOf(day: Day): Civil {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    date: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** The first and the last day that the calendar supports. */
export const FIRST_DAY: Day = dayOf({ year: 1, month: 1, date: 1 });
export const LAST_DAY: Day = dayOf({ year: 9999, month: 12, date: 31 });

const two = (value: number): string => String(value).padStart(2, '0');
const four = (value: number): string => String(value).padStart(4, '0');

/** Formats a day as ISO date: `2026-11-23`. */
export function toIso(day: Day): string {
  const { year, month, date } = civilOf(day);
  return `${four(year)}-${two(month)}-${two(date)}`;
}

/** Formats a day as the wire does: `23-11-2026`. */
export function toWire(day: Day): string {
  const { year, month, date } = civilOf(day);
  return `${two(date)}-${two(month)}-${four(year)}`;
}

const existing = (year: number, month: number, date: number): Day | undefined =>
  year >= 1 && month >= 1 && month <= 12 && date >= 1 && date <= monthLength(year, month)
    ? dayOf({ year, month, date })
    : undefined;

/** Parses `DD-MM-YYYY` (single digits accepted) or ISO. Returns undefined unless it is a day of the years 1 to 9999. */
export function parseDay(text: string): Day | undefined {
  const wire = /^(\d{1,2})-(\d{1,2})-(\d{4})$/.exec(text);
  if (wire) return existing(Number(wire[3]), Number(wire[2]), Number(wire[1]));
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return iso ? existing(Number(iso[1]), Number(iso[2]), Number(iso[3])) : undefined;
}

/** Converts a day in either notation to `23-11-2026`. Returns other texts unchanged. */
export function wireOf(text: string): string {
  const day = parseDay(text);
  return day === undefined ? text : toWire(day);
}

/** 1 is Monday, 7 Sunday. 1970-01-01 was a Thursday. */
export function weekdayOf(day: Day): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}
export function mondayOf(day: Day): Day {
  return day - weekdayOf(day) + 1;
}

/** Months since the year 0. Repeats and durations of months and years are computed with it. */
export function monthIndexOf({ year, month }: Pick<Civil, 'year' | 'month'>): number {
  return year * 12 + month - 1;
}
/** Returns day `date` of a month, or its last day if the month is shorter. */
export function dayInMonth(monthIndex: number, date: number): Day {
  const year = Math.floor(monthIndex / 12);
  const month = monthIndex - year * 12 + 1;
  return dayOf({ year, month, date: Math.min(date, monthLength(year, month)) });
}

/** ISO week number. */
export function weekOf(day: Day): number {
  const thursday = mondayOf(day) + 3;
  return Math.floor((thursday - dayOf({ year: civilOf(thursday).year, month: 1, date: 1 })) / 7) + 1;
}

/** Returns the day of a local time. `localMs` is UTC plus the offset of the zone, in milliseconds. */
export function dayOfLocalMs(localMs: number): Day {
  return Math.floor(localMs / DAY_MS);
}
