import type { Day, ZoneDays } from './days.ts';

/** Days one after another. */
export interface DayRange {
  readonly from: Day;
  /** Included. */
  readonly until: Day;
}

/** Seconds of focus on each day of a range, the first one at place 0. */
export type DaySums = Float64Array;

export const lengthOfRange = ({ from, until }: DayRange): number => Math.max(0, until - from + 1);

/** Numbers at places, of one application on one computer. */
interface Series {
  readonly application: number;
  readonly places: readonly number[];
  readonly seconds: readonly number[];
}

/** Sums by day, and on how many computers each of them came together. */
export interface Gathered {
  readonly sums: DaySums;
  readonly computers: Uint8Array;
}

/** Adds up what each computer has, by application. `dayAt` gives the day of a place; places of a series are in order. */
export const gathered = (
  all: readonly Series[],
  range: DayRange,
  dayAt: () => (place: number) => Day,
): ReadonlyMap<number, Gathered> => {
  const length = lengthOfRange(range);
  const found = new Map<number, Gathered>();
  for (const { application, places, seconds } of all) {
    const { sums, computers } = found.get(application) ?? {
      sums: new Float64Array(length),
      computers: new Uint8Array(length),
    };
    found.set(application, { sums, computers });
    const dayOf = dayAt();
    let counted = -1;
    for (let at = 0; at < places.length; at += 1) {
      const index = dayOf(places[at] ?? 0) - range.from;
      if (index < 0 || index >= length) continue;
      sums[index] = (sums[index] ?? 0) + (seconds[at] ?? 0);
      if (index !== counted) computers[index] = (computers[index] ?? 0) + 1;
      counted = index;
    }
  }
  return found;
};

/** Days of seconds since the epoch that come in order: each is asked for the next day's start alone. */
export const daysInOrder = ({ startOf, dayOf }: ZoneDays): ((seconds: number) => Day) => {
  let day = Number.NaN;
  let ends = Number.NEGATIVE_INFINITY;
  return (seconds) => {
    if (seconds >= ends) {
      day = dayOf(seconds);
      ends = startOf(day + 1);
    }
    return day;
  };
};
