import { CLOCK_TOLERANCE_MS, type Status } from '../../contract/limits.ts';
import { civilOf, dayOf } from './date.ts';
import { DAY_SECONDS } from './days.ts';
import type { SecondRange } from './track.ts';

/** A segment as a computer reports it: milliseconds since the epoch. */
export interface ReportedSegment {
  readonly app: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  readonly title?: string | undefined;
}

/** What of a title is kept; undefined where there is none. Only what is in focus has one. */
export const keptTitle = ({ status, title = '' }: Pick<ReportedSegment, 'status' | 'title'>): string | undefined =>
  status === 'on' && title !== '' ? title.toWellFormed().replaceAll('\0', ' ') : undefined;

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
export const earliestReport = (accountCreated: number): number =>
  Math.max(EARLIEST, firstDayOf(civilOf(Math.floor(accountCreated / DAY_MS)).year - 1) * DAY_SECONDS);

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
export const spanOf = (
  { from, until }: Pick<ReportedSegment, 'from' | 'until'>,
  { earliest, now }: Bounds,
): SecondRange | undefined => {
  const span = { from: Math.round(from / 1000), until: Math.round(until / 1000) };
  if (from > until || span.from < earliest || span.until - span.from > DAY_SECONDS) return undefined;
  if (until <= now + CLOCK_TOLERANCE_MS) return span;
  const cut = { from: span.from, until: Math.floor(now / 1000) };
  return cut.from < cut.until ? cut : undefined;
};
