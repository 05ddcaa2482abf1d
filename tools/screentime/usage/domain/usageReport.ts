import { toCivilDate, toDay } from '#platform/contract/day.ts';
import { DAY_MS, DAY_SECONDS, HOUR_SECONDS } from '#platform/contract/duration.ts';
import { CLOCK_TOLERANCE_MS, REAL_TOTAL, TOTAL } from '../../contract/limits.ts';
import { parseIso } from './days.ts';
import type { ReportedInterval, StoryInterval } from './interval.ts';
import type { SecondRange } from './track.ts';

const INSTANT_PATTERN =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/** Parses ISO 8601 with `Z` or an offset to milliseconds since the epoch. Undefined if invalid or before 1970. */
export function parseInstant(text: string): number | undefined {
  const match = INSTANT_PATTERN.exec(text);
  if (!match) return undefined;
  const [, date = '', hour, minute, second = '0', fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = match;
  const day = parseIso(date);
  if (day === undefined) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour) * HOUR_SECONDS + Number(zoneMinute) * 60);
  // A leap second counts as the second before.
  const seconds = Number(hour) * HOUR_SECONDS + Number(minute) * 60 + Math.min(59, Number(second));
  return (day * DAY_SECONDS + seconds - offset) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** Suffix that tells a program called `total` from all applications together. */
const REAL_NAME_SUFFIX = REAL_TOTAL.slice(TOTAL.length);
/** JavaScript treats this name specially as an object key, and the wire uses names as keys. */
const RESERVED_KEY = '__proto__';
function isReservedName(name: string): boolean {
  let rest = name;
  while (rest.endsWith(REAL_NAME_SUFFIX)) rest = rest.slice(0, -REAL_NAME_SUFFIX.length);
  return rest === TOTAL || rest === RESERVED_KEY;
}

/**
 * Returns the wire name of an application. Escapes real names that collide with `total` or `total (app)`, and
 * `__proto__`.
 */
export function toWireName(name: string): string {
  return isReservedName(name) ? name + REAL_NAME_SUFFIX : name;
}

/** Returns the recorded name of a wire name; undefined for all applications together. */
export function toRecordedName(wire: string): string | undefined {
  if (wire === TOTAL) return undefined;
  return isReservedName(wire) && wire.endsWith(REAL_NAME_SUFFIX) ? wire.slice(0, -REAL_NAME_SUFFIX.length) : wire;
}

/** Returns the title to store; undefined if there is none. Only focused segments have one. */
export function toStoredTitle({ status, title = '' }: Pick<StoryInterval, 'status' | 'title'>): string | undefined {
  return status === 'on' && title !== '' ? title.toWellFormed().replaceAll('\0', ' ') : undefined;
}

const getFirstDay = (year: number): number => toDay({ year, month: 1, date: 1 });

/** 2000-01-01: no usage is older. */
export const MIN_REPORT_SECONDS = 946_684_800;

/** 2007-01-01: no imported usage is older, because no program that can be imported existed before. */
export const MIN_IMPORT_SECONDS = 1_167_609_600;

/**
 * Returns the earliest valid report of an account, in seconds since the epoch: the start of the year before its
 * creation. Clocks without a battery restart in 1970, 2000 or in the year when the board was made.
 */
export function getEarliestReport(accountCreated: number): number {
  return Math.max(
    MIN_REPORT_SECONDS,
    getFirstDay(toCivilDate(Math.floor(accountCreated / DAY_MS)).year - 1) * DAY_SECONDS,
  );
}

/** Valid range of an account's reports. */
export interface Bounds {
  /** Seconds since the epoch. */
  readonly earliest: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Rounds to whole seconds, so that adjacent segments keep touching; half a second may become empty. Cuts the future at
 * now. Undefined if invalid: all in the future, too early, reversed, or longer than a day.
 */
export function cutToBounds(
  { from, until }: Pick<ReportedInterval, 'from' | 'until'>,
  { earliest, now }: Bounds,
): SecondRange | undefined {
  const range = { from: Math.round(from / 1000), until: Math.round(until / 1000) };
  if (from > until || range.from < earliest || range.until - range.from > DAY_SECONDS) return undefined;
  if (until <= now + CLOCK_TOLERANCE_MS) return range;
  const cut = { from: range.from, until: Math.floor(now / 1000) };
  return cut.from < cut.until ? cut : undefined;
}
