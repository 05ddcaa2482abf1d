import { MONTHS, getShortMonth } from '#platform/contract/day.ts';
import { padTwo } from '#platform/contract/text.ts';
import { parseIso, getWeekday } from './days.ts';

function toParts(iso: string) {
  const [year = '', month = '', day = ''] = iso.split('-');
  return { year, month: getShortMonth(Number(month)) || month, day: String(Number(day)) };
}

/** Formats '11 Nov', or '11 Nov 26' with the year. */
export function formatDayTick(iso: string, hasYear: boolean): string {
  const { year, month, day } = toParts(iso);
  return hasYear ? `${day} ${month} ${year.slice(-2)}` : `${day} ${month}`;
}

/** Formats 'Wed 11 Nov 2026'. */
export function formatDayLabel(iso: string): string {
  const { year, month, day } = toParts(iso);
  return `${getWeekday(parseIso(iso) ?? 0).name.slice(0, 3)} ${day} ${month} ${year}`;
}

/** Rounds to the number of decimals used in answers. */
export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/** Returns the percentage of a part with one decimal; 0 if the whole is 0. */
export function toPercent(part: number, whole: number): number {
  return whole > 0 ? roundTo((part / whole) * 100, 1) : 0;
}

interface Change {
  /** Negative if it decreased. */
  readonly percent: number;
  /** Text after the number, such as 'less than before'; the whole text if the number is 0. */
  readonly text: string;
}

/** Computes a change in whole percent. */
export function computeChange(now: number, before: number): Change {
  if (before <= 0) return now > 0 ? NOTHING_BEFORE : SAME;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return SAME;
  return { percent, text: percent > 0 ? 'more than before' : 'less than before' };
}
/** A percentage of nothing is undefined. */
const NOTHING_BEFORE: Change = { percent: 0, text: 'nothing to compare with' };
const SAME: Change = { percent: 0, text: 'the same as before' };

/** Formats 1204 as `1,204`. `toLocaleString` takes a hundred times as long. */
export function formatInteger(integer: number): string {
  return String(integer).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a duration: `42s`, `57m`, `3h 01m`, `1,204h 10m`. Rounds down. */
export function formatDuration(seconds: number): string {
  const integer = Math.max(0, Math.floor(seconds));
  if (integer === 0) return '0m';
  if (integer < 60) return `${integer}s`;
  const minutes = Math.floor(integer / 60);
  return minutes < 60 ? `${minutes}m` : `${formatInteger(Math.floor(minutes / 60))}h ${padTwo(minutes % 60)}m`;
}

/** Formats minutes since midnight as `09:05`. */
export function formatClock(minutes: number): string {
  return `${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`;
}

/** A moment in the clock and calendar of a zone. */
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

const DAYS_PER_WEEK = 7;

function formatDay(used: LocalMoment, now: LocalMoment): string {
  const ago = now.day - used.day;
  if (ago <= 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  if (ago < DAYS_PER_WEEK) return getWeekday(used.day).name;
  const date = `${used.date} ${MONTHS[used.month - 1]}`;
  return used.year === now.year ? date : `${date} ${used.year}`;
}

/**
 * Formats `Today, 14:12`, `Yesterday, 09:58`, `Thursday, 22:41`, `3 November, 08:05`, `31 December 2025, 23:59`,
 * `Never`.
 */
export function formatLastUsed(used: LocalMoment | undefined, now: LocalMoment): string {
  return used ? `${formatDay(used, now)}, ${formatClock(used.minutes)}` : 'Never';
}

interface NamedComputer {
  readonly id: number;
  readonly name: string;
  readonly origin: 'paired' | 'imported' | 'removed';
}

/** Returns display names of computers by id; removed ones are marked. */
export function toComputerNames(computers: readonly NamedComputer[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    computers.map(({ id, name, origin }) => [id, origin === 'removed' ? `${name} (removed)` : name]),
  );
}
