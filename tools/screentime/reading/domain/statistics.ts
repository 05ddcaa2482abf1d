import { RECENT_DAYS } from '../../contract/limits.ts';
import { DAY_SECONDS, type ZoneDays } from '../../usage/domain/days.ts';
import { prettyTime, changeOf, percentOf, rounded, type LocalMoment } from './formats.ts';

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
export function densityOf(used: Iterable<LocalHour>, days: number): readonly number[] {
  const daysByHour = Array.from({ length: HOURS }, () => new Set<number>());
  for (const { day, hour } of used) daysByHour[hour]?.add(day);
  return daysByHour.map((set) => percentOf(set.size, days));
}

/** A second since the epoch as the wall clock and the calendar of a zone say it. */
export function localMoment({ zone, dayOf }: ZoneDays, seconds: number): LocalMoment {
  const here = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone);
  const { year, month, day: date, hour, minute } = here;
  return { day: dayOf(seconds), year, month, date, minutes: hour * 60 + minute };
}

/** The hour of the wall clock, 0 to 23, at a second since the epoch. */
export function wallHour(days: ZoneDays, seconds: number): number {
  const day = days.dayOf(seconds);
  const start = days.startOf(day);
  const isPlain = days.startOf(day + 1) - start === DAY_SECONDS;
  // Temporal takes a hundred times as long, and only two days a year have a change of the clock.
  return isPlain ? Math.floor((seconds - start) / 3600) : Math.floor(localMoment(days, seconds).minutes / 60);
}

/** What is known of an application's use, in seconds of focus. */
export interface Use {
  /** Of the last 14 days. */
  readonly recent: number;
  /** Of the 14 days before them. */
  readonly before: number;
  readonly ever: number;
  /** Of all applications together. */
  readonly all: { readonly recent: number; readonly ever: number };
}

/** What the detail card says in numbers (specification 2, section 3). */
export function statsOf({ recent, before, ever, all }: Use) {
  const { percent, text } = changeOf(recent, before);
  return {
    enabled: ever > 0,
    lasttwoweekshours: rounded(recent / 3600, 4),
    prettylasttwoweeks: prettyTime(recent),
    avgtwoweeks: prettyTime(recent / RECENT_DAYS),
    percentchange: percent,
    percentchangetext: text,
    prettytotaltime: prettyTime(ever),
    percenttimeusedtotal: percentOf(ever, all.ever),
    percenttimeusedlasttwoweeks: percentOf(recent, all.recent),
  };
}
