/** A day of the calendar in no time zone: days since 1970-01-01, negative before. */
export type Day = number;

const WEEK = 7;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const monthLength = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (LENGTHS[month - 1] ?? 31);

/** Days from 1970 until the first day of a year: each year has 365, and every leap year that is over one more. */
const newYearOf = (year: number): Day => {
  const over = year - 1;
  return (year - 1970) * 365 + Math.floor(over / 4) - Math.floor(over / 100) + Math.floor(over / 400) - 477;
};

interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly date: number;
}

const dayOf = ({ year, month, date }: Civil): Day =>
  LENGTHS.slice(0, month - 1).reduce((day, _, index) => day + monthLength(year, index + 1), newYearOf(year)) + date - 1;

const civilOf = (day: Day): Civil => {
  // By the mean length of a year: at most one year off.
  const about = 1970 + Math.floor(day / 365.2425);
  const year = [about + 1, about].find((candidate) => newYearOf(candidate) <= day) ?? about - 1;
  let month = 1;
  let date = day - newYearOf(year) + 1;
  for (; date > monthLength(year, month); month += 1) date -= monthLength(year, month);
  return { year, month, date };
};

const two = (value: number): string => String(value).padStart(2, '0');

export const FIRST_DAY: Day = dayOf({ year: 1, month: 1, date: 1 });
export const LAST_DAY: Day = dayOf({ year: 9999, month: 12, date: 31 });

/** `2026-11-23`. For days of the years 1 to 9999. */
export function toIso(day: Day): string {
  const { year, month, date } = civilOf(day);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(date)}`;
}

/** Undefined where it is no ISO date of a day between the years 1 and 9999. */
export function parseIso(text: string): Day | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const [year, month, date] = [Number(found?.[1]), Number(found?.[2]), Number(found?.[3])];
  const exists = found && year >= 1 && month >= 1 && month <= 12 && date >= 1 && date <= monthLength(year, month);
  return exists ? dayOf({ year, month, date }) : undefined;
}

// 1970-01-01 was a Thursday.
const sinceMonday = (day: Day): number => (((day + 3) % WEEK) + WEEK) % WEEK;

export function mondayOf(day: Day): Day {
  return day - sinceMonday(day);
}
/** Monday first. */
export function daysOf(monday: Day): readonly Day[] {
  return Array.from({ length: WEEK }, (_, index) => monday + index);
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

export function weekdayOf(day: Day): (typeof WEEKDAYS)[number] {
  return WEEKDAYS[sinceMonday(day)] ?? WEEKDAYS[0];
}
/** `16/11`, as the heads of the columns have it. */
export function shortDateOf(day: Day): string {
  const { month, date } = civilOf(day);
  return `${two(date)}/${two(month)}`;
}

/** ISO week number: the week belongs to the year of its Thursday. */
const numberOf = (day: Day): number => {
  const thursday = mondayOf(day) + 3;
  return Math.floor((thursday - newYearOf(civilOf(thursday).year)) / WEEK) + 1;
};

/** `Week 47`. */
export function weekLabelOf(day: Day): string {
  return `Week ${numberOf(day)}`;
}

/** `16 to 22 Nov`, `30 Nov to 6 Dec`, `28 Dec 2026 to 3 Jan 2027`. */
export function weekRangeOf(day: Day): string {
  const [first, last] = [civilOf(mondayOf(day)), civilOf(mondayOf(day) + WEEK - 1)];
  const until = `${last.date} ${MONTHS[last.month - 1]}`;
  if (first.month === last.month) return `${first.date} to ${until}`;
  const from = `${first.date} ${MONTHS[first.month - 1]}`;
  return first.year === last.year ? `${from} to ${until}` : `${from} ${first.year} to ${until} ${last.year}`;
}

/** The Mondays of so many weeks, from the week of a day on; none that the calendar does not know whole. */
export function weeksFrom(day: Day, count: number): readonly Day[] {
  return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, index) => mondayOf(day) + index * WEEK).filter(
    (monday) => monday >= FIRST_DAY && monday + WEEK - 1 <= LAST_DAY,
  );
}

/** The Mondays of the weeks that are shown: so many before today's, today's and so many after it. */
export function weeksAround(
  today: Day,
  { before, after }: { readonly before: number; readonly after: number },
): readonly Day[] {
  return weeksFrom(today - before * WEEK, before + 1 + after);
}
