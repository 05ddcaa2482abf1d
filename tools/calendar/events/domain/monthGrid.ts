import { toCivilDate, FIRST_DAY, LAST_DAY, getMonday, getWeekNumber, type Day } from '#platform/contract/day.ts';
import { formatDate, formatDayRelativeTo, formatMonth } from './dateNames.ts';
import { getDayOfMonth, getMonthIndex } from './day.ts';

// Layout and labels of month and week grids. Nothing here uses a clock or a time zone.

/** Months since the year 0, as `getMonthIndex` counts. */
export type Month = number;

const FIRST_MONTH: Month = getMonthIndex(toCivilDate(FIRST_DAY));
const LAST_MONTH: Month = getMonthIndex(toCivilDate(LAST_DAY));

const clamp = (min: number, value: number, max: number): number => Math.min(Math.max(value, min), max);
/** Clamps a day to the days that the calendar supports. */
export function clampDay(day: Day): Day {
  return clamp(FIRST_DAY, day, LAST_DAY);
}
export function isSupportedDay(day: Day): boolean {
  return day >= FIRST_DAY && day <= LAST_DAY;
}

export function getMonth(day: Day): Month {
  return getMonthIndex(toCivilDate(day));
}
/** Returns the first day of a month. */
export function getFirstOfMonth(month: Month): Day {
  return getDayOfMonth(month, 1);
}
const getLastOfMonth = (month: Month): Day => getDayOfMonth(month, 31);

export function listWeekDays(monday: Day): readonly Day[] {
  return Array.from({ length: 7 }, (_, index) => monday + index);
}

/** Returns the Mondays of the weeks that contain days of the month: four to six. */
export function listWeeks(month: Month): readonly Day[] {
  const first = getMonday(getFirstOfMonth(month));
  const count = (getMonday(getLastOfMonth(month)) - first) / 7 + 1;
  return Array.from({ length: count }, (_, at) => first + 7 * at);
}

/** Returns the same date some months later, or that month's last day. Clamped to the supported days. */
export function stepMonths(day: Day, months: number): Day {
  const month = clamp(FIRST_MONTH, getMonth(day) + months, LAST_MONTH);
  return getDayOfMonth(month, toCivilDate(day).date);
}

/** Returns the day that a grid key leads to, undefined for other keys. `page` is the step of PageUp and PageDown. */
export function findDayByKey(day: Day, key: string, page: 'month' | 'week'): Day | undefined {
  const jump = (by: number): Day => (page === 'month' ? stepMonths(day, by) : day + 7 * by);
  const steps: Readonly<Record<string, () => Day>> = {
    ArrowLeft: () => day - 1,
    ArrowRight: () => day + 1,
    ArrowUp: () => day - 7,
    ArrowDown: () => day + 7,
    Home: () => getMonday(day),
    End: () => getMonday(day) + 6,
    PageUp: () => jump(-1),
    PageDown: () => jump(1),
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step && clampDay(step());
}

/** 'November 2026'. */
export function formatMonthLabel(month: Month): string {
  return `${formatMonth(getFirstOfMonth(month))} ${Math.floor(month / 12)}`;
}

/** '16 to 22 November 2026, week 47'. */
export function formatWeekLabel(monday: Day): string {
  const first = clampDay(monday);
  const last = clampDay(monday + 6);
  const from = toCivilDate(first);
  const until = toCivilDate(last);
  const sameYear = from.year === until.year;
  const start = sameYear && from.month === until.month ? `${from.date}` : formatDate(first);
  return `${start}${sameYear ? '' : ` ${from.year}`} to ${formatDate(last)} ${until.year}, week ${getWeekNumber(monday)}`;
}

/** Formats a text for screen readers: 'Saturday 21 November, 3 events, today'. */
export function formatDayLabel(day: Day, { events, today }: { readonly events: number; readonly today: Day }): string {
  const count = events === 0 ? 'no events' : events === 1 ? '1 event' : `${events} events`;
  return `${formatDayRelativeTo(day, today)}, ${count}${day === today ? ', today' : ''}`;
}

/** Formats the remainder of a duration on one of its days: '10 days left', 'last day'. */
export function formatRemainingDays(day: Day, until: Day): string {
  return until <= day ? 'last day' : `${until - day} ${until - day === 1 ? 'day' : 'days'} left`;
}
