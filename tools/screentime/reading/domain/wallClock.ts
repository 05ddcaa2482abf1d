import { DAY_SECONDS, type ZoneDays } from '../../usage/domain/days.ts';
import type { LocalMoment } from './lastUsed.ts';

/** A second since the epoch as the wall clock and the calendar of a zone say it. */
export const localMoment = ({ zone, dayOf }: ZoneDays, seconds: number): LocalMoment => {
  const here = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone);
  const { year, month, day: date, hour, minute } = here;
  return { day: dayOf(seconds), year, month, date, minutes: hour * 60 + minute };
};

/** The hour of the wall clock, 0 to 23, at a second since the epoch. */
export const wallHour = (days: ZoneDays, seconds: number): number => {
  const day = days.dayOf(seconds);
  const start = days.startOf(day);
  const isPlain = days.startOf(day + 1) - start === DAY_SECONDS;
  // Temporal takes a hundred times as long, and only two days a year have a change of the clock.
  return isPlain ? Math.floor((seconds - start) / 3600) : Math.floor(localMoment(days, seconds).minutes / 60);
};
