import { percentOf } from './percent.ts';

const HOURS = 24;
const two = (value: number): string => String(value).padStart(2, '0');

/** `00:00` to `23:00`. */
export const HOUR_NAMES: readonly string[] = Array.from({ length: HOURS }, (_, hour) => `${two(hour)}:00`);

interface LocalHour {
  readonly day: number;
  /** Of the wall clock, 0 to 23. */
  readonly hour: number;
}

/**
 * For each hour of the wall clock the percent of so many days on which it was used. An hour that comes twice on a day counts once, and one
 * that a day leaves out was not used on it.
 */
export const densityOf = (used: Iterable<LocalHour>, days: number): readonly number[] => {
  const daysByHour = Array.from({ length: HOURS }, () => new Set<number>());
  for (const { day, hour } of used) daysByHour[hour]?.add(day);
  return daysByHour.map((set) => percentOf(set.size, days));
};
