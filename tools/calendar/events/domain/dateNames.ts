import { toCivilDate, MONTHS, WEEKDAYS, getWeekNumber, type Day } from '#platform/contract/day.ts';
import { getWeekday } from './day.ts';

/** Returns 'Saturday' for 6. `weekday` is 1 (Monday) to 7. */
export function getWeekdayName(weekday: number): string {
  return WEEKDAYS[weekday - 1] ?? '';
}
/** Returns 'November' for 11. */
export function getMonthName(month: number): string {
  return MONTHS[month - 1] ?? '';
}

/** 'Saturday'. */
export function formatWeekday(day: Day): string {
  return getWeekdayName(getWeekday(day));
}
/** 'Week 47'. */
export function formatWeek(day: Day): string {
  return `Week ${getWeekNumber(day)}`;
}
/** 'November'. */
export function formatMonth(day: Day): string {
  return getMonthName(toCivilDate(day).month);
}

/** Adds the year of `day` if it differs from the year of `reference`. */
function addYearIfDifferent(text: string, day: Day, reference: Day): string {
  const { year } = toCivilDate(day);
  return year === toCivilDate(reference).year ? text : `${text} ${year}`;
}

/** '21 November'. */
export function formatDate(day: Day): string {
  return `${toCivilDate(day).date} ${formatMonth(day)}`;
}
/** '21 November 2026'. */
export function formatFullDate(day: Day): string {
  return `${formatDate(day)} ${toCivilDate(day).year}`;
}
/** '21 Nov'. */
export function formatShortDate(day: Day): string {
  return `${toCivilDate(day).date} ${formatMonth(day).slice(0, 3)}`;
}
/** '21 Nov', or '2 Jan 2027' if the year differs from the year of `reference`. */
export function formatShortDateRelativeTo(day: Day, reference: Day): string {
  return addYearIfDifferent(formatShortDate(day), day, reference);
}
/** 'Saturday 21 November'. */
export function formatDay(day: Day): string {
  return `${formatWeekday(day)} ${formatDate(day)}`;
}
/** 'Saturday 21 November', or 'Saturday 2 January 2027' if the year differs from the year of `reference`. */
export function formatDayRelativeTo(day: Day, reference: Day): string {
  return addYearIfDifferent(formatDay(day), day, reference);
}

/** 'every week', 'every 7 weeks'. */
export function formatInterval(every: number, unit: string): string {
  return every === 1 ? `every ${unit}` : `every ${every} ${unit}s`;
}
