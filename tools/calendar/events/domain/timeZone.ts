import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { padTwo } from '#platform/contract/text.ts';

/** Local time in milliseconds, as if it were UTC. */
export type LocalMs = number;

/** A time zone: returns the offset from UTC at a moment, in milliseconds. */
export type Zone = (utcMs: number) => number;

/**
 * Converts local time to UTC. In an overlap it is the first of two moments; in a gap it is as far after the gap as the
 * time is into it.
 */
export function toUtc(zone: Zone, localMs: LocalMs): number {
  const before = zone(localMs - DAY_MS);
  if (zone(localMs - before) === before) return localMs - before;
  const after = zone(localMs + DAY_MS);
  return zone(localMs - after) === after ? localMs - after : localMs - before;
}

/**
 * Converts a local end to UTC. If a change of the clock would put the end before the start, it keeps the local length.
 */
export function toUtcEnd(zone: Zone, start: LocalMs, end: LocalMs): number {
  const [from, until] = [toUtc(zone, start), toUtc(zone, end)];
  return until > from || end <= start ? until : from + end - start;
}

export function toLocalMs(zone: Zone, utcMs: number): LocalMs {
  return utcMs + zone(utcMs);
}

const MAX_CACHED_DAYS = 20_000;

function createCachedZone(name: string): Zone {
  const readOffset = (utcMs: number): number =>
    new Temporal.ZonedDateTime(BigInt(Math.trunc(utcMs)) * 1_000_000n, name).offsetNanoseconds / 1_000_000;
  // The offset is constant on all but two days of a year, and pages request the same days repeatedly.
  const offsetByDay = new Map<number, number | undefined>();
  return (utcMs) => {
    const day = Math.floor(utcMs / DAY_MS);
    if (!offsetByDay.has(day)) {
      if (offsetByDay.size >= MAX_CACHED_DAYS) offsetByDay.clear();
      const first = readOffset(day * DAY_MS);
      offsetByDay.set(day, first === readOffset((day + 1) * DAY_MS) ? first : undefined);
    }
    return offsetByDay.get(day) ?? readOffset(utcMs);
  };
}

export const UTC: Zone = () => 0;
const nameByZone = new WeakMap<Zone, string>([[UTC, 'UTC']]);
const zoneByName = new Map<string, Zone | undefined>();
const MAX_CACHED_NAMES = 1000;

const UTC_NAME_PATTERN = /^(?:UTC|GMT|Z|Zulu|Etc\/(?:UTC|GMT|UCT|Zulu|Universal|Greenwich))$/i;

function createZone(name: string): Zone | undefined {
  if (!/^[A-Za-z][\w+/-]{0,60}$/.test(name)) return undefined;
  if (UTC_NAME_PATTERN.test(name)) return UTC;
  try {
    const { timeZoneId } = new Temporal.ZonedDateTime(0n, name);
    const zone = createCachedZone(timeZoneId);
    nameByZone.set(zone, timeZoneId);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Finds a zone by its IANA name, in any case. */
export function findNamedZone(name: string): Zone | undefined {
  if (!zoneByName.has(name)) {
    if (zoneByName.size >= MAX_CACHED_NAMES) zoneByName.clear();
    zoneByName.set(name, createZone(name));
  }
  return zoneByName.get(name);
}

/** Returns the IANA name of a zone, or undefined if a file defines the zone itself. */
export function getIanaName(zone: Zone): string | undefined {
  return nameByZone.get(zone);
}

/** Formats an offset in milliseconds, such as `+0545`. */
export function formatOffset(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  return `${offset < 0 ? '-' : '+'}${padTwo(Math.floor(minutes / 60))}${padTwo(minutes % 60)}`;
}
