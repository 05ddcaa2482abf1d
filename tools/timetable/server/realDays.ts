import { LRUCache } from 'lru-cache';
import { toIso, type Day } from '#platform/contract/day.ts';
import type { RealDay } from '../domain/dayShares.ts';

const toMinutes = (duration: Temporal.Duration): number => duration.total('minutes');

function computeRealDay(day: Day, zone: string): RealDay {
  const date = Temporal.PlainDate.from(toIso(day));
  const dayStart = date.toZonedDateTime(zone);
  const dayEnd = date.add({ days: 1 }).toZonedDateTime(zone);
  // If midnight is skipped, the day starts with a jump.
  const jumps = [{ elapsed: 0, by: toMinutes(dayStart.toPlainDateTime().since(date.toPlainDateTime())) }];
  let change = dayStart.getTimeZoneTransition('next');
  while (change && Temporal.ZonedDateTime.compare(change, dayEnd) < 0) {
    const by = (change.offsetNanoseconds - change.subtract({ nanoseconds: 1 }).offsetNanoseconds) / 60e9;
    jumps.push({ elapsed: toMinutes(dayStart.until(change)), by });
    change = change.getTimeZoneTransition('next');
  }
  return { length: toMinutes(dayStart.until(dayEnd)), jumps };
}

/** By zone and day, because every request for a week needs its days. */
const realDayCache = new LRUCache<string, RealDay>({ max: 5000 });

/** Returns how a day passes in a zone, with its clock changes. `zone`: an IANA name or an offset such as '+05:30'. */
export function getRealDay(day: Day, zone: string): RealDay {
  const key = `${zone} ${day}`;
  const cached = realDayCache.get(key);
  if (cached) return cached;
  const realDay = computeRealDay(day, zone);
  realDayCache.set(key, realDay);
  return realDay;
}
