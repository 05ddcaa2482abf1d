import {
  toCivilDate,
  FIRST_DAY,
  LAST_DAY,
  getMonday,
  getShortMonth,
  WEEKDAYS,
  getWeekNumber,
  type Day,
} from '#platform/contract/day.ts';
import { padTwo } from '#platform/contract/text.ts';

const DAYS_PER_WEEK = 7;

/** Returns the days of a week, Monday first. */
export function listDays(monday: Day): readonly Day[] {
  return Array.from({ length: DAYS_PER_WEEK }, (_, index) => monday + index);
}

export function getWeekday(day: Day): (typeof WEEKDAYS)[number] {
  return WEEKDAYS[day - getMonday(day)] ?? WEEKDAYS[0];
}
/** Formats a day as `16/11`, for column headers. */
export function formatShortDate(day: Day): string {
  const { month, date } = toCivilDate(day);
  return `${padTwo(date)}/${padTwo(month)}`;
}

/** Formats `Week 47`. */
export function formatWeekLabel(day: Day): string {
  return `Week ${getWeekNumber(day)}`;
}

/** Formats `16 to 22 Nov`, `30 Nov to 6 Dec`, `28 Dec 2026 to 3 Jan 2027`. */
export function formatWeekRange(day: Day): string {
  const [first, last] = [toCivilDate(getMonday(day)), toCivilDate(getMonday(day) + DAYS_PER_WEEK - 1)];
  const until = `${last.date} ${getShortMonth(last.month)}`;
  if (first.month === last.month) return `${first.date} to ${until}`;
  const from = `${first.date} ${getShortMonth(first.month)}`;
  return first.year === last.year ? `${from} to ${until}` : `${from} ${first.year} to ${until} ${last.year}`;
}

/**
 * Returns the Mondays of `count` weeks, starting with the week of a day;
 * only weeks that are completely in the calendar.
 */
export function listWeeksFrom(day: Day, count: number): readonly Day[] {
  return Array.from(
    { length: Math.max(0, Math.floor(count)) },
    (_, index) => getMonday(day) + index * DAYS_PER_WEEK,
  ).filter((monday) => monday >= FIRST_DAY && monday + DAYS_PER_WEEK - 1 <= LAST_DAY);
}

/** Returns the Mondays of the weeks to show: some before the current one, the current one, and some after it. */
export function listWeeksAround(
  today: Day,
  { before, after }: { readonly before: number; readonly after: number },
): readonly Day[] {
  return listWeeksFrom(today - before * DAYS_PER_WEEK, before + 1 + after);
}
