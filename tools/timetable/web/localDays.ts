import { parseIso, toIso, type Day } from '#platform/contract/day.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { formatIsoDate } from '#platform/web/browser/formats.ts';
import type { ClockChange, LocalDay } from '../domain/dayShares.ts';

/** Returns the browser's offset in hours east of UTC (docs/specification/timetable.md section 6). */
export function getOffsetHours(): string {
  return String(-new Date().getTimezoneOffset() / 60);
}

/** Returns the start of a day in the browser's zone, in epoch milliseconds. */
export function getDayStart(day: Day): number {
  const [year = 1970, month = 1, date = 1] = toIso(day).split('-').map(Number);
  const dayStart = new Date(2000, 0, 1);
  dayStart.setFullYear(year, month - 1, date);
  return dayStart.getTime();
}

const getOffset = (time: number): number => new Date(time).getTimezoneOffset();

/** Returns the moment of the clock change between two moments, to the minute. */
function findClockChange(from: number, until: number): number {
  const before = getOffset(from);
  let [low, high] = [from, until];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (getOffset(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

function listClockChanges(dayStart: number, dayEnd: number): readonly ClockChange[] {
  const clockChanges: ClockChange[] = [];
  // If midnight is skipped, the clock starts the day later than 00:00.
  const startDate = new Date(dayStart);
  const skippedMinutes = startDate.getHours() * 60 + startDate.getMinutes();
  if (skippedMinutes > 0) clockChanges.push({ elapsed: 0, by: skippedMinutes });
  for (let from = dayStart; from < dayEnd; from += HOUR_MS) {
    const until = Math.min(from + HOUR_MS, dayEnd - MINUTE_MS);
    const by = getOffset(from) - getOffset(until);
    if (by !== 0) clockChanges.push({ elapsed: (findClockChange(from, until) - dayStart) / MINUTE_MS, by });
  }
  return clockChanges;
}

/** Returns how a day passes in the browser's zone, with its clock changes. */
export function getLocalDay(day: Day): LocalDay {
  const [dayStart, dayEnd] = [getDayStart(day), getDayStart(day + 1)];
  return { length: Math.max(0, (dayEnd - dayStart) / MINUTE_MS), clockChanges: listClockChanges(dayStart, dayEnd) };
}

/** Creates a cached version of `getLocalDay`. */
export function createLocalDayCache(): (day: Day) => LocalDay {
  const cache = new Map<Day, LocalDay>();
  return (day) => {
    const localDay = cache.get(day) ?? getLocalDay(day);
    cache.set(day, localDay);
    return localDay;
  };
}

/** Returns the browser's day of a moment in epoch milliseconds. */
export function getDayAt(time: number): Day {
  return parseIso(formatIsoDate(new Date(time))) ?? 0;
}
