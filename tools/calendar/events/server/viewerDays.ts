import type { ServerContext } from '#platform/server/tool.ts';
import { fieldsOf, occurrenceOn, occurrencesBetween, type Occurrence } from '../../repeat/domain/occurrence.ts';
import { DAY_MS, dayOfLocalMs, type Day, minutesOf, timeOf, dayOf } from '../domain/day.ts';
import type { EventDraft, EventTimes } from '../domain/event.ts';
import { namedZone, toUtc, toWall, type Zone } from '../domain/timeZone.ts';

/** Whose day it is: by the zone that a page names, else by the account's home. @throws Refusal for an unknown zone */
export async function todayOf(
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  account: number,
  tz: string | undefined,
): Promise<Day> {
  const { year, month, day: date } = now().toZonedDateTimeISO(await identity.resolveZone(account, tz));
  return dayOf({ year, month, date });
}

const MINUTE_MS = 60_000;

/** The time of an event that begins on a viewer's day, else one of which a part lies there. */
export function occurrenceAt(event: EventTimes, day: Day, viewer: Zone | undefined): Occurrence | undefined {
  const there = [...occurrencesBetween(event, { from: day, until: day, viewer })];
  return there.find(({ start }) => dayOfLocalMs(start) === day) ?? there[0];
}

/** The day of a viewer on which the time begins that begins on a day by the event's own clock. */
export function viewedDay(event: EventTimes, own: Day, viewer: Zone | undefined): Day {
  return event.zone === undefined ? own : dayOfLocalMs(occurrenceOn(event, own, viewer).start);
}

/** The day by the event's own clock that a viewer's day is. */
export function ownDayOf(event: EventTimes, day: Day, viewer: Zone | undefined): Day {
  return [day, day - 1, day + 1].find((own) => viewedDay(event, own, viewer) === day) ?? day;
}

/** Start and end by a viewer's clock. */
export interface Times {
  readonly day: Day;
  readonly time: string | undefined;
  readonly endDay: Day;
  readonly endTime: string | undefined;
}

/** When the time of a zoned event is that begins on a day by its own clock. */
export function viewedTimes(event: EventTimes, own: Day, viewer: Zone | undefined): Times {
  return fieldsOf(occurrenceOn(event, own, viewer));
}

const clockOf = (wall: number): string => timeOf(Math.floor((wall - dayOfLocalMs(wall) * DAY_MS) / MINUTE_MS));
const wallOf = (day: Day, time: string): number => day * DAY_MS + minutesOf(time) * MINUTE_MS;

type Timing = Pick<EventDraft, 'day' | 'time' | 'endTime' | 'endDays' | 'zone'>;

/**
 * What a viewer sent of an event that has a zone, as its own clock tells it: `sent` is when its first time shall be, its clock times those of
 * the time that begins on `reference` by the event's own clock. Times that were not changed stay what they are.
 */
export function zonedTimes(
  existing: EventTimes & Pick<EventDraft, 'time' | 'endTime'>,
  sent: Times,
  { viewer, reference }: { readonly viewer: Zone | undefined; readonly reference: Day },
): Timing {
  const zone = existing.zone === undefined ? undefined : namedZone(existing.zone);
  const by = sent.day - viewedDay(existing, existing.day, viewer);
  const before = viewedTimes(existing, reference, viewer);
  const length = sent.endDay - sent.day;
  if (sent.time === undefined || zone === undefined || viewer === undefined)
    return { day: sent.day, time: sent.time, endTime: sent.endTime, endDays: length, zone: undefined };
  const isSameEnd = sent.endTime === before.endTime && length === before.endDay - before.day;
  if (sent.time === before.time && isSameEnd) {
    const { day, time, endTime, endDays } = existing;
    return { day: day + by, time, endTime, endDays, zone: existing.zone };
  }
  const there = (day: Day, time: string): number => toWall(zone, toUtc(viewer, wallOf(day, time)));
  const start = there(before.day + by, sent.time);
  const first = dayOfLocalMs(start);
  const day = existing.day + by + first - (reference + by);
  if (sent.endTime === undefined)
    return { day, time: clockOf(start), endTime: undefined, endDays: 0, zone: existing.zone };
  const end = there(before.day + by + length, sent.endTime);
  return { day, time: clockOf(start), endTime: clockOf(end), endDays: dayOfLocalMs(end) - first, zone: existing.zone };
}
