import { LRUCache } from 'lru-cache';
import type { Day } from '#platform/contract/day.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { toLocalDay, parseDay } from '#tools/calendar/events/domain/day.ts';
import { findNamedZone, getIanaName, UTC, type LocalMs, type Zone } from '#tools/calendar/events/domain/timeZone.ts';
import { iterateRuleDays, parseRecurrenceRule, type Budget } from '#tools/calendar/repeat/domain/recurrenceRule.ts';
import { getName, parsePropertyLine, getRawValue, splitContentLines } from './contentLines.ts';
import { parseDateTime, splitValues, findZoneId } from './dateTime.ts';
import { findWindowsZone } from './windowsZones.ts';

// Zones that a file defines itself -------------------------------------------------------------------

interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

function parseOffset(line: string | undefined): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)/.exec(getRawValue(line ?? '')) ?? [];
  return hours === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/** Offset changes are computed from 1970 to 2100. What files say about later years is not reliable. */
const FIRST_COMPUTED_DAY: Day = 0;
const LAST_COMPUTED_DAY: Day = 47_482;

/** Returns the days of a rule of a zone's part, counted from `day`. */
function listRuleDays(text: string, day: Day, budget: Budget): readonly Day[] | undefined {
  const rule = parseRecurrenceRule(text);
  if (typeof rule === 'string') return undefined;
  const last = /^\d{8}/.exec(rule.until ?? '')?.[0].replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3') ?? '';
  return [
    ...iterateRuleDays(rule, day, {
      from: FIRST_COMPUTED_DAY,
      until: Math.min(LAST_COMPUTED_DAY, parseDay(last) ?? LAST_COMPUTED_DAY),
      budget,
    }),
  ];
}

/** Parses a list of local times. Invalid ones are undefined. */
const parseLocalTimes = (line: string | undefined): readonly (LocalMs | undefined)[] =>
  splitValues(getRawValue(line ?? '')).map((value) => parseDateTime(value, undefined)?.localMs);

/** Returns the starts of a part of a zone (`STANDARD`, `DAYLIGHT`), in local time before the change. */
function listStarts(lines: readonly string[], budget: Budget): readonly (LocalMs | undefined)[] {
  const [start] = parseLocalTimes(lines.find((line) => getName(line) === 'DTSTART'));
  if (start === undefined) return [undefined];
  const day = toLocalDay(start);
  const more = lines.flatMap((line): readonly (LocalMs | undefined)[] => {
    if (getName(line) === 'RDATE') return parseLocalTimes(line);
    if (getName(line) !== 'RRULE') return [];
    return listRuleDays(getRawValue(line), day, budget)?.map((next) => start + (next - day) * DAY_MS) ?? [undefined];
  });
  return [start, ...more];
}

const MAX_ZONE_PARTS = 100;
const MAX_SCANNED_DAYS = 1_000_000;

/** Parses a `VTIMEZONE`. Returns undefined if a part of it is not supported. */
export function parseZoneDefinition(text: string): Zone | undefined {
  const parts = [...text.matchAll(/^BEGIN:(STANDARD|DAYLIGHT)\r?\n(.*?)^END:\1/gims)].slice(0, MAX_ZONE_PARTS);
  const budget: Budget = { left: MAX_SCANNED_DAYS };
  const changes: OffsetChange[] = [];
  let earliest: { readonly at: number; readonly before: number } | undefined;
  for (const part of parts) {
    const lines = splitContentLines(part[2] ?? '');
    const find = (name: string): string | undefined => lines.find((line) => getName(line) === name);
    const before = parseOffset(find('TZOFFSETFROM'));
    const offset = parseOffset(find('TZOFFSETTO'));
    if (before === undefined || offset === undefined) continue;
    for (const start of listStarts(lines, budget)) {
      if (start === undefined) return undefined;
      const at = start - before;
      changes.push({ at, offset });
      if (!earliest || at < earliest.at) earliest = { at, before };
    }
  }
  if (!earliest) return undefined;
  const inOrder = changes.toSorted((one, other) => one.at - other.at);
  const first = earliest.before;
  return (utcMs) => inOrder.findLast(({ at }) => at <= utcMs)?.offset ?? first;
}

/** A zone of a file is replaced by an IANA zone that agrees with it in these years. */
const COMPARED_FROM_MS = DAY_MS * 19_724;
const COMPARED_DAYS = 365 * 8;
const COMPARED_STEP_DAYS = 3;

function hasSameClock(one: Zone, other: Zone): boolean {
  for (let day = 0; day < COMPARED_DAYS; day += COMPARED_STEP_DAYS)
    if (one(COMPARED_FROM_MS + day * DAY_MS) !== other(COMPARED_FROM_MS + day * DAY_MS)) return false;
  return true;
}

const ZONE_CACHE_SIZE = 200;
/** Cache of zones by their definition and the likely zones. Clients send the same few with every object. */
const zonesByText = new LRUCache<string, { readonly zone: Zone | undefined }>({ max: ZONE_CACHE_SIZE });

function getCachedZone(key: string, read: () => Zone | undefined): Zone | undefined {
  const cached = zonesByText.get(key);
  if (cached) return cached.zone;
  const zone = read();
  zonesByText.set(key, { zone });
  return zone;
}

/** Finds an IANA zone with the same clock as a defined one. `likely` are tried first. */
function findEquivalent(definedZone: Zone, likely: readonly Zone[]): Zone | undefined {
  const match = likely.find((zone) => hasSameClock(definedZone, zone));
  if (match) return match;
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')]) {
    const zone = findNamedZone(name);
    if (zone && hasSameClock(definedZone, zone)) return zone;
  }
  return undefined;
}

/** Removes quotes and escapes from a zone's name, which some programs write without need. */
const unquoteName = (name: string): string => name.replaceAll(/["\\](?=[,;"]|$)|^"/g, '').trim();

const AREA_PATTERN =
  /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Etc|Europe|Indian|Mexico|Pacific|US)[-_ ]/i;

/** Returns the IANA names that a name may mean, such as `/example.org/Europe/Berlin` or `America-New_York`. */
function toIanaNames(text: string): readonly string[] {
  const name = text.replaceAll('\\', '/').replaceAll(' ', '_').replace(AREA_PATTERN, '$1/');
  const parts = name.split('/').slice(-3);
  return name.includes('/')
    ? [...parts.map((_part, index) => parts.slice(index).join('/')), name.replaceAll('-', '/')]
    : [name];
}

/** Removes the number that Outlook adds to zones of one name: `Eastern Standard Time 1`, `Europe/Berlin (2)`. */
const removeNumber = (name: string): string => name.replace(/(?<=[a-z)])\s+(?:\d{1,2}|\(\d{1,2}\))$/, '');

/** Unambiguous abbreviations that IANA doesn't have. BST, IST, CST, AST, AEST and others are ambiguous. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'America/Los_Angeles': 'PST PDT',
    'America/Denver': 'MDT',
    'America/Chicago': 'CDT',
    'America/New_York': 'EDT',
    'America/Anchorage': 'AKST AKDT',
    'America/Halifax': 'ADT',
    'America/St_Johns': 'NDT',
    'America/Sao_Paulo': 'BRT BRST',
    CET: 'CEST MEZ MESZ',
    EET: 'EEST OEZ OESZ',
    WET: 'WEST',
    MET: 'MEST',
    'Europe/Moscow': 'MSK MSD',
    'Europe/Istanbul': 'TRT',
    'Asia/Jerusalem': 'IDT',
    'Asia/Tehran': 'IRST IRDT',
    'Asia/Karachi': 'PKT',
    'Asia/Kathmandu': 'NPT',
    'Asia/Bangkok': 'ICT',
    'Asia/Jakarta': 'WIB',
    'Asia/Makassar': 'WITA',
    'Asia/Hong_Kong': 'HKT',
    'Asia/Singapore': 'SGT',
    'Asia/Manila': 'PHT',
    'Asia/Tokyo': 'JST',
    'Asia/Seoul': 'KST',
    'Africa/Johannesburg': 'SAST',
    'Africa/Nairobi': 'EAT',
    'Africa/Lagos': 'WAT',
    'Africa/Maputo': 'CAT',
    'Australia/Perth': 'AWST',
    'Australia/Adelaide': 'ACDT',
    'Australia/Sydney': 'AEDT',
    'Pacific/Auckland': 'NZST NZDT',
  }).flatMap(([zone, abbreviations]) => abbreviations.split(' ').map((abbreviation) => [abbreviation, zone] as const)),
);

const MAX_OFFSET_HOURS = 14;

/** Parses a zone with a fixed offset: `UTC+02:00`, `GMT-0530`, `(UTC+03:30) Somewhere`. */
function parseFixedZone(name: string): Zone | undefined {
  const [, sign, hours, minutes] = /^\(?(?:UTC|GMT)?\s*([+-])(\d{1,2})[:.]?(\d\d)?(?:\)|$)/i.exec(name.trim()) ?? [];
  if (hours === undefined || Number(hours) > MAX_OFFSET_HOURS) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  // IANA's sign is reversed, and its offsets are whole hours.
  const whole = findNamedZone(`Etc/GMT${sign === '-' ? '+' : '-'}${Number(hours)}`);
  if (offset === 0) return UTC;
  const fixed: Zone = () => offset;
  return offset % HOUR_MS === 0 ? (whole ?? fixed) : (findEquivalent(fixed, []) ?? fixed);
}

/** Finds a zone by a name of IANA or Windows, or by an offset. */
function findZone(text: string): Zone | undefined {
  const name = unquoteName(text);
  if (/^(?:Z|UTC|GMT)$/i.test(name)) return UTC;
  for (const candidate of new Set([name, removeNumber(name)])) {
    const windowsName = findWindowsZone(candidate);
    const aliases = [windowsName, ABBREVIATIONS.get(candidate.toUpperCase())].filter((alias) => alias !== undefined);
    const names = [...toIanaNames(candidate), ...aliases];
    const zone = names.map(findNamedZone).find((namedZone) => namedZone !== undefined);
    if (zone) return zone;
  }
  return parseFixedZone(name);
}

/** The zones that the events of a file may name. */
export interface Zones {
  /** Undefined if neither the file nor this server knows it. */
  readonly find: (name: string) => Zone | undefined;
  /** Returns the file's own definitions of the zones that a text names. */
  readonly listDefinitions: (text: string) => readonly string[];
}

/** Creates the zones of a file from its `VTIMEZONE`s. `likely` are candidates for zones with names of their own. */
export function createZones(definitions: readonly string[], likely: readonly Zone[] = []): Zones {
  const definitionByName = new Map(
    definitions.map((text) => {
      const line = splitContentLines(text).find((contentLine) => getName(contentLine) === 'TZID');
      return [unquoteName(getRawValue(line ?? '')), text] as const;
    }),
  );
  const zoneByName = new Map<string, Zone | undefined>();
  function resolveZone(name: string): Zone | undefined {
    const definition = definitionByName.get(unquoteName(name));
    const namedZone = findZone(name);
    // Names with a slash are IANA's. Others, such as EST, may be defined by the file.
    if (namedZone && (name.includes('/') || definition === undefined)) return namedZone;
    if (definition === undefined) return namedZone;
    const candidates = [...(namedZone ? [namedZone] : []), ...likely];
    const resolveDefinition = (): Zone | undefined => {
      const definedZone = parseZoneDefinition(definition);
      return definedZone ? (findEquivalent(definedZone, candidates) ?? definedZone) : namedZone;
    };
    const names = candidates.map(getIanaName);
    // A zone without a name can't be distinguished from another one, so it is not cached.
    return names.includes(undefined)
      ? resolveDefinition()
      : getCachedZone(JSON.stringify([names, definition]), resolveDefinition);
  }
  return {
    find: (name) => {
      if (!zoneByName.has(name)) zoneByName.set(name, resolveZone(name));
      return zoneByName.get(name);
    },
    listDefinitions: (text) => {
      const names = splitContentLines(text).map((line) => {
        const property = line.includes('TZID=') ? parsePropertyLine(line) : undefined;
        return property && findZoneId(property);
      });
      return [...new Set(names)].flatMap((name) =>
        name === undefined ? [] : (definitionByName.get(unquoteName(name)) ?? []),
      );
    },
  };
}
