/** A calendar day without time zone: days since 1970-01-01, negative before. */
export type Day = number;

const WEEK = 7;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const monthLength = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (LENGTHS[month - 1] ?? 31);

/** Days from 1970 to the start of a year: 365 per year, plus one per past leap year. */
const yearStart = (year: number): Day => {
  const past = year - 1;
  return (year - 1970) * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - 477;
};

interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly date: number;
}

const toDay = ({ year, month, date }: Civil): Day =>
  LENGTHS.slice(0, month - 1).reduce((day, _, index) => day + monthLength(year, index + 1), yearStart(year)) + date - 1;

const toCivil = (day: Day): Civil => {
  // Estimated with the mean length of a year; at most one year off.
  const estimate = 1970 + Math.floor(day / 365.2425);
  const year = [estimate + 1, estimate].find((candidate) => yearStart(candidate) <= day) ?? estimate - 1;
  let month = 1;
  let date = day - yearStart(year) + 1;
  for (; date > monthLength(year, month); month += 1) date -= monthLength(year, month);
  return { year, month, date };
};

const two = (value: number): string => String(value).padStart(2, '0');

export const FIRST_DAY: Day = toDay({ year: 1, month: 1, date: 1 });
export const LAST_DAY: Day = toDay({ year: 9999, month: 12, date: 31 });

/** Formats a day as `2026-11-23`, for years 1 to 9999. */
export function toIso(day: Day): string {
  const { year, month, date } = toCivil(day);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(date)}`;
}

/** Parses an ISO date; undefined if it is not a day of the years 1 to 9999. */
export function parseIso(text: string): Day | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const [year, month, date] = [Number(match?.[1]), Number(match?.[2]), Number(match?.[3])];
  const exists = match && year >= 1 && month >= 1 && month <= 12 && date >= 1 && date <= monthLength(year, month);
  return exists ? toDay({ year, month, date }) : undefined;
}

// 1970-01-01 was a Thursday.
const sinceMonday = (day: Day): number => (((day + 3) % WEEK) + WEEK) % WEEK;

export function getMonday(day: Day): Day {
  return day - sinceMonday(day);
}
/** Returns the days of a week, Monday first. */
export function listDays(monday: Day): readonly Day[] {
  return Array.from({ length: WEEK }, (_, index) => monday + index);
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

export function getWeekday(day: Day): (typeof WEEKDAYS)[number] {
  return WEEKDAYS[sinceMonday(day)] ?? WEEKDAYS[0];
}
/** Formats a day as `16/11`, for column headers. */
export function formatShortDate(day: Day): string {
  const { month, date } = toCivil(day);
  return `${two(date)}/${two(month)}`;
}

/** Returns the ISO week number: a week belongs to the year of its Thursday. */
const getWeekNumber = (day: Day): number => {
  const thursday = getMonday(day) + 3;
  return Math.floor((thursday - yearStart(toCivil(thursday).year)) / WEEK) + 1;
};

/** `Week 47`. */
export function formatWeekLabel(day: Day): string {
  return `Week ${getWeekNumber(day)}`;
}

/** `16 to 22 Nov`, `30 Nov to 6 Dec`, `28 Dec 2026 to 3 Jan 2027`. */
export function formatWeekRange(day: Day): string {
  const [first, last] = [toCivil(getMonday(day)), toCivil(getMonday(day) + WEEK - 1)];
  const until = `${last.date} ${MONTHS[last.month - 1]}`;
  if (first.month === last.month) return `${first.date} to ${until}`;
  const from = `${first.date} ${MONTHS[first.month - 1]}`;
  return first.year === last.year ? `${from} to ${until}` : `${from} ${first.year} to ${until} ${last.year}`;
}

/**
 * Returns the Mondays of `count` weeks, starting with the week of a day;
 * only weeks that are completely in the calendar.
 */
export function weeksFrom(day: Day, count: number): readonly Day[] {
  return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, index) => getMonday(day) + index * WEEK).filter(
    (monday) => monday >= FIRST_DAY && monday + WEEK - 1 <= LAST_DAY,
  );
}

/** Returns the Mondays of the weeks to show: some before the current one, the current one, and some after it. */
export function weeksAround(
  today: Day,
  { before, after }: { readonly before: number; readonly after: number },
): readonly Day[] {
  return weeksFrom(today - before * WEEK, before + 1 + after);
}
