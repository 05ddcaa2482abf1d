import { CLOCK_TOLERANCE_MS, type Status, REAL_TOTAL, TOTAL } from '../../contract/limits.ts';
import { civilOf, dayOf, DAY_SECONDS, parseIso } from './days.ts';
import type { SecondRange } from './track.ts';

const INSTANT =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/** ISO 8601 with `Z` or an offset, in milliseconds since the epoch. Undefined for what is none, and for times before 1970. */
export function parseInstant(text: string): number | undefined {
  const found = INSTANT.exec(text);
  if (!found) return undefined;
  const [, date = '', hour, minute, second = '0', fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = found;
  const day = parseIso(date);
  if (day === undefined) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 3600 + Number(zoneMinute) * 60);
  // A leap second is the one before it.
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Math.min(59, Number(second));
  return (day * DAY_SECONDS + seconds - offset) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** What tells a program's own name from that of all together. */
const MARK = REAL_TOTAL.slice(TOTAL.length);
/** What JavaScript takes for something else where it is the key of an object, as the wire has applications. */
const NO_KEY = '__proto__';
const marked = (name: string): boolean => {
  let rest = name;
  while (rest.endsWith(MARK)) rest = rest.slice(0, -MARK.length);
  return rest === TOTAL || rest === NO_KEY;
};

/**
 * As the wire names an application: one that is really called `total` is not all of them together, and `total (app)`
 * not that one; nor is any called `__proto__`.
 */
export function wireName(name: string): string {
  return marked(name) ? name + MARK : name;
}

/** The name that an application was recorded under; undefined for all of them together. */
export function recordedName(wire: string): string | undefined {
  if (wire === TOTAL) return undefined;
  return marked(wire) && wire.endsWith(MARK) ? wire.slice(0, -MARK.length) : wire;
}

/** A segment as a computer reports it: milliseconds since the epoch. */
export interface ReportedSegment {
  readonly app: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  readonly title?: string | undefined;
}

/** What of a title is kept; undefined where there is none. Only what is in focus has one. */
export function keptTitle({ status, title = '' }: Pick<ReportedSegment, 'status' | 'title'>): string | undefined {
  return status === 'on' && title !== '' ? title.toWellFormed().replaceAll('\0', ' ') : undefined;
}

const DAY_MS = DAY_SECONDS * 1000;
const firstDayOf = (year: number): number => dayOf({ year, month: 1, date: 1 });

/** 2000-01-01: no usage at all is of before it. */
export const EARLIEST = 946_684_800;

/** 2007-01-01: imports are of no earlier time. No program that can be imported from recorded before. */
export const EARLIEST_IMPORT = 1_167_609_600;

/**
 * From when on a computer can have measured for an account, in seconds since the epoch: the beginning of the year before the account's
 * first one. What is earlier comes from a clock without a battery, which begins anew in 1970, 2000 or when its board was made.
 */
export function earliestReport(accountCreated: number): number {
  return Math.max(EARLIEST, firstDayOf(civilOf(Math.floor(accountCreated / DAY_MS)).year - 1) * DAY_SECONDS);
}

/** Where reports of an account may lie. */
export interface Bounds {
  /** Seconds since the epoch. */
  readonly earliest: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Its time in whole seconds, so that what touches goes on touching and sums stay exact. What lies in the future by more than clocks differ
 * is cut off at now. Undefined for one that is no good: wholly in the future, too early, backwards, or longer than a day. One under half a
 * second may have no length left.
 */
export function spanOf(
  { from, until }: Pick<ReportedSegment, 'from' | 'until'>,
  { earliest, now }: Bounds,
): SecondRange | undefined {
  const span = { from: Math.round(from / 1000), until: Math.round(until / 1000) };
  if (from > until || span.from < earliest || span.until - span.from > DAY_SECONDS) return undefined;
  if (until <= now + CLOCK_TOLERANCE_MS) return span;
  const cut = { from: span.from, until: Math.floor(now / 1000) };
  return cut.from < cut.until ? cut : undefined;
}
