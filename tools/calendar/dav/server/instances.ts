import { DAY_MS, HOUR_MS } from '#platform/contract/duration.ts';
import { toUtcEnd, toWall, type Zone } from '../../events/domain/timeZone.ts';
import { getParameterValues, type PropertyLine } from '../../exchange/server/ics/contentLines.ts';
import {
  addDuration,
  type DateTime,
  type DateTimeReader,
  type Duration,
  convertToClock,
  parseDateTime,
  parseDuration,
  readDateTime,
  toInstant,
  splitValues,
  findZone,
} from '../../exchange/server/ics/dateTime.ts';
import { createZones } from '../../exchange/server/ics/zones.ts';
import type { Budget } from '../../repeat/domain/recurrenceRule.ts';
import {
  type ComponentTree,
  listProperties,
  findProperty,
  formatComponentTree,
  parseComponentTree,
} from './componentTree.ts';
import type { TimeRange } from './filter.ts';
import { iterateRuleTimes } from './recurrence.ts';

/** One occurrence of an event. */
export interface Instance {
  /** The event itself, or a changed instance. */
  readonly component: ComponentTree;
  readonly start: DateTime;
  /** Milliseconds since the epoch. An instance without length ends when it starts. */
  readonly from: number;
  readonly until: number;
  /** The original start, which identifies instances of a repeat. Undefined if nothing repeats. */
  readonly recurrence: DateTime | undefined;
}

/** An event's start, and how its end follows from it. */
interface InstanceDuration {
  readonly start: DateTime;
  readonly getEnd: (start: DateTime) => number;
  /** Its length, ignoring changes of the clock. */
  readonly length: number;
}

/** An event of an object, with its repeat and changed instances. */
export interface EventSeries {
  readonly master: ComponentTree | undefined;
  readonly overrides: readonly ComponentTree[];
  /**
   * Iterates over the instances that may be in a range, changed ones first, within the budget. Some are outside of it.
   */
  readonly iterateInstances: (range: TimeRange, budget: Budget) => Generator<Instance, void, undefined>;
  /** Returns the original instance that a changed one replaces. */
  readonly findOriginal: (override: ComponentTree) => Instance | undefined;
}

/** Maximum change of a clock: an instance just outside a range by its start may be in it by its end. */
const SLACK_MS = 3 * HOUR_MS;

const NO_DURATION: Duration = { days: 0, ms: 0 };
const WHOLE_DAY: Duration = { days: 1, ms: 0 };

/** Returns the duration of an event: from the property, or one day for dates. */
const getDuration = (component: ComponentTree, start: DateTime): Duration =>
  parseDuration(findProperty(component, 'DURATION')?.value ?? '') ?? (start.isDate ? WHOLE_DAY : NO_DURATION);

function createEndFunction(start: DateTime, end: DateTime, { floating }: DateTimeReader): InstanceDuration['getEnd'] {
  const isSameClock = end.zone === start.zone && end.isDate === start.isDate;
  // Some programs write a whole day as ending on itself.
  if (isSameClock && start.isDate && end.wall <= start.wall) return (one) => addDuration(one, WHOLE_DAY, floating);
  if (isSameClock) return (one) => toUtcEnd(one.zone ?? floating, one.wall, one.wall + end.wall - start.wall);
  const ms = toInstant(end, floating) - toInstant(start, floating);
  return (one) => toInstant(one, floating) + ms;
}

function parseDates(component: ComponentTree, reader: DateTimeReader): InstanceDuration | undefined {
  const { floating } = reader;
  const start = readDateTime(findProperty(component, 'DTSTART'), reader);
  if (start === undefined) return undefined;
  const end = readDateTime(findProperty(component, 'DTEND'), reader);
  const duration = getDuration(component, start);
  const computeEnd = end
    ? createEndFunction(start, end, reader)
    : (one: DateTime) => addDuration(one, duration, floating);
  return { start, getEnd: computeEnd, length: Math.max(0, computeEnd(start) - toInstant(start, floating)) };
}

/** One occurrence of a repeat. Some (`RDATE` with a period) have an end of their own. */
interface InstanceTime {
  readonly wall: number;
  readonly until?: number | undefined;
}

function parsePeriodEnd(written: string, start: DateTime, { floating }: DateTimeReader): number | undefined {
  const duration = parseDuration(written);
  if (duration) return addDuration(start, duration, floating);
  const end = parseDateTime(written, start.zone);
  return end && toInstant(end, floating);
}

/** Returns the local start of a listed instance. A date in a list of timed ones means the occurrence on that day. */
const getInstanceWall = (one: DateTime, start: DateTime, floating: Zone): number =>
  one.isDate && !start.isDate
    ? Math.floor(one.wall / DAY_MS) * DAY_MS + (start.wall - Math.floor(start.wall / DAY_MS) * DAY_MS)
    : convertToClock(one, start, floating);

function parseTimes(property: PropertyLine, start: DateTime, reader: DateTimeReader): readonly InstanceTime[] {
  const zone = findZone(property, reader);
  return splitValues(property.value).flatMap((text): readonly InstanceTime[] => {
    const [first = '', end] = text.split('/', 2);
    const one = parseDateTime(first, zone);
    if (one === undefined) return [];
    const wall = getInstanceWall(one, start, reader.floating);
    return [{ wall, until: end === undefined ? undefined : parsePeriodEnd(end, one, reader) }];
  });
}

/** Creates a test of whether a repeat excludes a time. A date excludes all times of that day. */
function createExclusionTest(component: ComponentTree, start: DateTime, reader: DateTimeReader) {
  const walls = new Set<number>();
  const days = new Set<number>();
  for (const property of listProperties(component, 'EXDATE')) {
    const zone = findZone(property, reader);
    for (const text of splitValues(property.value)) {
      const one = parseDateTime(text, zone);
      if (one === undefined) continue;
      if (one.isDate || start.isDate) days.add(Math.floor(one.wall / DAY_MS));
      else walls.add(convertToClock(one, start, reader.floating));
    }
  }
  return (wall: number): boolean => walls.has(wall) || days.has(Math.floor(wall / DAY_MS));
}

/** Returns the last local time at which a rule's `UNTIL` allows an instance to start. */
function parseRuleUntil(rule: string, start: DateTime, { floating }: DateTimeReader): number {
  const untilText = /(?:^|;)UNTIL=([^;]*)/i.exec(rule)?.[1];
  const until = untilText === undefined ? undefined : parseDateTime(untilText, start.zone);
  if (until === undefined) return Number.POSITIVE_INFINITY;
  if (until.isDate) return until.wall + DAY_MS - 1;
  return start.isDate ? until.wall : convertToClock(until, start, floating);
}

/** Merges sorted lists without duplicates. */
function* merge(lists: readonly Iterable<InstanceTime>[]): Generator<InstanceTime, void, undefined> {
  let heads = lists.flatMap((list) => {
    const rest = list[Symbol.iterator]();
    const head = rest.next();
    return head.done ? [] : [{ rest, head: head.value }];
  });
  let lastWall: number | undefined;
  while (heads.length > 0) {
    const first = heads.reduce((one, other) => (other.head.wall < one.head.wall ? other : one));
    if (first.head.wall !== lastWall) yield first.head;
    lastWall = first.head.wall;
    const next = first.rest.next();
    if (next.done) heads = heads.filter((one) => one !== first);
    else first.head = next.value;
  }
}

function* toTimes(walls: Iterable<number>): Generator<InstanceTime, void, undefined> {
  for (const wall of walls) yield { wall };
}

/** Removes the values of sorted lists from a sorted list. */
function* exclude(
  times: Iterable<InstanceTime>,
  excluded: Iterator<InstanceTime>,
): Generator<InstanceTime, void, undefined> {
  let next = excluded.next();
  for (const time of times) {
    while (!next.done && next.value.wall < time.wall) next = excluded.next();
    if (next.done || next.value.wall !== time.wall) yield time;
  }
}

/** RFC 5545 section 3.3.10: a rule of whole days has no times of day. */
const removeClockParts = (rule: string): string => rule.replaceAll(/(?:^|;)\s*BY(?:HOUR|MINUTE|SECOND)=[^;]*/gi, '');

/** Returns the local start times of a repeat between two local times, in order. */
function createTimes(component: ComponentTree, start: DateTime, reader: DateTimeReader) {
  const isExcluded = createExclusionTest(component, start, reader);
  const added = listProperties(component, 'RDATE').flatMap((property) => parseTimes(property, start, reader));
  // If two have the same start, the one with its own end comes first and wins.
  const own = [{ wall: start.wall }, ...added].toSorted(
    (one, other) => one.wall - other.wall || Number('until' in other) - Number('until' in one),
  );
  const iterateRules = (
    name: string,
    from: number,
    until: number,
    budget: Budget,
  ): Generator<InstanceTime, void, undefined> =>
    merge(
      listProperties(component, name).map(({ value }) => {
        const last = Math.min(until, parseRuleUntil(value, start, reader));
        const rule = start.isDate ? removeClockParts(value) : value;
        return toTimes(iterateRuleTimes(rule, start.wall, { from, until: last, budget }));
      }),
    );
  return {
    longest: Math.max(0, ...added.map(({ wall, until }) => (until === undefined ? 0 : until - wall + DAY_MS))),
    *between(from: number, until: number, budget: Budget): Generator<InstanceTime, void, undefined> {
      const all = merge([own, iterateRules('RRULE', from, until, budget)]);
      for (const time of exclude(all, iterateRules('EXRULE', from, until, budget)))
        if (time.wall >= from && time.wall <= until && !isExcluded(time.wall)) yield time;
    },
  };
}

const REPEAT_PROPERTIES = new Set(['RRULE', 'RDATE']);

/** A changed instance, and by how much it moves later ones (`RANGE=THISANDFUTURE`). */
interface Override extends InstanceDuration {
  readonly component: ComponentTree;
  /** Original start of the instance, in local time of the repeat's start. */
  readonly wall: number;
  readonly original: DateTime;
  readonly isRange: boolean;
  readonly shift: number;
}

function listOverride(
  component: ComponentTree,
  master: InstanceDuration | undefined,
  reader: DateTimeReader,
): readonly Override[] {
  const property = findProperty(component, 'RECURRENCE-ID');
  const span = parseDates(component, reader);
  const originalStart = readDateTime(property, reader);
  if (property === undefined || span === undefined || originalStart === undefined) return [];
  const { floating } = reader;
  const start = master?.start ?? span.start;
  const wall =
    master === undefined
      ? convertToClock(originalStart, start, floating)
      : getInstanceWall(originalStart, start, floating);
  const original = { ...start, wall };
  const isRange = getParameterValues(property, 'RANGE')?.[0]?.toUpperCase() === 'THISANDFUTURE';
  const shift = convertToClock(span.start, start, floating) - wall;
  return [{ ...span, component, wall, original, isRange, shift }];
}

const isOverride = (component: ComponentTree): boolean => findProperty(component, 'RECURRENCE-ID') !== undefined;

/** Creates a series from the events of an object. It is empty if none of them has a time. */
export function createEventSeries(events: readonly ComponentTree[], reader: DateTimeReader): EventSeries {
  const { floating } = reader;
  const master = events.find((component) => !isOverride(component));
  const span = master && parseDates(master, reader);
  const overrides = events.filter(isOverride).flatMap((component) => listOverride(component, span, reader));
  const walls = new Set(overrides.map(({ wall }) => wall));
  const ranges = overrides.filter(({ isRange }) => isRange).toSorted((one, other) => one.wall - other.wall);
  const isRepeating = master?.properties.some(({ name }) => REPEAT_PROPERTIES.has(name)) ?? false;
  const times = master && span && createTimes(master, span.start, reader);
  const shift = Math.max(0, ...ranges.map((one) => Math.abs(one.shift)));
  const longest = Math.max(span?.length ?? 0, times?.longest ?? 0, ...ranges.map(({ length }) => length));

  /** Converts a moment to local time of the repeat's start. Infinity stays infinite. */
  const toStartWall = (moment: number): number =>
    Number.isFinite(moment) ? toWall(span?.start.zone ?? floating, moment) : moment;

  function toInstance(time: InstanceTime): Instance | undefined {
    if (!master || !span) return undefined;
    const changed = ranges.findLast(({ wall }) => wall <= time.wall);
    const recurrence = { ...span.start, wall: time.wall };
    if (changed === undefined) {
      const from = toInstant(recurrence, floating);
      const until = Math.max(from, time.until ?? span.getEnd(recurrence));
      return { component: master, start: recurrence, from, until, recurrence: isRepeating ? recurrence : undefined };
    }
    // In the zone of the changed instance, which may differ from that of the repeat.
    const moved =
      convertToClock(recurrence, changed.start, floating) - convertToClock(changed.original, changed.start, floating);
    const start = { ...changed.start, wall: changed.start.wall + moved };
    const from = toInstant(start, floating);
    return { component: changed.component, start, from, until: Math.max(from, changed.getEnd(start)), recurrence };
  }

  function toOverrideInstance({ component, start, getEnd, original }: Override): Instance {
    const from = toInstant(start, floating);
    return { component, start, from, until: Math.max(from, getEnd(start)), recurrence: original };
  }

  function* iterateInstances({ start, end }: TimeRange, budget: Budget): Generator<Instance, void, undefined> {
    yield* overrides.map(toOverrideInstance);
    if (times === undefined) return;
    const from = toStartWall(start) - longest - shift - SLACK_MS;
    for (const time of times.between(from, toStartWall(end) + shift + SLACK_MS, budget)) {
      budget.left -= 1;
      const instance = walls.has(time.wall) ? undefined : toInstance(time);
      if (instance) yield instance;
      if (budget.left <= 0) return;
    }
  }

  return {
    master,
    overrides: overrides.map(({ component }) => component),
    iterateInstances,
    findOriginal: (component) => {
      const override = overrides.find((one) => one.component === component);
      return override && (toInstance({ wall: override.wall }) ?? toOverrideInstance(override));
    },
  };
}

/** A parsed object. */
export interface CalendarObject {
  readonly tree: ComponentTree;
  readonly reader: DateTimeReader;
  readonly series: EventSeries;
  /** Days or steps that may still be checked to compute its repeat. */
  readonly budget: Budget;
}

/** Days or steps for one object, so that one request can't block others. */
export const OBJECT_BUDGET = 300_000;

/** Parses an object. `floating` is the zone of dates and floating times. */
export function createCalendarObject(text: string, floating: Zone): CalendarObject {
  const tree = parseComponentTree(text);
  const described = tree.components.filter(({ name }) => name === 'VTIMEZONE');
  const reader = { zones: createZones(described.map(formatComponentTree)), floating };
  const events = tree.components.filter(({ name }) => name === 'VEVENT');
  return { tree, reader, series: createEventSeries(events, reader), budget: { left: OBJECT_BUDGET } };
}
