import { civilOf, DAY_MS, dayOf, dayOfLocalMs, type Day } from './day.ts';
import type { CalendarEvent } from './event.ts';
import { folded, icsTime } from './icsText.ts';
import { timeOf } from './time.ts';
import { namedZone, offsetText, type Zone } from './zone.ts';

const MINUTE_MS = 60_000;
/** Years behind the last change of an event for which the changes of its zone's clock are written. */
const YEARS_ON = 10;
/** Events further back are told by the zone's name alone. */
const YEARS_LISTED = 40;

type Zoned = Pick<CalendarEvent, 'day' | 'edited' | 'zone'>;

/** The moment in a day at which a zone's clock changes. */
const turnIn = (zone: Zone, day: Day): number => {
  let [low, high] = [day * DAY_MS, (day + 1) * DAY_MS];
  while (high - low > MINUTE_MS) {
    const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS;
    if (zone(middle) === zone(low)) low = middle;
    else high = middle;
  }
  return high;
};

const wallText = (wall: number): string => {
  const day = dayOfLocalMs(wall);
  return icsTime(day, timeOf(Math.floor((wall - day * DAY_MS) / MINUTE_MS)));
};

const partLines = (kind: string, at: number, [from, to]: readonly [number, number]): readonly string[] => [
  `BEGIN:${kind}`,
  `DTSTART:${wallText(at + from)}`,
  `TZOFFSETFROM:${offsetText(from)}`,
  `TZOFFSETTO:${offsetText(to)}`,
  `END:${kind}`,
];

/** A `VTIMEZONE`, its changes of the clock written out from one year to another. */
const zoneLines = (name: string, zone: Zone, [first, last]: readonly [number, number]): readonly string[] => {
  const from = dayOf({ year: first, month: 1, date: 1 });
  const until = dayOf({ year: last, month: 12, date: 31 });
  const start = zone(from * DAY_MS);
  const turns = [{ at: from * DAY_MS, before: start, after: start }];
  for (let day = from; day <= until; day += 1) {
    const [before, after] = [zone(day * DAY_MS), zone((day + 1) * DAY_MS)];
    if (before !== after) turns.push({ at: turnIn(zone, day), before, after });
  }
  const standard = Math.min(...turns.map(({ after }) => after));
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${name}`,
    ...turns.flatMap(({ at, before, after }) =>
      partLines(after > standard ? 'DAYLIGHT' : 'STANDARD', at, [before, after]),
    ),
    'END:VTIMEZONE',
  ];
};

/** The zones that events name, gathered while they are written. */
export const zonesOfEvents = () => {
  const years = new Map<string, [number, number]>();
  return {
    add: ({ zone, day, edited }: Zoned): void => {
      if (zone === undefined || zone === 'UTC') return;
      const last = civilOf(dayOfLocalMs(edited)).year + YEARS_ON;
      const first = civilOf(day).year;
      const known = years.get(zone) ?? [first, last];
      years.set(zone, [Math.min(known[0], first), Math.max(known[1], last, Math.min(first + YEARS_ON, 9998))]);
    },
    /** Their `VTIMEZONE`s, folded. */
    text: (): string =>
      [...years]
        .flatMap(([name, [first, last]]) => {
          const zone = namedZone(name);
          return zone ? zoneLines(name, zone, [Math.max(first, last - YEARS_LISTED), last]) : [];
        })
        .map(folded)
        .join(''),
  };
};

/** Of some events. */
export const zonesText = (events: readonly Zoned[]): string => {
  const zones = zonesOfEvents();
  for (const event of events) zones.add(event);
  return zones.text();
};
