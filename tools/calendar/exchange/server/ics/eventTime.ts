import type { Day } from '#platform/contract/day.ts';
import { DAY_MINUTES, DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { formatLocalTime, toLocalDay, toMinutes } from '#tools/calendar/events/domain/day.ts';
import {
  getIanaName,
  toUtc,
  toUtcEnd,
  toLocalMs,
  UTC,
  type LocalMs,
  type Zone,
} from '#tools/calendar/events/domain/timeZone.ts';
import { findLine, listLines, getRawText, type Component } from './contentLines.ts';
import { convertToZone, parseTimeList, parseDuration, type DateTime, type ListReader } from './dateTime.ts';

/** The time of an event, in its own zone. */
export interface EventTime {
  readonly start: DateTime;
  readonly day: Day;
  readonly time: string | undefined;
  readonly endTime: string | undefined;
  /** Number of days from the first to the last one. */
  readonly endDays: number;
  /** IANA name. Undefined for days and for times in no zone. */
  readonly zone: string | undefined;
}

export interface EventTimeReader extends ListReader {
  readonly home: Zone | undefined;
  /** Reports that something was changed on import. */
  readonly warn: (why: string) => void;
  /** Called if the times are in a zone without an IANA name. */
  readonly onUnnamed: () => void;
}

/** An end, as local time of the start's zone and as elapsed time. */
interface EventEnd {
  readonly localMs: LocalMs;
  /** Undefined if only the local time is known. */
  readonly length: number | undefined;
}

const MAX_LENGTH_MS = 1e14;

function parseWrittenEnd(component: Component, start: DateTime, reader: EventTimeReader): EventEnd | undefined {
  const line = findLine(component, 'DTEND');
  const end = line === undefined ? undefined : parseTimeList(line, reader)[0];
  if (end) {
    if (start.isDate || end.isDate || start.zone === end.zone || end.zone === undefined)
      return { localMs: end.localMs, length: undefined };
    if (start.zone === undefined) return { localMs: convertToZone(end, reader.home), length: undefined };
    const length = toUtc(end.zone, end.localMs) - toUtc(start.zone, start.localMs);
    return { localMs: start.localMs + length, length };
  }
  const duration = parseDuration(getRawText(component, 'DURATION'));
  if (duration === undefined) return undefined;
  const { days, ms } = duration;
  const localMs = start.localMs + days * DAY_MS + ms;
  if (start.isDate || start.zone === undefined || ms === 0) return { localMs, length: undefined };
  const length = toUtc(start.zone, start.localMs + days * DAY_MS) + ms - toUtc(start.zone, start.localMs);
  return { localMs, length };
}

/** Returns the end. Undefined if there is none, or if it is invalid or before the start, which is reported. */
function parseEnd(component: Component, start: DateTime, reader: EventTimeReader): EventEnd | undefined {
  if (listLines(component, 'DTEND').length + listLines(component, 'DURATION').length === 0) return undefined;
  const end = parseWrittenEnd(component, start, reader);
  if (end === undefined || Math.abs(end.localMs - start.localMs) > MAX_LENGTH_MS) {
    reader.warn('Its end cannot be read, so it has none');
    return undefined;
  }
  if (end.localMs >= start.localMs && (end.length ?? 0) >= 0) return end;
  reader.warn('Its end is before its start, so it has none');
  return undefined;
}

interface StartEnd {
  readonly start: DateTime;
  readonly end: LocalMs;
}

/** Returns a single event in its zone, or in UTC if the end is in the second of two equal hours of that zone. */
function toExactSpan(start: DateTime, zone: Zone, from: number, length: number): StartEnd {
  const until = from + length;
  const end = toLocalMs(zone, until);
  const isEndClear = length === 0 || (toUtc(zone, end) === until && end > start.localMs);
  if (isEndClear && toUtc(zone, start.localMs) === from) return { start, end };
  return { start: { ...start, localMs: from, zone: UTC }, end: until };
}

/** Returns a start in a zone with an IANA name. Times of other zones are converted to the account's. */
function toNamedStart(start: DateTime, { home, onUnnamed }: EventTimeReader): DateTime {
  const { zone, isDate } = start;
  if (isDate || zone === undefined || home === undefined || getIanaName(zone) !== undefined) return start;
  onUnnamed();
  return { ...start, localMs: convertToZone(start, home), zone: home };
}

/**
 * Converts start and end to one zone. All occurrences have the local length of the first one, which may be on a day
 * when the clock changes.
 */
function toStartEnd(
  originalStart: DateTime,
  end: EventEnd | undefined,
  isRepeat: boolean,
  reader: EventTimeReader,
): StartEnd {
  const start = toNamedStart(originalStart, reader);
  const { localMs, zone } = originalStart;
  if (end === undefined) return { start, end: start.localMs };
  const isMoved = start !== originalStart && zone !== undefined;
  const length = end.length ?? (isMoved ? toUtcEnd(zone, localMs, end.localMs) - toUtc(zone, localMs) : undefined);
  if (isRepeat || length === undefined || zone === undefined)
    return { start, end: end.localMs + start.localMs - localMs };
  return toExactSpan(start, start.zone ?? UTC, toUtc(zone, localMs), length);
}

export function hasRepeat(component: Component): boolean {
  return listLines(component, 'RRULE').length + listLines(component, 'RDATE').length > 0;
}

export function findEventTime(component: Component, reader: EventTimeReader): EventTime | undefined {
  const [originalStart] = parseTimeList(findLine(component, 'DTSTART') ?? '', reader);
  if (!originalStart) return undefined;
  const { start, end } = toStartEnd(
    originalStart,
    parseEnd(component, originalStart, reader),
    hasRepeat(component),
    reader,
  );
  const day = toLocalDay(start.localMs);
  if (start.isDate) {
    const length = Math.ceil((end - start.localMs) / DAY_MS);
    if (length * DAY_MS !== end - start.localMs)
      reader.warn('It lasts whole days but has an end time, so the last day is shown as a whole day');
    return { start, day, time: undefined, endTime: undefined, endDays: Math.max(0, length - 1), zone: undefined };
  }
  // Seconds are not stored: an event of less than a minute has no end.
  const until = Math.floor(end / MINUTE_MS) * MINUTE_MS;
  const hasEnd = until > Math.floor(start.localMs / MINUTE_MS) * MINUTE_MS;
  return {
    start,
    day,
    time: formatLocalTime(start.localMs),
    endTime: hasEnd ? formatLocalTime(until) : undefined,
    endDays: hasEnd ? toLocalDay(until) - day : 0,
    zone: start.zone && getIanaName(start.zone),
  };
}

/** Maximum length of an event past midnight that is still a single event and not a duration. */
export const MAX_SINGLE_MINUTES = DAY_MINUTES;

export function getLengthMinutes({ time, endTime, endDays }: EventTime): number {
  return time === undefined || endTime === undefined
    ? (endDays + 1) * MAX_SINGLE_MINUTES
    : endDays * MAX_SINGLE_MINUTES + toMinutes(endTime) - toMinutes(time);
}
