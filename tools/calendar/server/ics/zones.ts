import { zoneNamed } from '#platform/server/zoneName.ts';
import { DAY_MS, dayOfLocalMs, parseDay, type Day } from '../../domain/day.ts';
import { daysOfRule, ruleIn, type Budget } from '../../domain/icsRule.ts';
import { nameOf, propertyIn, rawValueOf, textIn, unfolded } from './lines.ts';
import { ianaOfWindowsZone } from './windowsZones.ts';

const MINUTE_MS = 60_000;

/** A wall clock's reading in milliseconds, as if it were UTC. */
export type WallMs = number;

/** A time zone: how far its clocks are ahead of UTC at a moment, in milliseconds. */
export type Zone = (utcMs: number) => number;

export const UTC: Zone = () => 0;

/** The moment at which a zone's clock shows a reading: the first of two where clocks go back, the one an hour on where they go forward. */
export const toUtc = (zone: Zone, wall: WallMs): number => {
  const before = zone(wall - DAY_MS);
  if (zone(wall - before) === before) return wall - before;
  const after = zone(wall + DAY_MS);
  return zone(wall - after) === after ? wall - after : wall - before;
};

export const toWall = (zone: Zone, utcMs: number): WallMs => utcMs + zone(utcMs);

/** Milliseconds of `2026-11-23T09:00:00` or `2026-11-23`, of the wall clock; undefined where there is no such day or time. */
export const wallIn = (iso: string): WallMs | undefined => {
  const [, date = '', hours = '0', minutes = '0'] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d):(?:\d\d)?)?Z?$/.exec(iso) ?? [];
  const day = parseDay(date);
  if (day === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return day * DAY_MS + (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
};

const named = new Map<string, Zone | undefined>();
const NAMED_LIMIT = 1000;

const makeNamed = (name: string): Zone | undefined => {
  if (!/^[A-Za-z][\w+/-]{0,60}$/.test(name)) return undefined;
  const known = zoneNamed(name);
  if (known === undefined) return undefined;
  return (utcMs) =>
    new Temporal.ZonedDateTime(BigInt(Math.trunc(utcMs)) * 1_000_000n, known).offsetNanoseconds / 1_000_000;
};

/** A zone by its IANA name. */
export const namedZone = (name: string): Zone | undefined => {
  if (!named.has(name) && named.size < NAMED_LIMIT) named.set(name, makeNamed(name));
  return named.has(name) ? named.get(name) : makeNamed(name);
};

// Zones that a file describes itself -----------------------------------------------------------------

interface Change {
  readonly at: number;
  readonly offset: number;
}

const offsetIn = (line: string | undefined): number | undefined => {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)/.exec(rawValueOf(line ?? '')) ?? [];
  return hours === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
};

/** Changes are worked out from 1970 to 2100: files say nothing of what comes later that one could rely on. */
const FROM: Day = 0;
const UNTIL: Day = 47_482;

/** Days of a rule of a zone's part, counted from `day`. */
const ruleDays = (text: string, day: Day, budget: Budget): readonly Day[] => {
  const rule = ruleIn(text);
  if (typeof rule === 'string') return [];
  const last = /^\d{8}/.exec(rule.until ?? '')?.[0].replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3') ?? '';
  return [...daysOfRule(rule, day, { from: FROM, until: Math.min(UNTIL, parseDay(last) ?? UNTIL), budget })];
};

/** Wall clocks, as they were before the change, at which a part of a zone (`STANDARD`, `DAYLIGHT`) begins. */
const startsOf = (lines: readonly string[], budget: Budget): readonly WallMs[] => {
  const start = wallIn(textIn(lines.find((line) => nameOf(line) === 'DTSTART')) ?? '');
  if (start === undefined) return [];
  const day = dayOfLocalMs(start);
  const more = lines.flatMap((line): readonly (WallMs | undefined)[] => {
    if (nameOf(line) === 'RDATE') return propertyIn(line)?.values.map((value) => wallIn(String(value))) ?? [];
    if (nameOf(line) !== 'RRULE') return [];
    return ruleDays(rawValueOf(line), day, budget).map((next) => start + (next - day) * DAY_MS);
  });
  return [start, ...more.filter((each) => each !== undefined)];
};

const PARTS_LIMIT = 100;
const DAYS_LOOKED_AT = 1_000_000;

/** Reads a `VTIMEZONE` as it is written. */
export const describedZone = (text: string): Zone | undefined => {
  const parts = [...text.matchAll(/^BEGIN:(STANDARD|DAYLIGHT)\r?\n(.*?)^END:\1/gims)].slice(0, PARTS_LIMIT);
  const budget: Budget = { left: DAYS_LOOKED_AT };
  const changes: Change[] = [];
  let earliest: { readonly at: number; readonly before: number } | undefined;
  for (const part of parts) {
    const lines = unfolded(part[2] ?? '');
    const find = (name: string): string | undefined => lines.find((line) => nameOf(line) === name);
    const before = offsetIn(find('TZOFFSETFROM'));
    const offset = offsetIn(find('TZOFFSETTO'));
    if (before === undefined || offset === undefined) continue;
    for (const start of startsOf(lines, budget)) {
      const at = start - before;
      changes.push({ at, offset });
      if (!earliest || at < earliest.at) earliest = { at, before };
    }
  }
  if (!earliest) return undefined;
  const inOrder = changes.toSorted((one, other) => one.at - other.at);
  const first = earliest.before;
  return (utcMs) => inOrder.findLast(({ at }) => at <= utcMs)?.offset ?? first;
};

/** `/example.org/Europe/Berlin` ends in an IANA name too. */
const namesIn = (name: string): readonly string[] => {
  const parts = name.split('/').slice(-3);
  return name.includes('/') ? parts.map((_part, index) => parts.slice(index).join('/')) : [name];
};

const MAX_OFFSET_HOURS = 14;

/** `UTC+02:00`, `GMT-0530`, `(UTC+03:30) Somewhere`: a zone whose clocks never change. */
const fixedZone = (name: string): Zone | undefined => {
  const [, sign, hours, minutes] = /^\(?(?:UTC|GMT)?\s*([+-])(\d{1,2})[:.]?(\d\d)?(?:\)|$)/i.exec(name.trim()) ?? [];
  if (hours === undefined || Number(hours) > MAX_OFFSET_HOURS) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  return () => offset;
};

/** A zone by a name that means the same everywhere: IANA's, Windows', or an offset. */
const knownZone = (written: string): Zone | undefined => {
  const name = written.replaceAll('"', '').trim();
  if (/^(?:Z|UTC|GMT)$/i.test(name)) return UTC;
  const windows = ianaOfWindowsZone(name);
  for (const one of [...namesIn(name), ...(windows === undefined ? [] : [windows])]) {
    const zone = namedZone(one);
    if (zone) return zone;
  }
  return fixedZone(name);
};

/** The zones that the events of a file may name. */
export interface Zones {
  /** Undefined where neither the file nor this machine knows it. */
  readonly find: (name: string) => Zone | undefined;
  /** The file's own descriptions of the zones that a text names. */
  readonly describing: (text: string) => readonly string[];
}

export const zonesOf = (described: readonly string[]): Zones => {
  const texts = new Map(
    described.map((text) => {
      const line = unfolded(text).find((one) => nameOf(one) === 'TZID');
      return [rawValueOf(line ?? ''), text] as const;
    }),
  );
  const known = new Map<string, Zone | undefined>();
  const make = (name: string): Zone | undefined => {
    const own = texts.get(name);
    const ofFile = (): Zone | undefined => (own === undefined ? undefined : describedZone(own));
    // Names with a slash are IANA's; others, such as EST, may be the file's own.
    return name.includes('/') ? (knownZone(name) ?? ofFile()) : (ofFile() ?? knownZone(name));
  };
  return {
    find: (name) => {
      if (!known.has(name)) known.set(name, make(name));
      return known.get(name);
    },
    describing: (text) => {
      const names = new Set(
        unfolded(text).flatMap((line) => {
          const [, quoted, plain] = /^[\w-]+;(?:[^:]*;)?TZID=(?:"([^"]*)"|([^:;"]+))/i.exec(line) ?? [];
          return quoted ?? plain ?? [];
        }),
      );
      return [...names].flatMap((name) => texts.get(name) ?? []);
    },
  };
};
