import { weekdayOf } from '../../usage/domain/weekday.ts';
import { prettyClock } from './formats.ts';

/** A moment as the wall clock and the calendar of a place say it. */
export interface LocalMoment {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly date: number;
  /** Since midnight. */
  readonly minutes: number;
}

const MONTHS = [
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
const WEEK = 7;

const dayWords = (used: LocalMoment, now: LocalMoment): string => {
  const ago = now.day - used.day;
  if (ago <= 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  if (ago < WEEK) return weekdayOf(used.day).name;
  const date = `${used.date} ${MONTHS[used.month - 1]}`;
  return used.year === now.year ? date : `${date} ${used.year}`;
};

/** `Today, 14:12`, `Yesterday, 09:58`, `Thursday, 22:41`, `3 November, 08:05`, `31 December 2025, 23:59`, `Never`. */
export const lastUsedWords = (used: LocalMoment | undefined, now: LocalMoment): string =>
  used ? `${dayWords(used, now)}, ${prettyClock(used.minutes)}` : 'Never';
