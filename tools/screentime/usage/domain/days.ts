import { parseIso as parseDay, toIso as formatDay, type Day } from '#platform/contract/day.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#platform/contract/duration.ts';
import type { SecondRange } from './track.ts';

const dateCache = new Map<Day, string>();
const MAX_CACHED_DATES = 50_000;

/** Formats `2026-11-23`. Cached, because every answer has the same thousands of days. */
export function toIso(day: Day): string {
  const already = dateCache.get(day);
  if (already !== undefined) return already;
  const iso = formatDay(day);
  if (dateCache.size >= MAX_CACHED_DATES) dateCache.clear();
  dateCache.set(day, iso);
  return iso;
}

/** Parses an ISO date between 1970 and 9999; undefined for anything else. */
export function parseIso(text: string): Day | undefined {
  const day = parseDay(text);
  return day !== undefined && day >= 0 ? day : undefined;
}

interface Weekday {
  readonly name: string;
  /** CSS colour for light mode; pages have their own for dark mode. */
  readonly colour: string;
}

/** Monday first, in the colours of the calendar. */
const WEEKDAYS = [
  { name: 'Monday', colour: '#1F5FC4' },
  { name: 'Tuesday', colour: '#8A5C00' },
  { name: 'Wednesday', colour: '#17703D' },
  { name: 'Thursday', colour: '#6E42B5' },
  { name: 'Friday', colour: '#0C6B8A' },
  { name: 'Saturday', colour: '#B4420C' },
  { name: 'Sunday', colour: '#A12C5A' },
] as const;
const WEEK = WEEKDAYS.length;

/** Returns the weekday of a day. 1970-01-01 was a Thursday. */
export function getWeekday(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % WEEK) + WEEK) % WEEK] ?? WEEKDAYS[0];
}

export type { Day };

/** Length of a slot. All zones are whole quarters of an hour from UTC, so their days are sums of slots. */
export const SLOT_SECONDS = 900;
export const SLOTS_PER_DAY = DAY_SECONDS / SLOT_SECONDS;

/** The days of one zone. */
export interface ZoneDays {
  /** IANA name, or an offset such as `+05:45`. */
  readonly zone: string;
  /** Start of a day in seconds since the epoch. It ends where the next day starts; a skipped day has length 0. */
  readonly getStart: (day: Day) => number;
  /** Day that contains a second since the epoch. */
  readonly getDay: (seconds: number) => Day;
}

/** Days whose starts are computed together. */
const BLOCK = 64;
const FURTHEST_HOURS = 15;

const computeStarts = (zone: string, first: Day): readonly number[] => {
  const day = Temporal.PlainDate.from('1970-01-01').add({ days: first });
  return Array.from({ length: BLOCK }, (_, at) => {
    const { epochMilliseconds } = day.add({ days: at }).toZonedDateTime(zone);
    return Math.round(epochMilliseconds / 1000 / SLOT_SECONDS) * SLOT_SECONDS;
  });
};

const createDays = (zone: string): ZoneDays => {
  const blocks = new Map<number, readonly number[]>();
  const getStart = (day: Day): number => {
    const block = Math.floor(day / BLOCK);
    let starts = blocks.get(block);
    if (!starts) {
      starts = computeStarts(zone, block * BLOCK);
      blocks.set(block, starts);
    }
    return starts[day - block * BLOCK] ?? Number.NaN;
  };
  return {
    zone,
    getStart,
    getDay: (seconds) => {
      // No zone differs more from UTC.
      let day = Math.floor((seconds + FURTHEST_HOURS * HOUR_SECONDS) / DAY_SECONDS);
      while (getStart(day) > seconds) day -= 1;
      return day;
    },
  };
};

const zoneCache = new Map<string, ZoneDays>();
const MAX_CACHED_ZONES = 200;

/** Creates the days of a zone, computed on demand and cached. */
export function getZoneDays(zone: string): ZoneDays {
  const already = zoneCache.get(zone);
  if (already) return already;
  const days = createDays(zone);
  if (zoneCache.size >= MAX_CACHED_ZONES) zoneCache.clear();
  zoneCache.set(zone, days);
  return days;
}

/** Counts the seconds in each slot of 15 minutes, in order. Spans must be sorted and must not overlap. */
export function slotSeconds(spans: readonly SecondRange[]): readonly (readonly [slot: number, seconds: number])[] {
  const found: [number, number][] = [];
  for (const { from, until } of spans) {
    let reached = from;
    while (reached < until) {
      const slot = Math.floor(reached / SLOT_SECONDS);
      const end = Math.min(until, (slot + 1) * SLOT_SECONDS);
      const last = found.at(-1);
      if (last && last[0] === slot) last[1] += end - reached;
      else found.push([slot, end - reached]);
      reached = end;
    }
  }
  return found;
}
