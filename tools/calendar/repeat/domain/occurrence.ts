import { DAY_MS, dayOfLocalMs, FIRST_DAY, LAST_DAY, type Day, minutesOf, timeOf } from '../../events/domain/day.ts';
import { endDaysOf, endTimeOf, type EventTimes } from '../../events/domain/event.ts';
import { namedZone, toUtc, toUtcEnd, toWall, type WallMs, type Zone } from '../../events/domain/timeZone.ts';
import { startFrom } from './placement.ts';

const MINUTE_MS = 60_000;

/** One of the times that an event takes place, by the clock of whoever looks. */
export interface Occurrence {
  /** The day on which it begins by the event's own clock: what exceptions and changed days name it by. */
  readonly own: Day;
  readonly start: WallMs;
  /** No part of it; the start itself where there is no end. */
  readonly end: WallMs;
}

const spanOn = (event: EventTimes, own: Day): readonly [WallMs, WallMs] => {
  const { time, pattern } = event;
  const last = own + endDaysOf(event);
  if (time === undefined) return [own * DAY_MS, (last + 1) * DAY_MS];
  const start = own * DAY_MS + minutesOf(time) * MINUTE_MS;
  const endTime = endTimeOf(event);
  if (endTime !== undefined) return [start, last * DAY_MS + minutesOf(endTime) * MINUTE_MS];
  // A duration without an end of its own takes all of its last day; one of no hours is a moment.
  const isMoment = pattern.kind !== 'duration' || (pattern.duration.unit === 'hours' && pattern.duration.amount === 0);
  return [start, isMoment ? start : (last + 1) * DAY_MS];
};

/** The time that begins on a day by the event's own clock, as a viewer's clock shows it. */
export function occurrenceOn(event: EventTimes, own: Day, viewer: Zone | undefined): Occurrence {
  const [start, end] = spanOn(event, own);
  const zone = event.time === undefined || event.zone === undefined ? undefined : namedZone(event.zone);
  if (zone === undefined) return { own, start, end: Math.max(start, end) };
  const [from, until] = [toUtc(zone, start), toUtcEnd(zone, start, end)];
  const [first, last] = [toWall(viewer ?? zone, from), toWall(viewer ?? zone, until)];
  // In an hour that a clock shows twice an end reads like its start, or earlier.
  return { own, start: first, end: last > first ? last : first + Math.max(0, until - from) };
}

/** The last day that belongs to it: an end at midnight belongs to the day before. */
export function lastDayOf({ start, end }: Occurrence): Day {
  return dayOfLocalMs(Math.max(start, end - 1));
}

/** No two zones' clocks are further apart, in days. */
export const ZONES_APART = 2;

/** The times of which a part lies on one of the days from `from` to `until` by a viewer's clock, in the order of their own days. */
export function* occurrencesBetween(
  event: EventTimes,
  { from, until, viewer }: { readonly from: Day; readonly until: Day; readonly viewer: Zone | undefined },
): Generator<Occurrence, void, undefined> {
  const apart = event.zone === undefined ? 0 : ZONES_APART;
  const last = Math.min(LAST_DAY, until + apart);
  let own = startFrom(event, Math.max(FIRST_DAY, from - endDaysOf(event) - apart));
  while (own !== undefined && own <= last) {
    const one = occurrenceOn(event, own, viewer);
    if (dayOfLocalMs(one.start) <= until && lastDayOf(one) >= from) yield one;
    own = startFrom(event, own + 1);
  }
}

/** What of a time lies on one day. */
export interface DayPart {
  /** `HH:MM`; undefined where all of the day is taken. */
  readonly time: string | undefined;
  /** '24:00' where it goes on past midnight, or ends there. */
  readonly endTime: string | undefined;
  readonly part: 'whole' | 'first' | 'middle' | 'last';
}

const clockOf = (wall: WallMs): string => timeOf(Math.floor((wall - dayOfLocalMs(wall) * DAY_MS) / MINUTE_MS));

/** The part of a timed occurrence on one of its days. */
export function partOn(one: Occurrence, day: Day): DayPart {
  const isFirst = dayOfLocalMs(one.start) === day;
  const isLast = lastDayOf(one) === day;
  if (!isFirst && !isLast) return { time: undefined, endTime: undefined, part: 'middle' };
  const part = isFirst ? (isLast ? 'whole' : 'first') : 'last';
  const isMoment = one.end === one.start;
  const endTime = isLast && one.end < (day + 1) * DAY_MS ? clockOf(one.end) : '24:00';
  return { time: isFirst ? clockOf(one.start) : '00:00', endTime: isMoment ? undefined : endTime, part };
}

/** Start and end of a time in the fields of an event: an end at midnight is told as 00:00 of the next day. */
export function fieldsOf(one: Occurrence) {
  return {
    day: dayOfLocalMs(one.start),
    time: clockOf(one.start),
    endDay: one.end === one.start ? dayOfLocalMs(one.start) : dayOfLocalMs(one.end),
    endTime: one.end === one.start ? undefined : clockOf(one.end),
  };
}
