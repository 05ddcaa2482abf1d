import { civilOf, shortMonthOf } from '#platform/contract/day.ts';
import type { Day } from '#tools/screentime/usage/domain/days.ts';

/** Days are counted since 1970-01-01, a Thursday. */
const MONDAY = 4;
const WEEK = 7;
/** A year, and one week more for its two halves. */
const WEEKS = 53;

/** Returns the first and last day of a grid: whole weeks that start on Monday. */
export function yearUpTo(last: Day): { readonly first: Day; readonly last: Day } {
  const monday = last - ((((last - MONDAY) % WEEK) + WEEK) % WEEK);
  return { first: monday - (WEEKS - 1) * WEEK, last };
}

/** Returns the shade of a day relative to the longest day; 0 without use. */
export function getShade(seconds: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (seconds <= 0 || most <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil((4 * seconds) / most))) as 1 | 2 | 3 | 4;
}

interface MonthName {
  /** Column below the name. */
  readonly week: number;
  readonly name: string;
}

/** Puts each month above the first week that starts in it, and the first month only if there is space. */
export function monthNames(first: Day): readonly MonthName[] {
  const months = Array.from({ length: WEEKS }, (_, week) => civilOf(first + week * WEEK).month);
  const starts = months.flatMap((month, week) =>
    week === 0 || months[week - 1] !== month ? [{ week, name: shortMonthOf(month) }] : [],
  );
  return starts.filter(({ week }, index) => index > 0 || (starts[1]?.week ?? WEEKS) - week > 2);
}
