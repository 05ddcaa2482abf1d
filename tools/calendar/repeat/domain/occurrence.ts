import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { toLocalDay, toMinutes, formatLocalTime } from '../../events/domain/day.ts';
import { countEndDays, findEndTime, type EventTimes } from '../../events/domain/event.ts';
import { findNamedZone, toUtc, toUtcEnd, toLocalMs, type LocalMs, type Zone } from '../../events/domain/timeZone.ts';
import { findNextStart } from './placement.ts';

/** One occurrence of an event, in the viewer's zone. */
export interface Occurrence {
  /** The event's own day on which it starts. Exceptions and changed days refer to it. */
  readonly own: Day;
  readonly start: LocalMs;
  /** Exclusive. Equals the start if the event has no end. */
  readonly end: LocalMs;
}

function toLocalRange(event: EventTimes, own: Day): readonly [LocalMs, LocalMs] {
  const { time, pattern } = event;
  const last = own + countEndDays(event);
  if (time === undefined) return [own * DAY_MS, (last + 1) * DAY_MS];
  const start = own * DAY_MS + toMinutes(time) * MINUTE_MS;
  const endTime = findEndTime(event);
  if (endTime !== undefined) return [start, last * DAY_MS + toMinutes(endTime) * MINUTE_MS];
  // A duration without an end time covers its whole last day. A duration of no hours is a moment.
  const isMoment = pattern.kind !== 'duration' || (pattern.duration.unit === 'hours' && pattern.duration.amount === 0);
  return [start, isMoment ? start : (last + 1) * DAY_MS];
}

/** Returns the occurrence that starts on an event's own day, in the viewer's zone. */
export function getOccurrence(event: EventTimes, own: Day, viewer: Zone | undefined): Occurrence {
  const [start, end] = toLocalRange(event, own);
  const zone = event.time === undefined || event.zone === undefined ? undefined : findNamedZone(event.zone);
  if (zone === undefined) return { own, start, end: Math.max(start, end) };
  const [from, until] = [toUtc(zone, start), toUtcEnd(zone, start, end)];
  const [first, last] = [toLocalMs(viewer ?? zone, from), toLocalMs(viewer ?? zone, until)];
  // In an hour that a clock shows twice, an end may read the same as its start, or earlier.
  return { own, start: first, end: last > first ? last : first + Math.max(0, until - from) };
}

/** Returns the last day of the occurrence. An end at midnight belongs to the day before. */
export function getLastDay({ start, end }: Occurrence): Day {
  return toLocalDay(Math.max(start, end - 1));
}

/** Maximum distance between the clocks of two zones, in days. */
export const MAX_ZONE_DISTANCE_DAYS = 2;

/**
 * Iterates over the occurrences that touch the viewer's days from `from` to `until`, in the order of their own days.
 */
export function* iterateOccurrences(
  event: EventTimes,
  { from, until, viewer }: { readonly from: Day; readonly until: Day; readonly viewer: Zone | undefined },
): Generator<Occurrence, void, undefined> {
  const zoneDistance = event.zone === undefined ? 0 : MAX_ZONE_DISTANCE_DAYS;
  const last = Math.min(LAST_DAY, until + zoneDistance);
  let own = findNextStart(event, Math.max(FIRST_DAY, from - countEndDays(event) - zoneDistance));
  while (own !== undefined && own <= last) {
    const one = getOccurrence(event, own, viewer);
    if (toLocalDay(one.start) <= until && getLastDay(one) >= from) yield one;
    own = findNextStart(event, own + 1);
  }
}

/** The part of an occurrence that is on one day. */
export interface DayPart {
  /** `HH:MM`; undefined if it covers the whole day. */
  readonly time: string | undefined;
  /** '24:00' if it continues past midnight, or ends there. */
  readonly endTime: string | undefined;
  readonly part: 'whole' | 'first' | 'middle' | 'last';
}

/** Returns the part of a timed occurrence on one of its days. */
export function getDayPart(one: Occurrence, day: Day): DayPart {
  const isFirst = toLocalDay(one.start) === day;
  const isLast = getLastDay(one) === day;
  if (!isFirst && !isLast) return { time: undefined, endTime: undefined, part: 'middle' };
  const part = isFirst ? (isLast ? 'whole' : 'first') : 'last';
  const isMoment = one.end === one.start;
  const endTime = isLast && one.end < (day + 1) * DAY_MS ? formatLocalTime(one.end) : '24:00';
  return { time: isFirst ? formatLocalTime(one.start) : '00:00', endTime: isMoment ? undefined : endTime, part };
}

/** Converts an occurrence to the fields of an event. An end at midnight is 00:00 of the next day. */
export function toEventFields(one: Occurrence) {
  return {
    day: toLocalDay(one.start),
    time: formatLocalTime(one.start),
    endDay: one.end === one.start ? toLocalDay(one.start) : toLocalDay(one.end),
    endTime: one.end === one.start ? undefined : formatLocalTime(one.end),
  };
}
