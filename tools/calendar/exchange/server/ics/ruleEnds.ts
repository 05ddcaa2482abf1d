import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { formatLocalTime, toLocalDay } from '#tools/calendar/events/domain/day.ts';
import type { Zone } from '#tools/calendar/events/domain/timeZone.ts';
import { iterateRuleDays, type IcsRule } from '#tools/calendar/repeat/domain/recurrenceRule.ts';
import { listLines, type Component } from './contentLines.ts';
import { convertToZone, parseDateTime, parseTimeList, toDayMs, type DateTime, type ListedTime } from './dateTime.ts';
import { type EventTime, type EventTimeReader, getLengthMinutes } from './eventTime.ts';

/** Receives problems of a rule. Those of `note` are stored with the event. */
export interface ReadContext {
  readonly reader: EventTimeReader;
  readonly note: (words: string) => void;
}

/** Returns the event's own day of a moment: in the zone of its start, or at home if it has whole days. */
export function toOwnDay(moment: DateTime, start: DateTime, home: Zone | undefined): Day {
  return toLocalDay(start.isDate ? toDayMs(moment, home) : convertToZone(moment, start.zone));
}

const isAtAnotherTime = (moment: DateTime, { start, time }: EventTime): boolean =>
  !start.isDate && !moment.isDate && formatLocalTime(convertToZone(moment, start.zone)) !== time;

interface OwnTime extends ListedTime {
  readonly day: Day;
}

/** Parses the times of a line. Reports invalid ones, and those outside the calendar, and leaves them out. */
const readTimes = (component: Component, name: string, start: DateTime, reader: EventTimeReader): readonly OwnTime[] =>
  listLines(component, name)
    .flatMap((line) => parseTimeList(line, reader))
    .flatMap((time) => {
      const day = time && toOwnDay(time, start, reader.home);
      if (time !== undefined && day !== undefined && day >= FIRST_DAY && day <= LAST_DAY) return [{ ...time, day }];
      reader.warn(`A date in its ${name} is not valid and is ignored`);
      return [];
    });

/** Returns additional days (`RDATE`), and reports what of them can't be stored. */
export function readExtraDays(component: Component, when: EventTime, { reader, note }: ReadContext): readonly Day[] {
  const times = readTimes(component, 'RDATE', when.start, reader);
  if (times.some((time) => isAtAnotherTime(time, when))) {
    reader.warn(`Some of its dates have another start time. They are shown at ${when.time}`);
    note(`some of its dates have another start time than ${when.time}`);
  }
  const length = when.time !== undefined && when.endTime === undefined ? 0 : getLengthMinutes(when) * MINUTE_MS;
  if (times.some((time) => time.length !== undefined && Math.abs(time.length - length) >= MINUTE_MS)) {
    reader.warn('Some of its dates have another length than the first. They are shown with the length of the first');
    note('some of its dates have another length');
  }
  return times.map(({ day }) => day);
}

/** Returns exceptions (`EXDATE`). Their time of day may differ, because some programs write them so. */
export function readExceptions(component: Component, when: EventTime, { reader }: ReadContext): readonly Day[] {
  const times = readTimes(component, 'EXDATE', when.start, reader);
  if (times.some((time) => isAtAnotherTime(time, when)))
    reader.warn('Its excluded dates have another start time. They are excluded all the same');
  return times.map(({ day }) => day);
}

/** Limit for one event: a rule that never matches would be searched indefinitely. */
export const MAX_SCANNED_DAYS = 400_000;

/** A rule of days with one end: its `COUNT` of days, or its last day in the event's own zone. */
export interface BoundedRule {
  readonly rule: IcsRule;
  readonly until: Day | undefined;
}

// Times of day ---------------------------------------------------------------------------------------

const TIMES_OF_DAY = ['BYHOUR', 'BYMINUTE', 'BYSECOND'] as const;
const UNIT_MS = { BYHOUR: HOUR_MS, BYMINUTE: MINUTE_MS, BYSECOND: 1000 } as const;
const VALUE_COUNTS = { BYHOUR: 24, BYMINUTE: 60, BYSECOND: 61 } as const;

type TimeList = (typeof TIMES_OF_DAY)[number];

/** Parses the numbers of a list without impossible times. Undefined if the rule has no such list. */
function parseRuleTimes(text: string, name: TimeList): readonly number[] | undefined {
  const list = new RegExp(`(?:^|;)\\s*${name}=([^;]+)`, 'i').exec(text)?.[1]?.split(',').map(Number);
  return (
    list && [...new Set(list)].filter((value) => Number.isInteger(value) && value >= 0 && value < VALUE_COUNTS[name])
  );
}

const getTimePart = (ms: number, name: TimeList): number =>
  Math.floor(ms / UNIT_MS[name]) % (name === 'BYHOUR' ? VALUE_COUNTS.BYHOUR : 60);

const matchesTimeLists = (
  text: string,
  { start, time }: EventTime,
  isIn: (list: readonly number[], value: number) => boolean,
) =>
  TIMES_OF_DAY.every((name) => {
    const list = time === undefined ? undefined : parseRuleTimes(text, name);
    return list === undefined || isIn(list, getTimePart(start.localMs - toLocalDay(start.localMs) * DAY_MS, name));
  });

/** Whether a rule has other times of day than the start. */
export function hasOtherTimes(text: string, when: EventTime): boolean {
  return !matchesTimeLists(text, when, (list, value) => list.length > 0 && list.every((other) => other === value));
}

/** Whether a rule's times of day include that of the start. */
export function hasOwnTime(text: string, when: EventTime): boolean {
  return matchesTimeLists(text, when, (list, value) => list.includes(value));
}

/** Returns how many times of day a rule has, and how many of them are before a time of day. */
function countTimes(text: string, timeOfDay: number): { readonly all: number; readonly before: number } {
  let [all, before] = [1, 0];
  for (const name of TIMES_OF_DAY.toReversed()) {
    const part = getTimePart(timeOfDay, name);
    const list = parseRuleTimes(text, name) ?? [];
    const parts = list.length === 0 ? [part] : list;
    before = parts.filter((other) => other < part).length * all + (parts.includes(part) ? before : 0);
    all *= parts.length;
  }
  return { all, before };
}

/** Converts `COUNT`, which counts each time of day, to the number of days that reach the start's time of day. */
function countDays(rule: IcsRule, text: string, { start, day, time }: EventTime): number | undefined {
  const { count } = rule;
  if (count === undefined || time === undefined || rule.positions.length > 0) return count;
  const { all, before } = countTimes(text, start.localMs - toLocalDay(start.localMs) * DAY_MS);
  const first = iterateRuleDays(rule, day, { from: day, until: day, budget: { left: MAX_SCANNED_DAYS } });
  const isFirst = first.next().done !== true;
  const remaining = Math.max(0, count - (isFirst ? all - before : 0));
  return Math.max(1, Number(isFirst) + Math.floor(remaining / all) + Number(remaining % all > before));
}

// Ends -----------------------------------------------------------------------------------------------

/** Converts a rule's `UNTIL` to the last own day on which an occurrence may start. */
function parseUntil(rule: IcsRule, { start }: EventTime, { home, warn }: EventTimeReader): Day | undefined {
  if (rule.until === undefined) return undefined;
  const until = parseDateTime(rule.until, start.zone);
  if (until === undefined) {
    warn('The end of its repeat is not a valid date and is ignored');
    return undefined;
  }
  if (until.isDate || start.isDate) return toLocalDay(until.localMs);
  const time = start.localMs - toLocalDay(start.localMs) * DAY_MS;
  return toLocalDay(convertToZone(until, start.zone ?? home) - time);
}

/** Computes the end of a rule: the earlier of COUNT and UNTIL. */
export function computeRuleEnd(fileRule: IcsRule, text: string, when: EventTime, reader: EventTimeReader): BoundedRule {
  const until = parseUntil(fileRule, when, reader);
  const rule = { ...fileRule, count: countDays(fileRule, text, when) };
  if (rule.count === undefined || until === undefined) return { rule, until };
  const start = when.day;
  const days = [...iterateRuleDays(rule, start, { from: start, until, budget: { left: MAX_SCANNED_DAYS } })];
  return days.length >= rule.count ? { rule, until: undefined } : { rule: { ...rule, count: undefined }, until };
}
