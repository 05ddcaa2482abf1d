import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { toLocalDay, parseDay } from '#tools/calendar/events/domain/day.ts';
import { toUtc, toLocalMs, UTC, type LocalMs, type Zone } from '#tools/calendar/events/domain/timeZone.ts';
import { formatIcsDay, formatIcsInstant } from '../../domain/icsText.ts';
import { getParameterValues, parsePropertyLine, type PropertyLine } from './contentLines.ts';

/** A date or time of a property. */
export interface DateTime {
  readonly localMs: LocalMs;
  readonly isDate: boolean;
  /** Undefined for floating times. */
  readonly zone: Zone | undefined;
}

/**
 * The basic format (RFC 5545), or the extended one of ISO 8601, which some programs write. 24:00 is the end of the day.
 */
const DATE_TIME_PATTERN =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[T ](?:([01]\d|2[0-3]):?([0-5]\d)(?::?([0-5]\d|60)(?:[.,]\d{1,9})?)?|(24):?00(?::?00)?) ?(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?)?$/i;

/** Parses `20261205T090000Z` or `20261205`. Returns undefined if there is no such day or time. */
export function parseDateTime(text: string, zone: Zone | undefined): DateTime | undefined {
  const [, year, , month, date, hours, minutes = '0', seconds = '0', dayEnd, utc, sign, ...offset] =
    DATE_TIME_PATTERN.exec(text.trim()) ?? [];
  const day = parseDay(`${year}-${month}-${date}`);
  if (day === undefined) return undefined;
  const hour = hours ?? dayEnd;
  if (hour === undefined) return { localMs: day * DAY_MS, isDate: true, zone: undefined };
  const localMs = day * DAY_MS + ((Number(hour) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  if (utc !== undefined) return { localMs, isDate: false, zone: UTC };
  if (sign === undefined) return { localMs, isDate: false, zone };
  const [ahead = 0, more = 0] = offset.map((part) => Number(part ?? 0));
  const ms = (ahead * 60 + more) * MINUTE_MS;
  return { localMs: sign === '-' ? localMs + ms : localMs - ms, isDate: false, zone: UTC };
}

/** Splits a list such as `EXDATE`. Some programs use semicolons. */
export function splitValues(text: string): readonly string[] {
  return text.split(/[,;]/, 20_000).map((value) => value.trim());
}

/** How the dates and times of a file are interpreted. */
export interface DateTimeReader {
  readonly zones: { readonly find: (name: string) => Zone | undefined };
  /** The zone of dates and floating times (`calendar-timezone`, or that of the query). */
  readonly floating: Zone;
}

/** Returns the name of a property's zone, or undefined. An unquoted name may contain commas. */
export function findZoneId(property: PropertyLine): string | undefined {
  return getParameterValues(property, 'TZID')?.join(',');
}

/** Returns the zone of a property: the floating one if its name is unknown, undefined if it names none. */
export function findZone(property: PropertyLine, { zones, floating }: DateTimeReader): Zone | undefined {
  const name = findZoneId(property);
  return name === undefined ? undefined : (zones.find(name) ?? floating);
}

/** Returns the first date or time of a property. */
export function readDateTime(property: PropertyLine | undefined, reader: DateTimeReader): DateTime | undefined {
  if (property === undefined) return undefined;
  return parseDateTime(property.value.split(/[,/]/, 1)[0] ?? '', findZone(property, reader));
}

export function toInstant({ localMs, zone }: DateTime, floating: Zone): number {
  return toUtc(zone ?? floating, localMs);
}

/** Returns the local time of a moment that means a day. Some programs write days as midnight in UTC. */
export function toDayMs({ localMs, isDate, zone }: DateTime, floating: Zone | undefined): LocalMs {
  if (isDate || zone === undefined || floating === undefined) return localMs;
  const local = toLocalMs(floating, toUtc(zone, localMs));
  return local % DAY_MS === 0 ? local : localMs;
}

/** Returns a moment in local time of the zone of another one. Dates don't change. */
export function convertToClock(moment: DateTime, reference: DateTime, floating: Zone): number {
  if (reference.isDate) return toDayMs(moment, floating);
  if (moment.isDate || moment.zone === reference.zone) return moment.localMs;
  return toLocalMs(reference.zone ?? floating, toInstant(moment, floating));
}

/** Converts a moment to another zone. Dates and floating times don't change. */
export function convertToZone({ localMs, isDate, zone }: DateTime, other: Zone | undefined): LocalMs {
  return isDate || zone === undefined || other === undefined || zone === other
    ? localMs
    : toLocalMs(other, toUtc(zone, localMs));
}

/** Formats a property with a date, a floating time, or else a time in UTC. */
export function formatDateTimeLine(name: string, dateTime: DateTime): PropertyLine {
  if (dateTime.isDate) return { name, head: `${name};VALUE=DATE`, value: formatIcsDay(toLocalDay(dateTime.localMs)) };
  const isFloating = dateTime.zone === undefined;
  return {
    name,
    head: name,
    value: isFloating ? formatIcsInstant(dateTime.localMs).slice(0, -1) : formatIcsInstant(toInstant(dateTime, UTC)),
  };
}

// Durations --------------------------------------------------------------------------------------------

/** A duration: local days, and elapsed milliseconds. Both are negative for durations that go back. */
export interface Duration {
  readonly days: number;
  readonly ms: number;
}

/** Some programs omit the `T` before hours. `M` still means minutes, because there are no months. */
const DURATION_PATTERN =
  /^([+-]?)P(?=T?\d)(?:(\d{1,6})W)?(?:(\d{1,6})D)?T?(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?$/i;

/** Parses `P1DT2H`. Returns undefined if it is no duration. */
export function parseDuration(text: string): Duration | undefined {
  const parts = DURATION_PATTERN.exec(text.trim());
  if (parts === null) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(2).map((part) => Number(part ?? 0));
  const sign = parts[1] === '-' ? -1 : 1;
  return { days: sign * (weeks * 7 + days), ms: sign * ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}

/** Adds a duration to a moment. */
export function addDuration(start: DateTime, { days, ms }: Duration, floating: Zone): number {
  return toInstant({ ...start, localMs: start.localMs + days * DAY_MS }, floating) + ms;
}

// Lists of a file --------------------------------------------------------------------------------------

/** A time of a line, with its length if it is a period (`RDATE`). */
export interface ListedTime extends DateTime {
  readonly length?: number | undefined;
}

export interface ListReader {
  readonly zones: DateTimeReader['zones'];
  readonly onUnknownZone: (name: string) => void;
}

function parseLength(start: DateTime, text: string): number | undefined {
  const duration = parseDuration(text);
  if (duration) return duration.days * DAY_MS + duration.ms;
  const end = parseDateTime(text, start.zone);
  return end && toInstant(end, UTC) - toInstant(start, UTC);
}

function parseListedTime(text: string, isDate: boolean, zone: Zone | undefined): ListedTime | undefined {
  const [first = '', end] = text.split('/', 2);
  const start = parseDateTime(first, zone);
  if (start === undefined) return undefined;
  if (isDate) return { localMs: toLocalDay(start.localMs) * DAY_MS, isDate, zone: undefined };
  return end === undefined ? start : { ...start, length: parseLength(start, end) };
}

/** Parses the times of a line such as `DTSTART` or `EXDATE`. Invalid ones are undefined. */
export function parseTimeList(line: string, { zones, onUnknownZone }: ListReader): readonly (ListedTime | undefined)[] {
  const property = parsePropertyLine(line);
  if (property === undefined) return [];
  const name = findZoneId(property);
  const zone = name === undefined ? undefined : zones.find(name);
  if (name !== undefined && zone === undefined) onUnknownZone(name);
  const isDate = getParameterValues(property, 'VALUE')?.[0]?.toUpperCase() === 'DATE';
  return splitValues(property.value).map((value) => parseListedTime(value, isDate, zone));
}
