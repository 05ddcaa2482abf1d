import { parseIso as parseDay, toIso as formatDay, type Day } from '#platform/contract/day.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#platform/contract/duration.ts';
import type { SecondRange } from './track.ts';

const dateCache = new Map<Day, string>();
const MAX_CACHED_DATES = 50_000;

/** Formats `2026-11-23`. Cached, because every answer has the same thousands of days. */
export function toIso(day: Day): string {
  const cached = dateCache.get(day);
  if (cached !== undefined) return cached;
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
const DAYS_PER_WEEK = WEEKDAYS.length;

/** Returns the weekday of a day. 1970-01-01 was a Thursday. */
export function getWeekday(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK] ?? WEEKDAYS[0];
}

export type { Day };

/** Length of a slot. All zones are whole quarters of an hour from UTC, so their days are sums of slots. */
export const SLOT_SECONDS = 900;
export const SLOTS_PER_DAY = DAY_SECONDS / SLOT_SECONDS;

export interface ZoneDays {
  /** IANA name, or an offset such as `+05:45`. */
  readonly zone: string;
  /** Start of a day in seconds since the epoch. It ends where the next day starts; a skipped day has length 0. */
  readonly getStart: (day: Day) => number;
  /** Day that contains a second since the epoch. */
  readonly getDay: (seconds: number) => Day;
}

/** Days whose starts are computed together. */
const BLOCK_DAYS = 64;
const MAX_OFFSET_HOURS = 15;

function computeStarts(zone: string, first: Day): readonly number[] {
  const day = Temporal.PlainDate.from('1970-01-01').add({ days: first });
  return Array.from({ length: BLOCK_DAYS }, (_, index) => {
    const { epochMilliseconds } = day.add({ days: index }).toZonedDateTime(zone);
    return Math.round(epochMilliseconds / 1000 / SLOT_SECONDS) * SLOT_SECONDS;
  });
}

function createZoneDays(zone: string): ZoneDays {
  const blocks = new Map<number, readonly number[]>();
  function getStart(day: Day): number {
    const block = Math.floor(day / BLOCK_DAYS);
    let starts = blocks.get(block);
    if (!starts) {
      starts = computeStarts(zone, block * BLOCK_DAYS);
      blocks.set(block, starts);
    }
    return starts[day - block * BLOCK_DAYS] ?? Number.NaN;
  }
  return {
    zone,
    getStart,
    getDay: (seconds) => {
      // No zone differs more from UTC.
      let day = Math.floor((seconds + MAX_OFFSET_HOURS * HOUR_SECONDS) / DAY_SECONDS);
      while (getStart(day) > seconds) day -= 1;
      return day;
    },
  };
}

const zoneCache = new Map<string, ZoneDays>();
const MAX_CACHED_ZONES = 200;

/** Creates the days of a zone, computed on demand and cached. */
export function getZoneDays(zone: string): ZoneDays {
  const cached = zoneCache.get(zone);
  if (cached) return cached;
  const days = createZoneDays(zone);
  if (zoneCache.size >= MAX_CACHED_ZONES) zoneCache.clear();
  zoneCache.set(zone, days);
  return days;
}

/** Lists all integers from `first` to `last`, inclusive. */
export function listIntegers(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

export function listUtcDays({ from, until }: SecondRange): readonly Day[] {
  return listIntegers(Math.floor(from / DAY_SECONDS), Math.floor((until - 1) / DAY_SECONDS));
}

/** Counts the seconds in each slot of 15 minutes, in order. Ranges must be sorted and must not overlap. */
export function sumSecondsBySlot(
  ranges: readonly SecondRange[],
): readonly (readonly [slot: number, seconds: number])[] {
  const sums: [number, number][] = [];
  for (const { from, until } of ranges) {
    let reached = from;
    while (reached < until) {
      const slot = Math.floor(reached / SLOT_SECONDS);
      const end = Math.min(until, (slot + 1) * SLOT_SECONDS);
      const last = sums.at(-1);
      if (last && last[0] === slot) last[1] += end - reached;
      else sums.push([slot, end - reached]);
      reached = end;
    }
  }
  return sums;
}
