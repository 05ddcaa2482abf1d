import { toCivilDate, toDay } from '#platform/contract/day.ts';
import { DAY_MS } from '#platform/contract/duration.ts';
import { toLocalDay, formatLocalTime } from '../../events/domain/day.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { findNamedZone, formatOffset } from '../../events/domain/timeZone.ts';
import { foldLine, formatIcsTime } from './icsText.ts';

const NS_PER_MS = 1_000_000;
/** Years after the last change of an event for which offset changes of its zone are written. */
const YEARS_AFTER = 10;
/** Events further in the past get only the name of the zone. */
const MAX_YEARS_BACK = 40;

type ZoneFields = Pick<CalendarEvent, 'day' | 'edited' | 'zone'>;

const formatIcsLocalTime = (localMs: number): string => formatIcsTime(toLocalDay(localMs), formatLocalTime(localMs));

const formatPart = (kind: string, at: number, [from, to]: readonly [number, number]): readonly string[] => [
  `BEGIN:${kind}`,
  `DTSTART:${formatIcsLocalTime(at + from)}`,
  `TZOFFSETFROM:${formatOffset(from)}`,
  `TZOFFSETTO:${formatOffset(to)}`,
  `END:${kind}`,
];

interface OffsetChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** Lists offset changes of a zone in some years, after an initial one that states the offset at the start. */
function listOffsetChanges(name: string, [first, last]: readonly [number, number]): readonly OffsetChange[] {
  const from = toDay({ year: first, month: 1, date: 1 }) * DAY_MS;
  const until = toDay({ year: last, month: 12, date: 31 }) * DAY_MS + DAY_MS;
  let clock = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(name);
  const changes: OffsetChange[] = [
    { at: from, before: clock.offsetNanoseconds / NS_PER_MS, after: clock.offsetNanoseconds / NS_PER_MS },
  ];
  for (;;) {
    const next = clock.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= until) return changes;
    const after = next.offsetNanoseconds / NS_PER_MS;
    changes.push({ at: next.epochMilliseconds, before: changes.at(-1)?.after ?? after, after });
    clock = next;
  }
}

function formatZoneLines(name: string, years: readonly [number, number]): readonly string[] {
  const changes = listOffsetChanges(name, years);
  const standard = Math.min(...changes.map(({ after }) => after));
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${name}`,
    ...changes.flatMap(({ at, before, after }) =>
      formatPart(after > standard ? 'DAYLIGHT' : 'STANDARD', at, [before, after]),
    ),
    'END:VTIMEZONE',
  ];
}

const ZONE_CACHE_SIZE = 1000;
const linesByZone = new Map<string, readonly string[]>();

/** Formats a `VTIMEZONE` with its offset changes from one year to another. */
function formatZone(name: string, years: readonly [number, number]): readonly string[] {
  const key = `${name} ${years.join(' ')}`;
  const lines = linesByZone.get(key) ?? formatZoneLines(name, years);
  if (linesByZone.size >= ZONE_CACHE_SIZE) linesByZone.clear();
  linesByZone.set(key, lines);
  return lines;
}

/** Formats a zone as a calendar of its own, with the offset changes around a year. */
export function formatZoneCalendar(name: string, year: number): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Pegboard//Calendar//EN',
    ...formatZone(name, [year - 2, year + 8]),
    'END:VCALENDAR',
  ]
    .map(foldLine)
    .join('');
}

/** Collects the zones of events while the events are written. */
export function createZoneCollector() {
  const years = new Map<string, [number, number]>();
  return {
    add: ({ zone, day, edited }: ZoneFields): void => {
      if (zone === undefined || zone === 'UTC') return;
      const last = toCivilDate(toLocalDay(edited)).year + YEARS_AFTER;
      const first = toCivilDate(day).year;
      const range = years.get(zone) ?? [first, last];
      years.set(zone, [Math.min(range[0], first), Math.max(range[1], last, Math.min(first + YEARS_AFTER, 9998))]);
    },
    /** Formats their `VTIMEZONE`s, folded. */
    format: (): string =>
      [...years]
        .flatMap(([name, [first, last]]) =>
          findNamedZone(name) ? formatZone(name, [Math.max(first, last - MAX_YEARS_BACK), last]) : [],
        )
        .map(foldLine)
        .join(''),
  };
}

/** Formats the `VTIMEZONE`s of some events. */
export function formatZones(events: readonly ZoneFields[]): string {
  const zones = createZoneCollector();
  for (const event of events) zones.add(event);
  return zones.format();
}
