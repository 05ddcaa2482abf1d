import type { Day, ZoneDays } from '../../usage/domain/days.ts';
import type { SecondRange } from '../../usage/domain/track.ts';

/** Days one after another. */
export interface DayRange {
  readonly from: Day;
  /** Included. */
  readonly until: Day;
}

/** Seconds of focus on each day of a range, the first one at place 0. */
export type DaySums = Float64Array;

export const lengthOfRange = ({ from, until }: DayRange): number => Math.max(0, until - from + 1);
export const noSums = (range: DayRange): DaySums => new Float64Array(lengthOfRange(range));

/** The days of a range. */
export const numbersOf = (range: DayRange): readonly Day[] =>
  Array.from({ length: lengthOfRange(range) }, (_, at) => range.from + at);

/** A range in parts that begin at multiples of `size` days, so that the same part comes again when the range grows. */
export const partsOf = ({ from, until }: DayRange, size: number): readonly DayRange[] => {
  const parts: DayRange[] = [];
  for (let begins = from; begins <= until;) {
    const ends = Math.min(until, (Math.floor(begins / size) + 1) * size - 1);
    parts.push({ from: begins, until: ends });
    begins = ends + 1;
  }
  return parts;
};

/** What a range is worked out in: the blocks of days that are over, each whole and the same for every range that it is in, and the days behind `over`. */
export const blocksOf = (
  { from, until }: DayRange,
  over: Day,
  size: number,
): { readonly blocks: readonly DayRange[]; readonly open: DayRange } => {
  const last = Math.min(until, over);
  const aligned = {
    from: Math.floor(from / size) * size,
    until: Math.min((Math.floor(last / size) + 1) * size - 1, over),
  };
  return { blocks: from > last ? [] : partsOf(aligned, size), open: { from: Math.max(from, over + 1), until } };
};

/** The numbers of those of a block's days that are in a range too, at their places there. */
export const copyInto = (
  { sums, range }: { readonly sums: DaySums; readonly range: DayRange },
  block: DayRange,
  own: DaySums,
): void => {
  const [from, until] = [Math.max(range.from, block.from), Math.min(range.until, block.until)];
  if (from <= until) sums.set(own.subarray(from - block.from, until - block.from + 1), from - range.from);
};

/** Where the days of a range begin, and where the last one ends, in seconds since the epoch. */
export const boundsOf = ({ startOf }: ZoneDays, { from, until }: DayRange): SecondRange => ({
  from: startOf(from),
  until: startOf(until + 1),
});

const add = (sums: DaySums, index: number, seconds: number): void => {
  if (index >= 0 && index < sums.length) sums[index] = (sums[index] ?? 0) + seconds;
};

/** Adds seconds that are known day by day. */
export const addDays = (
  sums: DaySums,
  { from }: DayRange,
  { days, seconds }: { readonly days: readonly Day[]; readonly seconds: readonly number[] },
): void => {
  for (let at = 0; at < days.length; at += 1) add(sums, (days[at] ?? 0) - from, seconds[at] ?? 0);
};

/** The place of a moment's day in a range, of moments that come in order: each is asked for the next day's start alone. */
const placesInOrder = ({ startOf, dayOf }: ZoneDays, { from }: DayRange) => {
  let day = Number.NaN;
  let ends = Number.NEGATIVE_INFINITY;
  return (moment: number): { readonly index: number; readonly ends: number } => {
    if (moment >= ends) {
      day = dayOf(moment);
      ends = startOf(day + 1);
    }
    return { index: day - from, ends };
  };
};

/** Adds seconds that are known for some moments; none of them goes on beyond its day. In order. */
export const addMoments = (
  sums: DaySums,
  days: ZoneDays,
  range: DayRange,
  moments: Iterable<readonly [moment: number, seconds: number]>,
): void => {
  const placeOf = placesInOrder(days, range);
  for (const [moment, seconds] of moments) add(sums, placeOf(moment).index, seconds);
};

/** Adds the lengths of spans, each cut where days begin. In order. */
export const addSpans = (sums: DaySums, days: ZoneDays, range: DayRange, spans: readonly SecondRange[]): void => {
  const placeOf = placesInOrder(days, range);
  for (const { from, until } of spans)
    for (let reached = from; reached < until;) {
      const { index, ends } = placeOf(reached);
      const end = Math.min(until, ends);
      add(sums, index, end - reached);
      reached = end;
    }
};
