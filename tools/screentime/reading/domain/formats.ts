import { parseIso, weekdayOf } from '../../usage/domain/days.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const partsOf = (iso: string) => {
  const [year = '', month = '', day = ''] = iso.split('-');
  return { year, month: MONTHS[Number(month) - 1] ?? month, day: String(Number(day)) };
};

/** '11 Nov'; where the year may be asked for, '11 Nov 26'. */
export function dayTick(iso: string, withYear: boolean): string {
  const { year, month, day } = partsOf(iso);
  return withYear ? `${day} ${month} ${year.slice(-2)}` : `${day} ${month}`;
}

/** 'Wed 11 Nov 2026'. */
export function dayLabel(iso: string): string {
  const { year, month, day } = partsOf(iso);
  return `${weekdayOf(parseIso(iso) ?? 0).name.slice(0, 3)} ${day} ${month} ${year}`;
}

/** Rounded to so many decimals, as answers carry them. */
export function rounded(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/** How much of the whole a part is, in percent with one decimal; of nothing it is 0. */
export function percentOf(part: number, whole: number): number {
  return whole > 0 ? rounded((part / whole) * 100, 1) : 0;
}

interface Change {
  /** Below 0 where it became less. */
  readonly percent: number;
  /** Words behind the number: '12%' 'less than before'. Where it is 0, all of the text. */
  readonly text: string;
}

/** How much more or less it became, in whole percent. */
export function changeOf(now: number, before: number): Change {
  if (before <= 0) return now > 0 ? NOTHING_BEFORE : SAME;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return SAME;
  return { percent, text: percent > 0 ? 'more than before' : 'less than before' };
}
/** Any percentage of nothing would be made up. */
const NOTHING_BEFORE: Change = { percent: 0, text: 'nothing before to compare with' };
const SAME: Change = { percent: 0, text: 'the same as before' };

const two = (value: number): string => String(value).padStart(2, '0');

/** 1204 as `1,204`. Not by `toLocaleString`, which takes a hundred times as long. */
export function grouped(whole: number): string {
  return String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** Seconds as people read them: `42s`, `57m`, `3h 01m`, `1,204h 10m`. What is not a whole unit is not said. */
export function prettyTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole === 0) return '0m';
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}m` : `${grouped(Math.floor(minutes / 60))}h ${two(minutes % 60)}m`;
}

/** Minutes since midnight as `09:05`. */
export function prettyClock(minutes: number): string {
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

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

const LAST_USED_MONTHS = [
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
  const date = `${used.date} ${LAST_USED_MONTHS[used.month - 1]}`;
  return used.year === now.year ? date : `${date} ${used.year}`;
};

/** `Today, 14:12`, `Yesterday, 09:58`, `Thursday, 22:41`, `3 November, 08:05`, `31 December 2025, 23:59`, `Never`. */
export function lastUsedWords(used: LocalMoment | undefined, now: LocalMoment): string {
  return used ? `${dayWords(used, now)}, ${prettyClock(used.minutes)}` : 'Never';
}
