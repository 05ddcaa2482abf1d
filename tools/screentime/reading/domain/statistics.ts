import { DAY_SECONDS, HOUR_SECONDS, DAY_HOURS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';
import { RECENT_DAYS } from '../../contract/limits.ts';
import type { ZoneDays } from '../../usage/domain/days.ts';
import { formatDuration, computeChange, toPercent, roundTo, type LocalMoment } from '../../usage/domain/formats.ts';

/** `00:00` to `23:00`. */
export const HOUR_NAMES: readonly string[] = Array.from({ length: DAY_HOURS }, (_, hour) => `${padTwo(hour)}:00`);

interface LocalHour {
  readonly day: number;
  /** Hour of the local clock, 0 to 23. */
  readonly hour: number;
}

/**
 * Returns for each local hour the percentage of days with use. An hour that occurs twice counts once, and a skipped
 * hour is unused.
 */
export function computeHourDensity(usedHours: Iterable<LocalHour>, days: number): readonly number[] {
  const daysByHour = Array.from({ length: DAY_HOURS }, () => new Set<number>());
  for (const { day, hour } of usedHours) daysByHour[hour]?.add(day);
  return daysByHour.map((usedDays) => toPercent(usedDays.size, days));
}

/** Converts a second since the epoch to the local date and time. */
export function toLocalMoment({ zone, getDay }: ZoneDays, seconds: number): LocalMoment {
  const local = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone);
  const { year, month, day: date, hour, minute } = local;
  return { day: getDay(seconds), year, month, date, minutes: hour * 60 + minute };
}

/** Returns the local hour, 0 to 23, of a second since the epoch. */
export function getLocalHour(days: ZoneDays, seconds: number): number {
  const day = days.getDay(seconds);
  const start = days.getStart(day);
  const hasUsualLength = days.getStart(day + 1) - start === DAY_SECONDS;
  // Temporal takes a hundred times as long, and only two days a year have a clock change.
  return hasUsualLength
    ? Math.floor((seconds - start) / HOUR_SECONDS)
    : Math.floor(toLocalMoment(days, seconds).minutes / 60);
}

/** Use of an application, in focused seconds. */
export interface UsageTotals {
  /** Last 14 days. */
  readonly recent: number;
  /** The 14 days before. */
  readonly before: number;
  readonly ever: number;
  /** All applications together. */
  readonly all: { readonly recent: number; readonly ever: number };
}

/** Returns the numbers of the detail card (docs/specification/screentime.md section 3.2). */
export function computeStats({ recent, before, ever, all }: UsageTotals) {
  const { percent, text } = computeChange(recent, before);
  return {
    enabled: ever > 0,
    lasttwoweekshours: roundTo(recent / HOUR_SECONDS, 4),
    prettylasttwoweeks: formatDuration(recent),
    avgtwoweeks: formatDuration(recent / RECENT_DAYS),
    percentchange: percent,
    percentchangetext: text,
    prettytotaltime: formatDuration(ever),
    percenttimeusedtotal: toPercent(ever, all.ever),
    percenttimeusedlasttwoweeks: toPercent(recent, all.recent),
  };
}
