import { DAY_MS } from '../../events/domain/day.ts';
import { toUtcEnd, toWall, type Zone } from '../../events/domain/timeZone.ts';
import { parameterValues, type PropertyLine } from '../../exchange/server/ics/contentLines.ts';
import {
  addDuration,
  type DateTime,
  type DateTimeReader,
  type Duration,
  onClockOf,
  parseDateTime,
  parseDuration,
  readDateTime,
  toInstant,
  valuesIn,
  zoneOf,
} from '../../exchange/server/ics/dateTime.ts';
import { zonesOf } from '../../exchange/server/ics/zones.ts';
import type { Budget } from '../../repeat/domain/recurrenceRule.ts';
import {
  type ComponentTree,
  propertiesNamed,
  propertyNamed,
  formatComponentTree,
  parseComponentTree,
} from './componentTree.ts';
import type { TimeRange } from './filter.ts';
import { timesOfRule } from './recurrence.ts';

/** One of the times that an event takes place. */
export interface Instance {
  /** What says it: the event itself, or a changed instance of it. */
  readonly component: ComponentTree;
  readonly start: DateTime;
  /** Moments, in milliseconds since the epoch; a moment alone ends as it begins. */
  readonly from: number;
  readonly until: number;
  /** When it was to begin, by which a repeat's instances are known; undefined where nothing repeats. */
  readonly recurrence: DateTime | undefined;
}

/** An event's start, and how its end follows from that. */
interface InstanceDuration {
  readonly start: DateTime;
  readonly endOf: (start: DateTime) => number;
  /** How long it is, but for changes of a clock. */
  readonly length: number;
}

/** An event of an object, with its repeat and its changed instances. */
export interface EventSeries {
  readonly master: ComponentTree | undefined;
  readonly overrides: readonly ComponentTree[];
  /** All instances that may lie in a range, and some beside it; the changed ones first. As far as the budget goes. */
  readonly instances: (range: TimeRange, budget: Budget) => Generator<Instance, void, undefined>;
  /** When a changed instance was to be. */
  readonly originalOf: (override: ComponentTree) => Instance | undefined;
}

/** By so much clocks are changed: what lies beside a range by its start's clock may lie in it by that of its end. */
const SLACK_MS = 3 * 3_600_000;

const NO_DURATION: Duration = { days: 0, ms: 0 };
const WHOLE_DAY: Duration = { days: 1, ms: 0 };

/** The duration that an event says, or that its day has. */
const durationOf = (component: ComponentTree, start: DateTime): Duration =>
  parseDuration(propertyNamed(component, 'DURATION')?.value ?? '') ?? (start.isDate ? WHOLE_DAY : NO_DURATION);

const endingOf = (start: DateTime, end: DateTime, { floating }: DateTimeReader): InstanceDuration['endOf'] => {
  const isSameClock = end.zone === start.zone && end.isDate === start.isDate;
  // Some write a whole day as ending on itself.
  if (isSameClock && start.isDate && end.wall <= start.wall) return (one) => addDuration(one, WHOLE_DAY, floating);
  if (isSameClock) return (one) => toUtcEnd(one.zone ?? floating, one.wall, one.wall + end.wall - start.wall);
  const ms = toInstant(end, floating) - toInstant(start, floating);
  return (one) => toInstant(one, floating) + ms;
};

const spanOf = (component: ComponentTree, reader: DateTimeReader): InstanceDuration | undefined => {
  const { floating } = reader;
  const start = readDateTime(propertyNamed(component, 'DTSTART'), reader);
  if (start === undefined) return undefined;
  const end = readDateTime(propertyNamed(component, 'DTEND'), reader);
  const duration = durationOf(component, start);
  const endOf = end ? endingOf(start, end, reader) : (one: DateTime) => addDuration(one, duration, floating);
  return { start, endOf, length: Math.max(0, endOf(start) - toInstant(start, floating)) };
};

/** One time of a repeat; some (`RDATE` with a period) say their end themselves. */
interface Time {
  readonly wall: number;
  readonly until?: number | undefined;
}

const periodEnd = (written: string, start: DateTime, { floating }: DateTimeReader): number | undefined => {
  const duration = parseDuration(written);
  if (duration) return addDuration(start, duration, floating);
  const end = parseDateTime(written, start.zone);
  return end && toInstant(end, floating);
};

/** Where an instance begins that a list names, by the clock of the start: a date among times is the one of that day. */
const instanceWall = (one: DateTime, start: DateTime, floating: Zone): number =>
  one.isDate && !start.isDate
    ? Math.floor(one.wall / DAY_MS) * DAY_MS + (start.wall - Math.floor(start.wall / DAY_MS) * DAY_MS)
    : onClockOf(one, start, floating);

const timesIn = (property: PropertyLine, start: DateTime, reader: DateTimeReader): readonly Time[] => {
  const zone = zoneOf(property, reader);
  return valuesIn(property.value).flatMap((text): readonly Time[] => {
    const [first = '', end] = text.split('/', 2);
    const one = parseDateTime(first, zone);
    if (one === undefined) return [];
    const wall = instanceWall(one, start, reader.floating);
    return [{ wall, until: end === undefined ? undefined : periodEnd(end, one, reader) }];
  });
};

/** Times that a repeat leaves out: of dates of a timed event all that begin on them. */
const createExclusion = (component: ComponentTree, start: DateTime, reader: DateTimeReader) => {
  const walls = new Set<number>();
  const days = new Set<number>();
  for (const property of propertiesNamed(component, 'EXDATE')) {
    const zone = zoneOf(property, reader);
    for (const text of valuesIn(property.value)) {
      const one = parseDateTime(text, zone);
      if (one === undefined) continue;
      if (one.isDate || start.isDate) days.add(Math.floor(one.wall / DAY_MS));
      else walls.add(onClockOf(one, start, reader.floating));
    }
  }
  return (wall: number): boolean => walls.has(wall) || days.has(Math.floor(wall / DAY_MS));
};

/** The last time at which a rule's `UNTIL` lets an instance begin, by the clock of its start. */
const untilOfRule = (rule: string, start: DateTime, { floating }: DateTimeReader): number => {
  const written = /(?:^|;)UNTIL=([^;]*)/i.exec(rule)?.[1];
  const until = written === undefined ? undefined : parseDateTime(written, start.zone);
  if (until === undefined) return Number.POSITIVE_INFINITY;
  if (until.isDate) return until.wall + DAY_MS - 1;
  return start.isDate ? until.wall : onClockOf(until, start, floating);
};

/** Sorted lists as one, without what comes twice. */
function* merged(lists: readonly Iterable<Time>[]): Generator<Time, void, undefined> {
  let open = lists.flatMap((list) => {
    const rest = list[Symbol.iterator]();
    const head = rest.next();
    return head.done ? [] : [{ rest, head: head.value }];
  });
  let last: number | undefined;
  while (open.length > 0) {
    const first = open.reduce((one, other) => (other.head.wall < one.head.wall ? other : one));
    if (first.head.wall !== last) yield first.head;
    last = first.head.wall;
    const next = first.rest.next();
    if (next.done) open = open.filter((one) => one !== first);
    else first.head = next.value;
  }
}

function* asTimes(walls: Iterable<number>): Generator<Time, void, undefined> {
  for (const wall of walls) yield { wall };
}

/** Those of a sorted list that are in none of the others, which are sorted too. */
function* without(times: Iterable<Time>, excluded: Iterator<Time>): Generator<Time, void, undefined> {
  let next = excluded.next();
  for (const time of times) {
    while (!next.done && next.value.wall < time.wall) next = excluded.next();
    if (next.done || next.value.wall !== time.wall) yield time;
  }
}

/** RFC 5545 section 3.3.10: of whole days a rule says no times of the day. */
const withoutClock = (rule: string): string => rule.replaceAll(/(?:^|;)\s*BY(?:HOUR|MINUTE|SECOND)=[^;]*/gi, '');

/** A repeat's times by the clock of its start, between two readings of it, in order. */
const createTimes = (component: ComponentTree, start: DateTime, reader: DateTimeReader) => {
  const isExcluded = createExclusion(component, start, reader);
  const added = propertiesNamed(component, 'RDATE').flatMap((property) => timesIn(property, start, reader));
  // Of two with one start the one that says its end comes first, and counts.
  const own = [{ wall: start.wall }, ...added].toSorted(
    (one, other) => one.wall - other.wall || Number('until' in other) - Number('until' in one),
  );
  const rules = (name: string, from: number, until: number, budget: Budget): Generator<Time, void, undefined> =>
    merged(
      propertiesNamed(component, name).map(({ value }) => {
        const last = Math.min(until, untilOfRule(value, start, reader));
        const rule = start.isDate ? withoutClock(value) : value;
        return asTimes(timesOfRule(rule, start.wall, { from, until: last, budget }));
      }),
    );
  return {
    longest: Math.max(0, ...added.map(({ wall, until }) => (until === undefined ? 0 : until - wall + DAY_MS))),
    *between(from: number, until: number, budget: Budget): Generator<Time, void, undefined> {
      const all = merged([own, rules('RRULE', from, until, budget)]);
      for (const time of without(all, rules('EXRULE', from, until, budget)))
        if (time.wall >= from && time.wall <= until && !isExcluded(time.wall)) yield time;
    },
  };
};

const REPEATS = new Set(['RRULE', 'RDATE']);

/** A changed instance, and where it also changes what follows (`RANGE=THISANDFUTURE`), by how much that moves. */
interface Override extends InstanceDuration {
  readonly component: ComponentTree;
  /** Where the instance was to begin, by the clock of the repeat's start. */
  readonly wall: number;
  readonly original: DateTime;
  readonly isRange: boolean;
  readonly shift: number;
}

const overrideOf = (
  component: ComponentTree,
  master: InstanceDuration | undefined,
  reader: DateTimeReader,
): readonly Override[] => {
  const property = propertyNamed(component, 'RECURRENCE-ID');
  const span = spanOf(component, reader);
  const written = readDateTime(property, reader);
  if (property === undefined || span === undefined || written === undefined) return [];
  const { floating } = reader;
  const start = master?.start ?? span.start;
  const wall = master === undefined ? onClockOf(written, start, floating) : instanceWall(written, start, floating);
  const original = { ...start, wall };
  const isRange = parameterValues(property, 'RANGE')?.[0]?.toUpperCase() === 'THISANDFUTURE';
  const shift = onClockOf(span.start, start, floating) - wall;
  return [{ ...span, component, wall, original, isRange, shift }];
};

const isOverride = (component: ComponentTree): boolean => propertyNamed(component, 'RECURRENCE-ID') !== undefined;

/** The events of an object as a series; undefined where none of them says when it is. */
export function createEventSeries(events: readonly ComponentTree[], reader: DateTimeReader): EventSeries {
  const { floating } = reader;
  const master = events.find((component) => !isOverride(component));
  const span = master && spanOf(master, reader);
  const overrides = events.filter(isOverride).flatMap((component) => overrideOf(component, span, reader));
  const walls = new Set(overrides.map(({ wall }) => wall));
  const ranges = overrides.filter(({ isRange }) => isRange).toSorted((one, other) => one.wall - other.wall);
  const repeats = master?.properties.some(({ name }) => REPEATS.has(name)) ?? false;
  const times = master && span && createTimes(master, span.start, reader);
  const shift = Math.max(0, ...ranges.map((one) => Math.abs(one.shift)));
  const longest = Math.max(span?.length ?? 0, times?.longest ?? 0, ...ranges.map(({ length }) => length));

  /** A moment by the clock of the repeat's start; what is never stays so. */
  const wallOf = (moment: number): number =>
    Number.isFinite(moment) ? toWall(span?.start.zone ?? floating, moment) : moment;

  const instanceOf = (time: Time): Instance | undefined => {
    if (!master || !span) return undefined;
    const changed = ranges.findLast(({ wall }) => wall <= time.wall);
    const recurrence = { ...span.start, wall: time.wall };
    if (changed === undefined) {
      const from = toInstant(recurrence, floating);
      const until = Math.max(from, time.until ?? span.endOf(recurrence));
      return { component: master, start: recurrence, from, until, recurrence: repeats ? recurrence : undefined };
    }
    // By the clock of the changed one: the day may have its times in another zone.
    const moved = onClockOf(recurrence, changed.start, floating) - onClockOf(changed.original, changed.start, floating);
    const start = { ...changed.start, wall: changed.start.wall + moved };
    const from = toInstant(start, floating);
    return { component: changed.component, start, from, until: Math.max(from, changed.endOf(start)), recurrence };
  };

  const overriding = ({ component, start, endOf, original }: Override): Instance => {
    const from = toInstant(start, floating);
    return { component, start, from, until: Math.max(from, endOf(start)), recurrence: original };
  };

  function* instances({ start, end }: TimeRange, budget: Budget): Generator<Instance, void, undefined> {
    yield* overrides.map(overriding);
    if (times === undefined) return;
    const from = wallOf(start) - longest - shift - SLACK_MS;
    for (const time of times.between(from, wallOf(end) + shift + SLACK_MS, budget)) {
      budget.left -= 1;
      const instance = walls.has(time.wall) ? undefined : instanceOf(time);
      if (instance) yield instance;
      if (budget.left <= 0) return;
    }
  }

  return {
    master,
    overrides: overrides.map(({ component }) => component),
    instances,
    originalOf: (component) => {
      const override = overrides.find((one) => one.component === component);
      return override && (instanceOf({ wall: override.wall }) ?? overriding(override));
    },
  };
}

/** An object's text, taken apart. */
export interface CalendarObject {
  readonly tree: ComponentTree;
  readonly reader: DateTimeReader;
  readonly series: EventSeries;
  /** What working out its repeat may still cost, in days or steps looked at. */
  readonly budget: Budget;
}

/** A repeat that is asked for more costs others their time. */
export const OBJECT_BUDGET = 300_000;

/** Takes an object's text apart. `floating` is the zone in which dates and floating times are taken. */
export function createCalendarObject(text: string, floating: Zone): CalendarObject {
  const tree = parseComponentTree(text);
  const described = tree.components.filter(({ name }) => name === 'VTIMEZONE');
  const reader = { zones: zonesOf(described.map(formatComponentTree)), floating };
  const events = tree.components.filter(({ name }) => name === 'VEVENT');
  return { tree, reader, series: createEventSeries(events, reader), budget: { left: OBJECT_BUDGET } };
}
