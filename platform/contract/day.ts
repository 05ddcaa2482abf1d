import { padTwo } from './text.ts';

/** A date without a time zone: days since 1970-01-01, negative before. */
export type Day = number;

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly date: number;
}

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Returns the number of days of a month. */
export function getMonthLength(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 31);
}

// Howard Hinnant's days_from_civil and its inverse: exact for every year, without the two-digit years of Date.UTC.
const ERA_DAYS = 146_097;
const EPOCH_SHIFT_DAYS = 719_468;

/** Returns the day of a date. The date must exist. */
export function toDay({ year, month, date }: CivilDate): Day {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * ERA_DAYS + dayOfEra - EPOCH_SHIFT_DAYS;
}

/** Returns the date of a day. */
export function toCivilDate(day: Day): CivilDate {
  const era = Math.floor((day + EPOCH_SHIFT_DAYS) / ERA_DAYS);
  const dayOfEra = day + EPOCH_SHIFT_DAYS - era * ERA_DAYS;
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

/** The first and the last day that four-digit years can express. */
export const FIRST_DAY: Day = toDay({ year: 1, month: 1, date: 1 });
export const LAST_DAY: Day = toDay({ year: 9999, month: 12, date: 31 });

/** Returns the day of a date, or undefined if there is no such date in the years 1 to 9999. */
export function findDay({ year, month, date }: CivilDate): Day | undefined {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && date >= 1 && date <= getMonthLength(year, month)
    ? toDay({ year, month, date })
    : undefined;
}

/** Formats a day as `2026-11-23`. */
export function toIso(day: Day): string {
  const { year, month, date } = toCivilDate(day);
  return `${String(year).padStart(4, '0')}-${padTwo(month)}-${padTwo(date)}`;
}

/** Parses an ISO date. Returns undefined unless it is a day of the years 1 to 9999. */
export function parseIso(text: string): Day | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match ? findDay({ year: Number(match[1]), month: Number(match[2]), date: Number(match[3]) }) : undefined;
}

/** Returns the Monday of the week of a day. 1970-01-01 was a Thursday. */
export function getMonday(day: Day): Day {
  return day - ((((day + 3) % 7) + 7) % 7);
}

/** Returns the ISO week number: a week belongs to the year of its Thursday. */
export function getWeekNumber(day: Day): number {
  const thursday = getMonday(day) + 3;
  return Math.floor((thursday - toDay({ year: toCivilDate(thursday).year, month: 1, date: 1 })) / 7) + 1;
}

/** Monday first. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Returns the first three letters of a month's name. `month` is 1 to 12. */
export function getShortMonth(month: number): string {
  return MONTHS[month - 1]?.slice(0, 3) ?? '';
}
