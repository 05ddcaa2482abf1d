import { dateName, dayNameBeside, monthName } from './dateNames.ts';
import { civilOf, dayInMonth, FIRST_DAY, LAST_DAY, mondayOf, monthIndexOf, weekOf } from './day.ts';
import type { Day } from './day.ts';

// Days as month and week lay them out and label them. Nothing here asks a clock or a time zone.

/** Months since the year 0, as `monthIndexOf` counts. */
export type Month = number;

const FIRST_MONTH: Month = monthIndexOf(civilOf(FIRST_DAY));
const LAST_MONTH: Month = monthIndexOf(civilOf(LAST_DAY));

const between = (least: number, value: number, most: number): number => Math.min(Math.max(value, least), most);
/** The day, or the first or last one that the calendar knows. */
export function knownDay(day: Day): Day {
  return between(FIRST_DAY, day, LAST_DAY);
}
export function isKnown(day: Day): boolean {
  return day >= FIRST_DAY && day <= LAST_DAY;
}

export function monthOf(day: Day): Month {
  return monthIndexOf(civilOf(day));
}
/** The first day of a month. */
export function firstOfMonth(month: Month): Day {
  return dayInMonth(month, 1);
}
const lastOfMonth = (month: Month): Day => dayInMonth(month, 31);

export function weekDays(monday: Day): readonly Day[] {
  return Array.from({ length: 7 }, (_, at) => monday + at);
}

/** Mondays of the weeks that hold the month's days: four to six. */
export function weeksOf(month: Month): readonly Day[] {
  const first = mondayOf(firstOfMonth(month));
  const count = (mondayOf(lastOfMonth(month)) - first) / 7 + 1;
  return Array.from({ length: count }, (_, at) => first + 7 * at);
}

/** The same date some months on, or that month's last day; never outside the calendar. */
export function stepMonths(day: Day, months: number): Day {
  const month = between(FIRST_MONTH, monthOf(day) + months, LAST_MONTH);
  return dayInMonth(month, civilOf(day).date);
}

/** The day that a key of a grid of days leads to; undefined for other keys. `page` is how far PageUp and PageDown go. */
export function dayByKey(day: Day, key: string, page: 'month' | 'week'): Day | undefined {
  const leap = (by: number): Day => (page === 'month' ? stepMonths(day, by) : day + 7 * by);
  const steps: Readonly<Record<string, () => Day>> = {
    ArrowLeft: () => day - 1,
    ArrowRight: () => day + 1,
    ArrowUp: () => day - 7,
    ArrowDown: () => day + 7,
    Home: () => mondayOf(day),
    End: () => mondayOf(day) + 6,
    PageUp: () => leap(-1),
    PageDown: () => leap(1),
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step && knownDay(step());
}

/** 'November 2026'. */
export function monthLabel(month: Month): string {
  return `${monthName(firstOfMonth(month))} ${Math.floor(month / 12)}`;
}

/** '16 to 22 November 2026, week 47'. */
export function weekLabel(monday: Day): string {
  const first = knownDay(monday);
  const last = knownDay(monday + 6);
  const from = civilOf(first);
  const until = civilOf(last);
  const sameYear = from.year === until.year;
  const begin = sameYear && from.month === until.month ? `${from.date}` : dateName(first);
  return `${begin}${sameYear ? '' : ` ${from.year}`} to ${dateName(last)} ${until.year}, week ${weekOf(monday)}`;
}

/** 'Saturday 21 November, 3 events, today', as it is read out. */
export function dayLabel(day: Day, { events, today }: { readonly events: number; readonly today: Day }): string {
  const count = events === 0 ? 'no events' : events === 1 ? '1 event' : `${events} events`;
  return `${dayNameBeside(day, today)}, ${count}${day === today ? ', today' : ''}`;
}

/** What is left of a duration on one of its days: '10 days left', 'last day'. */
export function leftLabel(day: Day, until: Day): string {
  return until <= day ? 'last day' : `${until - day} ${until - day === 1 ? 'day' : 'days'} left`;
}
