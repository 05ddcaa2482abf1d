import { DAY_MINUTES, MINUTE_MS, SECOND_MS } from '#platform/contract/duration.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';

/** Clock of a day in the browser's zone, with 23, 24 or 25 hours. */
export interface DayClock {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly length: number;
  /** Converts a minute of the clock to percent of the day. */
  readonly toPercent: (minute: number) => number;
  /** Formats the clock at a position: `14:10`; the end is `24:00`. */
  readonly formatTimeAt: (percent: number) => string;
}

function toMoment(date: string, minute: number): number {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day, 0, minute).getTime();
}

/** Percentages have four decimals, which is less than a second: 07:59:59.97 is 08:00. */
const toSeconds = (percent: number, length: number): number => Math.round(((percent / 100) * length) / SECOND_MS);

function createDayClock(date: string): DayClock {
  const start = toMoment(date, 0);
  const length = toMoment(date, DAY_MINUTES) - start;
  const hasUsualLength = length === DAY_MINUTES * MINUTE_MS;
  return {
    start,
    length,
    toPercent: (minute) =>
      hasUsualLength ? (minute / DAY_MINUTES) * 100 : ((toMoment(date, minute) - start) / length) * 100,
    formatTimeAt: (percent) =>
      percent >= 100 ? '24:00' : formatClockTime(start + toSeconds(percent, length) * SECOND_MS),
  };
}

const clockCache = new Map<string, DayClock>();

/** Returns the clock of a day (ISO date), cached. */
export function getDayClock(date: string): DayClock {
  const clock = clockCache.get(date) ?? createDayClock(date);
  clockCache.set(date, clock);
  return clock;
}
