import { civilOf, weekdayOf, weekOf } from './day.ts';
import type { Day } from './day.ts';

// What days, weeks, months and their repeats are called.

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

/** Of 1 (Monday) to 7. */
export const nameOfWeekday = (weekday: number): string => WEEKDAYS[weekday - 1] ?? '';
/** Of 1 to 12. */
export const nameOfMonth = (month: number): string => MONTHS[month - 1] ?? '';

/** 'Saturday'. */
export const weekdayName = (day: Day): string => nameOfWeekday(weekdayOf(day));
/** 'Week 47'. */
export const weekName = (day: Day): string => `Week ${weekOf(day)}`;
/** 'November'. */
export const monthName = (day: Day): string => nameOfMonth(civilOf(day).month);

/** With its year where that is another one than that of `beside`. */
const besideYear = (name: string, day: Day, beside: Day): string => {
  const { year } = civilOf(day);
  return year === civilOf(beside).year ? name : `${name} ${year}`;
};

/** '21 November'. */
export const dateName = (day: Day): string => `${civilOf(day).date} ${monthName(day)}`;
/** '21 November 2026'. */
export const fullDateName = (day: Day): string => `${dateName(day)} ${civilOf(day).year}`;
/** '21 Nov'. */
export const shortDateName = (day: Day): string => `${civilOf(day).date} ${monthName(day).slice(0, 3)}`;
/** '21 Nov'; '2 Jan 2027' where the year is another one than that of `beside`. */
export const shortDateNameBeside = (day: Day, beside: Day): string => besideYear(shortDateName(day), day, beside);
/** 'Saturday 21 November'. */
export const dayName = (day: Day): string => `${weekdayName(day)} ${dateName(day)}`;
/** 'Saturday 21 November'; 'Saturday 2 January 2027' where the year is another one than that of `beside`. */
export const dayNameBeside = (day: Day, beside: Day): string => besideYear(dayName(day), day, beside);

/** 'every week', 'every 7 weeks'. */
export const everyName = (every: number, unit: string): string =>
  every === 1 ? `every ${unit}` : `every ${every} ${unit}s`;
