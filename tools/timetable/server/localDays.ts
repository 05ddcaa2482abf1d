import { LRUCache } from 'lru-cache';
import { toIso, type Day } from '#platform/contract/day.ts';
import type { LocalDay } from '../domain/dayShares.ts';

const toMinutes = (duration: Temporal.Duration): number => duration.total('minutes');

function computeLocalDay(day: Day, zone: string): LocalDay {
  const date = Temporal.PlainDate.from(toIso(day));
  const dayStart = date.toZonedDateTime(zone);
  const dayEnd = date.add({ days: 1 }).toZonedDateTime(zone);
  // If midnight is skipped, the day starts with a clock change.
  const clockChanges = [{ elapsed: 0, by: toMinutes(dayStart.toPlainDateTime().since(date.toPlainDateTime())) }];
  let change = dayStart.getTimeZoneTransition('next');
  while (change && Temporal.ZonedDateTime.compare(change, dayEnd) < 0) {
    const by = (change.offsetNanoseconds - change.subtract({ nanoseconds: 1 }).offsetNanoseconds) / 60e9;
    clockChanges.push({ elapsed: toMinutes(dayStart.until(change)), by });
    change = change.getTimeZoneTransition('next');
  }
  return { length: toMinutes(dayStart.until(dayEnd)), clockChanges };
}

/** Days by zone and date: every request for a week needs seven. */
const localDayCache = new LRUCache<string, LocalDay>({ max: 5000 });

/** Returns how a day passes in a zone, with its clock changes. `zone`: an IANA name or an offset such as '+05:30'. */
export function getLocalDay(day: Day, zone: string): LocalDay {
  const key = `${zone} ${day}`;
  const cached = localDayCache.get(key);
  if (cached) return cached;
  const localDay = computeLocalDay(day, zone);
  localDayCache.set(key, localDay);
  return localDay;
}
