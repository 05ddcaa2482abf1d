import { DAY_MS, HOUR_MS } from '#platform/contract/duration.ts';
import { toUtcEnd, toLocalMs, type Zone } from '../../events/domain/timeZone.ts';
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
  /** Start in milliseconds since the epoch. */
  readonly from: number;
  /** End in milliseconds since the epoch. It equals the start if the instance has no length. */
  readonly until: number;
  /** Original start, which identifies an instance of a repeat. Undefined if nothing repeats. */
  readonly recurrence: DateTime | undefined;
}

/** Start of an event, and the function that computes the ends of its instances. */
interface EventTiming {
  readonly start: DateTime;
  /** Returns the end of an instance with this start, in milliseconds since the epoch. */
  readonly getEnd: (instanceStart: DateTime) => number;
  /** Length of the first instance. Others may differ by a change of the UTC offset. */
  readonly lengthMs: number;
}

/** An event of an object, with its repeat and changed instances. */
export interface EventSeries {
  readonly master: ComponentTree | undefined;
  readonly overrides: readonly ComponentTree[];
  /** Iterates over the instances that may be in a range, changed ones first. A few are outside of the range. */
  readonly iterateInstances: (range: TimeRange, budget: Budget) => Generator<Instance, void, undefined>;
  /** Returns the original instance that a changed one replaces. */
  readonly findOriginal: (override: ComponentTree) => Instance | undefined;
}

/** Maximum change of a zone's UTC offset. Ranges in local time are extended by it, so that no instance is missed. */
const MAX_UTC_OFFSET_CHANGE_MS = 3 * HOUR_MS;

const NO_DURATION: Duration = { days: 0, ms: 0 };
const WHOLE_DAY: Duration = { days: 1, ms: 0 };

/** Returns the duration of an event without an end: from its property, else one day for dates, else none. */
const getDuration = (component: ComponentTree, start: DateTime): Duration =>
  parseDuration(findProperty(component, 'DURATION')?.value ?? '') ?? (start.isDate ? WHOLE_DAY : NO_DURATION);

function createEndFunction(start: DateTime, end: DateTime, { floating }: DateTimeReader): EventTiming['getEnd'] {
  const isSameClock = end.zone === start.zone && end.isDate === start.isDate;
  // Some programs write the end of a whole day as the same date.
  if (isSameClock && start.isDate && end.localMs <= start.localMs)
    return (instanceStart) => addDuration(instanceStart, WHOLE_DAY, floating);
  if (isSameClock) {
    const localLength = end.localMs - start.localMs;
    return ({ zone = floating, localMs }) => toUtcEnd(zone, localMs, localMs + localLength);
  }
  const ms = toInstant(end, floating) - toInstant(start, floating);
  return (instanceStart) => toInstant(instanceStart, floating) + ms;
}

/** Parses the start and end of an event. Returns undefined if it has no valid start. */
function parseTiming(component: ComponentTree, reader: DateTimeReader): EventTiming | undefined {
  const { floating } = reader;
  const start = readDateTime(findProperty(component, 'DTSTART'), reader);
  if (start === undefined) return undefined;
  const end = readDateTime(findProperty(component, 'DTEND'), reader);
  const duration = getDuration(component, start);
  const getEnd = end
    ? createEndFunction(start, end, reader)
    : (instanceStart: DateTime) => addDuration(instanceStart, duration, floating);
  return { start, getEnd, lengthMs: Math.max(0, getEnd(start) - toInstant(start, floating)) };
}

/** Time of one occurrence of a repeat. */
interface InstanceTime {
  /** Start in local time. */
  readonly localMs: number;
  /** End in milliseconds since the epoch, if a period of `RDATE` gives it. */
  readonly until?: number | undefined;
}

/** Parses the end of a period, which is a time or a duration. */
function parsePeriodEnd(text: string, start: DateTime, { floating }: DateTimeReader): number | undefined {
  const duration = parseDuration(text);
  if (duration) return addDuration(start, duration, floating);
  const end = parseDateTime(text, start.zone);
  return end && toInstant(end, floating);
}

/** Returns the local start of a listed instance. If the repeat has a time of day, a date means that time on the day. */
const getInstanceLocalMs = (listed: DateTime, start: DateTime, floating: Zone): number =>
  listed.isDate && !start.isDate
    ? Math.floor(listed.localMs / DAY_MS) * DAY_MS + (start.localMs - Math.floor(start.localMs / DAY_MS) * DAY_MS)
    : convertToClock(listed, start, floating);

/** Parses the times of an `RDATE`. Invalid ones are ignored. */
function parseAddedTimes(property: PropertyLine, start: DateTime, reader: DateTimeReader): readonly InstanceTime[] {
  const zone = findZone(property, reader);
  return splitValues(property.value).flatMap((text): readonly InstanceTime[] => {
    const [startText = '', endText] = text.split('/', 2);
    const added = parseDateTime(startText, zone);
    if (added === undefined) return [];
    const localMs = getInstanceLocalMs(added, start, reader.floating);
    return [{ localMs, until: endText === undefined ? undefined : parsePeriodEnd(endText, added, reader) }];
  });
}

/** Creates a test of whether a repeat excludes a local time. A date excludes all times of that day. */
function createExclusionTest(component: ComponentTree, start: DateTime, reader: DateTimeReader) {
  const excludedTimes = new Set<number>();
  const excludedDays = new Set<number>();
  for (const property of listProperties(component, 'EXDATE')) {
    const zone = findZone(property, reader);
    for (const text of splitValues(property.value)) {
      const exception = parseDateTime(text, zone);
      if (exception === undefined) continue;
      if (exception.isDate || start.isDate) excludedDays.add(Math.floor(exception.localMs / DAY_MS));
      else excludedTimes.add(convertToClock(exception, start, reader.floating));
    }
  }
  return (localMs: number): boolean => excludedTimes.has(localMs) || excludedDays.has(Math.floor(localMs / DAY_MS));
}

/** Returns the last local time at which a rule's `UNTIL` allows an instance to start. */
function parseRuleUntil(rule: string, start: DateTime, { floating }: DateTimeReader): number {
  const untilText = /(?:^|;)UNTIL=([^;]*)/i.exec(rule)?.[1];
  const until = untilText === undefined ? undefined : parseDateTime(untilText, start.zone);
  if (until === undefined) return Number.POSITIVE_INFINITY;
  if (until.isDate) return until.localMs + DAY_MS - 1;
  return start.isDate ? until.localMs : convertToClock(until, start, floating);
}

/** Merges sorted lists. Of several times with the same start, only the first list's is used. */
function* merge(lists: readonly Iterable<InstanceTime>[]): Generator<InstanceTime, void, undefined> {
  let heads = lists.flatMap((list) => {
    const iterator = list[Symbol.iterator]();
    const result = iterator.next();
    return result.done ? [] : [{ iterator, time: result.value }];
  });
  let lastLocalMs: number | undefined;
  while (heads.length > 0) {
    const earliest = heads.reduce((best, head) => (head.time.localMs < best.time.localMs ? head : best));
    if (earliest.time.localMs !== lastLocalMs) yield earliest.time;
    lastLocalMs = earliest.time.localMs;
    const next = earliest.iterator.next();
    if (next.done) heads = heads.filter((head) => head !== earliest);
    else earliest.time = next.value;
  }
}

function* toInstanceTimes(starts: Iterable<number>): Generator<InstanceTime, void, undefined> {
  for (const localMs of starts) yield { localMs };
}

/** Removes the times of one sorted list from another. */
function* exclude(
  times: Iterable<InstanceTime>,
  excluded: Iterator<InstanceTime>,
): Generator<InstanceTime, void, undefined> {
  let next = excluded.next();
  for (const time of times) {
    while (!next.done && next.value.localMs < time.localMs) next = excluded.next();
    if (next.done || next.value.localMs !== time.localMs) yield time;
  }
}

/** RFC 5545 section 3.3.10: a rule of whole days has no times of day. */
const removeClockParts = (rule: string): string => rule.replaceAll(/(?:^|;)\s*BY(?:HOUR|MINUTE|SECOND)=[^;]*/gi, '');

/** Times of a repeat, without its exceptions. */
interface RepeatTimes {
  /** Maximum length of the instances that have their own end, rounded up. */
  readonly maxPeriodMs: number;
  /** Iterates over the times between two local times, in order. Both are included. */
  readonly iterateBetween: (from: number, until: number, budget: Budget) => Generator<InstanceTime, void, undefined>;
}

function createRepeatTimes(component: ComponentTree, start: DateTime, reader: DateTimeReader): RepeatTimes {
  const isExcluded = createExclusionTest(component, start, reader);
  const addedTimes = listProperties(component, 'RDATE').flatMap((line) => parseAddedTimes(line, start, reader));
  // An added time precedes the event's start if both are the same, because its end has priority.
  const fixedTimes = [{ localMs: start.localMs }, ...addedTimes].toSorted(
    (one, other) => one.localMs - other.localMs || Number('until' in other) - Number('until' in one),
  );

  function iterateRules(
    name: 'RRULE' | 'EXRULE',
    from: number,
    until: number,
    budget: Budget,
  ): Generator<InstanceTime, void, undefined> {
    return merge(
      listProperties(component, name).map(({ value }) => {
        const last = Math.min(until, parseRuleUntil(value, start, reader));
        const rule = start.isDate ? removeClockParts(value) : value;
        return toInstanceTimes(iterateRuleTimes(rule, start.localMs, { from, until: last, budget }));
      }),
    );
  }

  function* iterateBetween(from: number, until: number, budget: Budget): Generator<InstanceTime, void, undefined> {
    const times = merge([fixedTimes, iterateRules('RRULE', from, until, budget)]);
    for (const time of exclude(times, iterateRules('EXRULE', from, until, budget)))
      if (time.localMs >= from && time.localMs <= until && !isExcluded(time.localMs)) yield time;
  }

  // The end is in UTC and the start in local time, so a day is added for the offset.
  const periodLengths = addedTimes.map(({ localMs, until }) => (until === undefined ? 0 : until - localMs + DAY_MS));
  return { maxPeriodMs: Math.max(0, ...periodLengths), iterateBetween };
}

const REPEAT_PROPERTIES = new Set(['RRULE', 'RDATE']);

/** A changed instance of a repeat. */
interface Override extends EventTiming {
  readonly component: ComponentTree;
  /** Original start, on the clock of the repeat. */
  readonly original: DateTime;
  /** Whether it also changes the instances after it (`RANGE=THISANDFUTURE`). */
  readonly isThisAndFuture: boolean;
  /** Difference between its new and its original start, in local time. */
  readonly shiftMs: number;
}

/** Parses a changed instance. Returns undefined if it has no valid times. */
function parseOverride(
  component: ComponentTree,
  master: EventTiming | undefined,
  reader: DateTimeReader,
): Override | undefined {
  const property = findProperty(component, 'RECURRENCE-ID');
  const timing = parseTiming(component, reader);
  const recurrenceId = readDateTime(property, reader);
  if (property === undefined || timing === undefined || recurrenceId === undefined) return undefined;
  const { floating } = reader;
  const start = master?.start ?? timing.start;
  const localMs =
    master === undefined
      ? convertToClock(recurrenceId, start, floating)
      : getInstanceLocalMs(recurrenceId, start, floating);
  return {
    ...timing,
    component,
    original: { ...start, localMs },
    isThisAndFuture: getParameterValues(property, 'RANGE')?.[0]?.toUpperCase() === 'THISANDFUTURE',
    shiftMs: convertToClock(timing.start, start, floating) - localMs,
  };
}

const isOverride = (component: ComponentTree): boolean => findProperty(component, 'RECURRENCE-ID') !== undefined;

/** Creates a series from the events of an object. It is empty if none of them has a time. */
export function createEventSeries(events: readonly ComponentTree[], reader: DateTimeReader): EventSeries {
  const { floating } = reader;
  const master = events.find((component) => !isOverride(component));
  const timing = master && parseTiming(master, reader);
  const overrides = events.filter(isOverride).flatMap((component) => parseOverride(component, timing, reader) ?? []);
  const overriddenTimes = new Set(overrides.map(({ original }) => original.localMs));
  const futureOverrides = overrides
    .filter(({ isThisAndFuture }) => isThisAndFuture)
    .toSorted((one, other) => one.original.localMs - other.original.localMs);
  const isRepeating = master?.properties.some(({ name }) => REPEAT_PROPERTIES.has(name)) ?? false;
  const repeatTimes = master && timing && createRepeatTimes(master, timing.start, reader);
  const maxShiftMs = Math.max(0, ...futureOverrides.map(({ shiftMs }) => Math.abs(shiftMs)));
  const maxLengthMs = Math.max(
    timing?.lengthMs ?? 0,
    repeatTimes?.maxPeriodMs ?? 0,
    ...futureOverrides.map(({ lengthMs }) => lengthMs),
  );

  /** Converts a moment to local time of the repeat's start. Infinity stays infinite. */
  const toRepeatLocalMs = (moment: number): number =>
    Number.isFinite(moment) ? toLocalMs(timing?.start.zone ?? floating, moment) : moment;

  function toInstance(time: InstanceTime): Instance | undefined {
    if (!master || !timing) return undefined;
    const override = futureOverrides.findLast(({ original }) => original.localMs <= time.localMs);
    const recurrence = { ...timing.start, localMs: time.localMs };
    if (override === undefined) {
      const from = toInstant(recurrence, floating);
      const until = Math.max(from, time.until ?? timing.getEnd(recurrence));
      return { component: master, start: recurrence, from, until, recurrence: isRepeating ? recurrence : undefined };
    }
    // Adds the distance in the zone of the changed instance, which may differ from that of the repeat.
    const distanceMs =
      convertToClock(recurrence, override.start, floating) -
      convertToClock(override.original, override.start, floating);
    const start = { ...override.start, localMs: override.start.localMs + distanceMs };
    const from = toInstant(start, floating);
    return { component: override.component, start, from, until: Math.max(from, override.getEnd(start)), recurrence };
  }

  function toOverrideInstance({ component, start, getEnd, original }: Override): Instance {
    const from = toInstant(start, floating);
    return { component, start, from, until: Math.max(from, getEnd(start)), recurrence: original };
  }

  function* iterateInstances({ start, end }: TimeRange, budget: Budget): Generator<Instance, void, undefined> {
    yield* overrides.map(toOverrideInstance);
    if (repeatTimes === undefined) return;
    const from = toRepeatLocalMs(start) - maxLengthMs - maxShiftMs - MAX_UTC_OFFSET_CHANGE_MS;
    const until = toRepeatLocalMs(end) + maxShiftMs + MAX_UTC_OFFSET_CHANGE_MS;
    for (const time of repeatTimes.iterateBetween(from, until, budget)) {
      budget.left -= 1;
      const instance = overriddenTimes.has(time.localMs) ? undefined : toInstance(time);
      if (instance) yield instance;
      if (budget.left <= 0) return;
    }
  }

  function findOriginal(component: ComponentTree): Instance | undefined {
    const override = overrides.find((candidate) => candidate.component === component);
    return override && (toInstance({ localMs: override.original.localMs }) ?? toOverrideInstance(override));
  }

  return { master, overrides: overrides.map(({ component }) => component), iterateInstances, findOriginal };
}

/** A parsed object. */
export interface CalendarObject {
  readonly tree: ComponentTree;
  readonly reader: DateTimeReader;
  readonly series: EventSeries;
  /** Remaining days or steps that may be checked to compute its repeat. */
  readonly budget: Budget;
}

/** Days or steps for one object, so that one request can't block others. */
export const OBJECT_BUDGET = 300_000;

/** Parses an object. `floating` is the zone of dates and floating times. */
export function parseCalendarObject(text: string, floating: Zone): CalendarObject {
  const tree = parseComponentTree(text);
  const zoneComponents = tree.components.filter(({ name }) => name === 'VTIMEZONE');
  const reader = { zones: createZones(zoneComponents.map(formatComponentTree)), floating };
  const events = tree.components.filter(({ name }) => name === 'VEVENT');
  return { tree, reader, series: createEventSeries(events, reader), budget: { left: OBJECT_BUDGET } };
}
