import { toCivilDate, MONTHS, WEEKDAYS, getWeekNumber, type Day } from '#platform/contract/day.ts';
import { getWeekday } from './day.ts';

// Names of days, weeks, months and their intervals.

/** `weekday` is 1 (Monday) to 7. */
export function nameOfWeekday(weekday: number): string {
  return WEEKDAYS[weekday - 1] ?? '';
}
/** `month` is 1 to 12. */
export function nameOfMonth(month: number): string {
  return MONTHS[month - 1] ?? '';
}

/** 'Saturday'. */
export function weekdayName(day: Day): string {
  return nameOfWeekday(getWeekday(day));
}
/** 'Week 47'. */
export function weekName(day: Day): string {
  return `Week ${getWeekNumber(day)}`;
}
/** 'November'. */
export function monthName(day: Day): string {
  return nameOfMonth(toCivilDate(day).month);
}

/** Adds the year if it differs from the year of `beside`. */
const besideYear = (name: string, day: Day, beside: Day): string => {
  const { year } = toCivilDate(day);
  return year === toCivilDate(beside).year ? name : `${name} ${year}`;
};

/** '21 November'. */
export function dateName(day: Day): string {
  return `${toCivilDate(day).date} ${monthName(day)}`;
}
/** '21 November 2026'. */
export function fullDateName(day: Day): string {
  return `${dateName(day)} ${toCivilDate(day).year}`;
}
/** '21 Nov'. */
export function shortDateName(day: Day): string {
  return `${toCivilDate(day).date} ${monthName(day).slice(0, 3)}`;
}
/** '21 Nov', or '2 Jan 2027' if the year differs from the year of `beside`. */
export function shortDateNameBeside(day: Day, beside: Day): string {
  return besideYear(shortDateName(day), day, beside);
}
/** 'Saturday 21 November'. */
export function dayName(day: Day): string {
  return `${weekdayName(day)} ${dateName(day)}`;
}
/** 'Saturday 21 November', or 'Saturday 2 January 2027' if the year differs from the year of `beside`. */
export function dayNameBeside(day: Day, beside: Day): string {
  return besideYear(dayName(day), day, beside);
}

/** 'every week', 'every 7 weeks'. */
export function formatInterval(every: number, unit: string): string {
  return every === 1 ? `every ${unit}` : `every ${every} ${unit}s`;
}
