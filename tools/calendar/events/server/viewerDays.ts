import { type Day, toDay } from '#platform/contract/day.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { toEventFields, getOccurrence, iterateOccurrences, type Occurrence } from '../../repeat/domain/occurrence.ts';
import { toLocalDay, toMinutes, formatLocalTime } from '../domain/day.ts';
import type { EventDraft, EventTimes } from '../domain/event.ts';
import { findNamedZone, toUtc, toLocalMs, type Zone } from '../domain/timeZone.ts';

/** Returns the day in the zone that a page names, or else in the home zone. @throws Refusal for an unknown zone */
export async function getToday(
  { identity, now }: Pick<ServerContext, 'identity' | 'now'>,
  account: number,
  tz: string | undefined,
): Promise<Day> {
  const { year, month, day: date } = now().toZonedDateTimeISO(await identity.resolveZone(account, tz));
  return toDay({ year, month, date });
}

/** Returns the occurrence that starts on a viewer's day, or else one that touches it. */
export function findOccurrence(event: EventTimes, day: Day, viewer: Zone | undefined): Occurrence | undefined {
  const occurrences = [...iterateOccurrences(event, { from: day, until: day, viewer })];
  return occurrences.find(({ start }) => toLocalDay(start) === day) ?? occurrences[0];
}

/** Converts an event's own day, on which an occurrence starts, to the viewer's day. */
export function toViewerDay(event: EventTimes, ownDay: Day, viewer: Zone | undefined): Day {
  return event.zone === undefined ? ownDay : toLocalDay(getOccurrence(event, ownDay, viewer).start);
}

/** Converts a viewer's day to the event's own day. */
export function getOwnDay(event: EventTimes, day: Day, viewer: Zone | undefined): Day {
  return [day, day - 1, day + 1].find((ownDay) => toViewerDay(event, ownDay, viewer) === day) ?? day;
}

/** Start and end in the viewer's zone. */
export interface ViewerTimes {
  readonly day: Day;
  readonly time: string | undefined;
  readonly endDay: Day;
  readonly endTime: string | undefined;
}

/** Returns the times, in the viewer's zone, of the occurrence that starts on an event's own day. */
export function getViewerTimes(event: EventTimes, ownDay: Day, viewer: Zone | undefined): ViewerTimes {
  return toEventFields(getOccurrence(event, ownDay, viewer));
}

const getLocalMs = (day: Day, time: string): number => day * DAY_MS + toMinutes(time) * MINUTE_MS;

/** The stored times of an event. */
export type EventTiming = Pick<EventDraft, 'day' | 'time' | 'endTime' | 'endDays' | 'zone'>;

/**
 * Converts times that a viewer sent to the own zone of an event. `sent` is the new first occurrence, with the clock
 * times of the one that starts on `reference`. Unchanged times stay as they are.
 */
export function toEventTiming(
  existing: EventTimes & Pick<EventDraft, 'time' | 'endTime'>,
  sent: ViewerTimes,
  { viewer, reference }: { readonly viewer: Zone | undefined; readonly reference: Day },
): EventTiming {
  const zone = existing.zone === undefined ? undefined : findNamedZone(existing.zone);
  const shift = sent.day - toViewerDay(existing, existing.day, viewer);
  const before = getViewerTimes(existing, reference, viewer);
  const length = sent.endDay - sent.day;
  if (sent.time === undefined || zone === undefined || viewer === undefined)
    return { day: sent.day, time: sent.time, endTime: sent.endTime, endDays: length, zone: undefined };
  const isSameEnd = sent.endTime === before.endTime && length === before.endDay - before.day;
  if (sent.time === before.time && isSameEnd) {
    const { day, time, endTime, endDays } = existing;
    return { day: day + shift, time, endTime, endDays, zone: existing.zone };
  }
  const toEventLocalMs = (day: Day, time: string): number => toLocalMs(zone, toUtc(viewer, getLocalMs(day, time)));
  const start = toEventLocalMs(before.day + shift, sent.time);
  const first = toLocalDay(start);
  const day = existing.day + first - reference;
  if (sent.endTime === undefined)
    return { day, time: formatLocalTime(start), endTime: undefined, endDays: 0, zone: existing.zone };
  const end = toEventLocalMs(before.day + shift + length, sent.endTime);
  return {
    day,
    time: formatLocalTime(start),
    endTime: formatLocalTime(end),
    endDays: toLocalDay(end) - first,
    zone: existing.zone,
  };
}
