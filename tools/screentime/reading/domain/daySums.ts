import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import { type Day, type ZoneDays, listIntegers, parseIso, toIso } from '../../usage/domain/days.ts';
import type { SecondRange } from '../../usage/domain/track.ts';

/** Seconds of use by day and application, as in the answer of `getsoundinfo`. */
export type SecondsByDay = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface ApplicationHours {
  readonly name: string;
  /** One value per day. */
  readonly hours: readonly number[];
}

export interface DaySeries {
  /** ISO dates in order. Of gaps over a year, only the first and the last day are included. */
  readonly days: readonly string[];
  /** Most used first. */
  readonly applications: readonly ApplicationHours[];
}

/**
 * Max days without use that are drawn individually. Otherwise a single wrong date would fill the charts with decades of
 * nothing.
 */
const MAX_GAP_DAYS = 366;

/** Lists every day from the first to the last with usage, except in long gaps. */
function listDaysBetween(labels: readonly string[]): readonly string[] {
  const usedDays = labels.flatMap((label) => parseIso(label) ?? []).toSorted((a, b) => a - b);
  const days: number[] = [];
  for (const day of usedDays) {
    const last = days.at(-1);
    if (last !== undefined && day - last - 1 > MAX_GAP_DAYS) days.push(last + 1, day - 1);
    else for (let empty = (last ?? day) + 1; empty < day; empty += 1) days.push(empty);
    days.push(day);
  }
  return days.map(toIso);
}

/** Converts usage to hours by application and day; 0 on days without use. */
export function toDaySeries(seconds: SecondsByDay): DaySeries {
  const days = listDaysBetween(Object.keys(seconds));
  const applicationsByName = new Map<string, { readonly hours: number[]; total: number }>();
  for (const [index, day] of days.entries())
    for (const [name, spentSeconds] of Object.entries(seconds[day] ?? {})) {
      const application = applicationsByName.get(name) ?? {
        hours: Array.from<number>({ length: days.length }).fill(0),
        total: 0,
      };
      application.hours[index] = spentSeconds / HOUR_SECONDS;
      application.total += spentSeconds;
      applicationsByName.set(name, application);
    }
  const applications = [...applicationsByName]
    .toSorted(([nameA, a], [nameB, b]) => b.total - a.total || (nameA < nameB ? -1 : 1))
    .map(([name, { hours }]) => ({ name, hours }));
  return { days, applications };
}

/** Computes the sum up to each day. */
export function computeRunningTotals(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** Consecutive days. */
export interface DayRange {
  readonly from: Day;
  /** Inclusive. */
  readonly until: Day;
}

/** Focused seconds on each day of a range, starting at index 0. */
export type DaySums = Float64Array;

export function countDays({ from, until }: DayRange): number {
  return Math.max(0, until - from + 1);
}
export function createDaySums(range: DayRange): DaySums {
  return new Float64Array(countDays(range));
}

export function listDays({ from, until }: DayRange): readonly Day[] {
  return listIntegers(from, until);
}

/** Splits a range at multiples of `size` days, so that the same parts return when the range grows. */
export function splitRange({ from, until }: DayRange, size: number): readonly DayRange[] {
  const parts: DayRange[] = [];
  for (let start = from; start <= until;) {
    const end = Math.min(until, (Math.floor(start / size) + 1) * size - 1);
    parts.push({ from: start, until: end });
    start = end + 1;
  }
  return parts;
}

/**
 * Splits a range into blocks of closed days, which are the same for every range that overlaps them, and the open days
 * after them.
 */
export function splitIntoBlocks(
  { from, until }: DayRange,
  lastClosedDay: Day,
  size: number,
): { readonly blocks: readonly DayRange[]; readonly open: DayRange } {
  const last = Math.min(until, lastClosedDay);
  const aligned = {
    from: Math.floor(from / size) * size,
    until: Math.min((Math.floor(last / size) + 1) * size - 1, lastClosedDay),
  };
  return {
    blocks: from > last ? [] : splitRange(aligned, size),
    open: { from: Math.max(from, lastClosedDay + 1), until },
  };
}

/** Copies the values of a block to their positions in a range, as far as they overlap. */
export function copySums(
  { sums, range }: { readonly sums: DaySums; readonly range: DayRange },
  block: DayRange,
  blockSums: DaySums,
): void {
  const [from, until] = [Math.max(range.from, block.from), Math.min(range.until, block.until)];
  if (from <= until) sums.set(blockSums.subarray(from - block.from, until - block.from + 1), from - range.from);
}

/** Returns start and end of a range in seconds since the epoch. */
export function getBounds({ getStart }: ZoneDays, { from, until }: DayRange): SecondRange {
  return { from: getStart(from), until: getStart(until + 1) };
}

function add(sums: DaySums, index: number, seconds: number): void {
  if (index >= 0 && index < sums.length) sums[index] = (sums[index] ?? 0) + seconds;
}

/** Adds seconds by day. */
export function addDays(
  sums: DaySums,
  { from }: DayRange,
  { days, seconds }: { readonly days: readonly Day[]; readonly seconds: readonly number[] },
): void {
  for (let index = 0; index < days.length; index += 1) add(sums, (days[index] ?? 0) - from, seconds[index] ?? 0);
}

/**
 * Returns a function from moments to indices in a range. Moments must be sorted, so that only the next day's start is
 * needed.
 */
function createDayLocator({ getStart, getDay }: ZoneDays, { from }: DayRange) {
  let day = Number.NaN;
  let dayEnd = Number.NEGATIVE_INFINITY;
  return (moment: number): { readonly index: number; readonly dayEnd: number } => {
    if (moment >= dayEnd) {
      day = getDay(moment);
      dayEnd = getStart(day + 1);
    }
    return { index: day - from, dayEnd };
  };
}

/** Adds seconds at moments. Moments must be sorted, and their time must not extend beyond the day. */
export function addMoments(
  sums: DaySums,
  days: ZoneDays,
  range: DayRange,
  moments: Iterable<readonly [moment: number, seconds: number]>,
): void {
  const locate = createDayLocator(days, range);
  for (const [moment, seconds] of moments) add(sums, locate(moment).index, seconds);
}

/** Adds the lengths of ranges, split at day boundaries. Ranges must be sorted. */
export function addRanges(sums: DaySums, days: ZoneDays, range: DayRange, ranges: readonly SecondRange[]): void {
  const locate = createDayLocator(days, range);
  for (const { from, until } of ranges)
    for (let reached = from; reached < until;) {
      const { index, dayEnd } = locate(reached);
      const end = Math.min(until, dayEnd);
      add(sums, index, end - reached);
      reached = end;
    }
}
