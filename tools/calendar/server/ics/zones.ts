import { DAY_MS, dayOfLocalMs, parseDay, type Day } from '../../domain/day.ts';
import { daysOfRule, ruleIn, type Budget } from '../../domain/icsRule.ts';
import { zonesMeantBy } from '../../domain/windowsZones.ts';
import { namedZone, type WallMs, type Zone } from '../../domain/zone.ts';
import { nameOf, propertyIn, rawValueOf, textIn, unfolded } from './lines.ts';

const MINUTE_MS = 60_000;

/** Milliseconds of `2026-11-23T09:00:00` or `2026-11-23`, of the wall clock; undefined where there is no such day or time. */
export const wallIn = (iso: string): WallMs | undefined => {
  const [, date = '', hours = '0', minutes = '0'] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d):(?:\d\d)?)?Z?$/.exec(iso) ?? [];
  const day = parseDay(date);
  if (day === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return day * DAY_MS + (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
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

/** The zones that the events of a file may name. */
export interface Zones {
  /** Undefined where neither the file nor this machine knows it. */
  readonly find: (name: string) => Zone | undefined;
  /** The file's own descriptions of the zones that a text names. */
  readonly describing: (text: string) => readonly string[];
}

/** Years of which a zone that a file describes has to agree with one of ours to be that one. */
const AGREES_FROM = DAY_MS * 19_724;
const AGREES_DAYS = 365 * 8;
const STEP_DAYS = 3;

const agree = (one: Zone, other: Zone): boolean => {
  for (let day = 0; day < AGREES_DAYS; day += STEP_DAYS)
    if (one(AGREES_FROM + day * DAY_MS) !== other(AGREES_FROM + day * DAY_MS)) return false;
  return true;
};

/** The zone with a name whose clocks show what a described one's show; `likely` are tried first. */
const equivalent = (described: Zone, likely: readonly Zone[]): Zone | undefined => {
  const found = likely.find((zone) => agree(described, zone));
  if (found) return found;
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
    const zone = namedZone(name);
    if (zone && agree(described, zone)) return zone;
  }
  return undefined;
};

/** `likely` are zones that one with a name of its own may well be. */
export const zonesOf = (described: readonly string[], likely: readonly Zone[] = []): Zones => {
  const texts = new Map(
    described.map((text) => {
      const line = unfolded(text).find((one) => nameOf(one) === 'TZID');
      return [rawValueOf(line ?? '').replace(/^"(.*)"$/, '$1'), text] as const;
    }),
  );
  const known = new Map<string, Zone | undefined>();
  const make = (name: string): Zone | undefined => {
    const named = zonesMeantBy(name).flatMap((each) => namedZone(each) ?? []);
    // Names with a slash are IANA's; others, such as EST, may be the file's own.
    if (named[0] && (name.includes('/') || !texts.has(name))) return named[0];
    const own = texts.get(name);
    const ofFile = own === undefined ? undefined : describedZone(own);
    return ofFile ? (equivalent(ofFile, [...named, ...likely]) ?? named[0] ?? ofFile) : named[0];
  };
  return {
    find: (name) => {
      if (!known.has(name)) known.set(name, make(name));
      return known.get(name);
    },
    describing: (text) => {
      const names = new Set(
        unfolded(text).flatMap((line) => /^[\w-]+;(?:[^:]*;)?TZID="?([^:;"]+)/i.exec(line)?.[1] ?? []),
      );
      return [...names].flatMap((name) => texts.get(name) ?? []);
    },
  };
};
