import { formatClockTime } from '#platform/web/browser/formats.ts';

const DAY_MINUTES = 1440;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** How a day passes in the browser's zone: with 23, 24 or 25 hours. */
export interface DayClock {
  /** Milliseconds since the epoch. */
  readonly begin: number;
  readonly length: number;
  /** Where the clock shows this minute, in percent of the day. */
  readonly percentOf: (minute: number) => number;
  /** What the clock shows there: `14:10`; the day's end is `24:00`. */
  readonly textAt: (percent: number) => string;
}

const momentOf = (date: string, minute: number): number => {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day, 0, minute).getTime();
};

/** Percents come with four decimals, which is less than a second: 07:59:59.97 is 08:00. */
const secondsTo = (percent: number, length: number): number => Math.round(((percent / 100) * length) / SECOND_MS);

const make = (date: string): DayClock => {
  const begin = momentOf(date, 0);
  const length = momentOf(date, DAY_MINUTES) - begin;
  const isPlain = length === DAY_MINUTES * MINUTE_MS;
  return {
    begin,
    length,
    percentOf: (minute) => (isPlain ? (minute / DAY_MINUTES) * 100 : ((momentOf(date, minute) - begin) / length) * 100),
    textAt: (percent) => (percent >= 100 ? '24:00' : formatClockTime(begin + secondsTo(percent, length) * SECOND_MS)),
  };
};

const known = new Map<string, DayClock>();

/** Of a day (ISO). Each is worked out once. */
export function dayClock(date: string): DayClock {
  const clock = known.get(date) ?? make(date);
  known.set(date, clock);
  return clock;
}
