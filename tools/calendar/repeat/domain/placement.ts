import { toCivilDate, FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { DAY_MINUTES, DAY_MS } from '#platform/contract/duration.ts';
import { getDayOfMonth, getMonthIndex, toMinutes } from '../../events/domain/day.ts';
import { countEndDays, findEndTime, type EventTimes } from '../../events/domain/event.ts';
import { findNamedZone } from '../../events/domain/timeZone.ts';
import { getBounds, findLastRepeatDay, findNextRepeatDay, occursOn, getSteps } from './repeat.ts';

/**
 * A repeat as the database finds it by day. Days (`monthDay` 0): day modulo `period` is `phase`. Months: month index
 * modulo `period` is `phase`, on `monthDay` or the last day of a shorter month.
 */
export interface Rule {
  readonly monthDay: number;
  readonly period: number;
  readonly phase: number;
  readonly from: Day;
  readonly until: Day;
  /** Days from the rule's day, on which the event starts, to another day that it may touch. Defaults to 0. */
  readonly offset?: number;
}

/** A rule of a long event: it may touch `count` days, the first one `offset` days from the rule's day. */
export interface MultiDayRule extends Rule {
  readonly offset: number;
  readonly count: number;
}

/** The stored days of an event. */
export interface Placement {
  readonly rules: readonly Rule[];
  readonly days: readonly Day[];
  /** For a long event. Its rules and days then contain only the days on which it starts. */
  readonly spans?: readonly MultiDayRule[];
  /** The last day. For an endless repeat it is the last supported day. */
  readonly until: Day;
}

/** Maximum minutes by which a zone is behind UTC, and ahead of it. */
const MAX_BEHIND_MINUTES = 12 * 60;
const MAX_AHEAD_MINUTES = 14 * 60;

/** Whether the event touches only the days on which it starts, in any viewer's zone. */
export function isPlain(event: EventTimes): boolean {
  return event.zone === undefined && (event.pattern.kind === 'duration' || countEndDays(event) === 0);
}

/**
 * Returns the distances from the starting day to the first and the last day that the event may touch for any viewer.
 * `ahead` is the offset of its zone from UTC in minutes, minimum and maximum.
 */
function getTouchedRange(event: EventTimes, ahead: readonly [number, number] | undefined): readonly [number, number] {
  const endDays = countEndDays(event);
  if (ahead === undefined || event.time === undefined) return [0, endDays];
  const start = toMinutes(event.time);
  const end = Math.max(start + 1, endDays * DAY_MINUTES + toMinutes(findEndTime(event) ?? '00:00'));
  const first = Math.floor((start - ahead[1] - MAX_BEHIND_MINUTES) / DAY_MINUTES);
  return [Math.min(0, first), Math.max(endDays, Math.floor((end - 1 - ahead[0] + MAX_AHEAD_MINUTES) / DAY_MINUTES))];
}

/** Returns the minimum and maximum offset of a zone from UTC, found within one year. */
function getOffsetRange({ zone: name, day }: EventTimes): readonly [number, number] | undefined {
  const zone = name === undefined ? undefined : findNamedZone(name);
  if (zone === undefined) return undefined;
  const minutes = [0, 91, 182, 273].map((days) => zone((day + days) * DAY_MS) / 60_000);
  return [Math.min(...minutes), Math.max(...minutes)];
}

const isInCalendar = (day: Day): boolean => day >= FIRST_DAY && day <= LAST_DAY;

/** Events that touch more days than this are stored with their length instead of day by day. */
const MAX_OFFSETS_PER_RULE = 4;

/** Converts sorted days to rules that match each run of consecutive days. */
function toRuns(days: readonly Day[]): readonly Rule[] {
  const runs: { from: Day; until: Day }[] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last && day <= last.until + 1) last.until = day;
    else runs.push({ from: day, until: day });
  }
  return runs.map((run) => ({ monthDay: 0, period: 1, phase: 0, ...run }));
}

/** Adds the days that parts of the event may touch to a plain placement. */
function addTouchedDays(placement: Placement, event: EventTimes): Placement {
  if (isPlain(event) || event.pattern.kind === 'duration') return placement;
  const [first, last] = getTouchedRange(event, getOffsetRange(event));
  const until = Math.min(LAST_DAY, placement.until + countEndDays(event));
  const count = last - first + 1;
  if (count > MAX_OFFSETS_PER_RULE) {
    const startRules = [...placement.rules, ...toRuns(placement.days)];
    return { ...placement, spans: startRules.map((rule) => ({ ...rule, offset: first, count })), until };
  }
  const offsets = Array.from({ length: count }, (_, at) => first + at);
  const days = new Set(placement.days.flatMap((day) => offsets.map((offset) => day + offset)));
  return {
    rules: placement.rules.flatMap((rule) => offsets.map((offset) => ({ ...rule, offset }))),
    days: [...days].filter(isInCalendar).toSorted((one, other) => one - other),
    until,
  };
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

function toRule(day: Day, steps: ReturnType<typeof getSteps>): Pick<Rule, 'monthDay' | 'period' | 'phase'> {
  const { period } = steps;
  if (steps.in === 'days') return { monthDay: 0, period, phase: modulo(day, period) };
  const civil = toCivilDate(day);
  return { monthDay: civil.date, period, phase: modulo(getMonthIndex(civil), period) };
}

function createPlainPlacement(event: EventTimes): Placement {
  const { day, pattern, exceptions } = event;
  if (pattern.kind === 'single') return { rules: [], days: [day], until: day };
  if (pattern.kind === 'duration') return { rules: [], days: [], until: day + countEndDays(event) };
  if (pattern.kind === 'foreign') {
    const exceptionDays = new Set(exceptions);
    const days = [...new Set(pattern.days)]
      .filter((each) => !exceptionDays.has(each))
      .toSorted((one, other) => one - other);
    return { rules: [], days, until: days.at(-1) ?? day };
  }
  const { repeat } = pattern;
  const bounds = getBounds(day, repeat);
  const last = findLastRepeatDay(day, repeat, LAST_DAY);
  // An event without days is found by its own day.
  if (last === undefined) return { rules: [], days: [], until: day };
  const rules = [{ ...toRule(day, getSteps(repeat)), ...bounds }];
  return { rules, days: [], until: bounds.until };
}

export function getPlacement(event: EventTimes): Placement {
  return addTouchedDays(createPlainPlacement(event), event);
}

/** Whether an event has a day, in its own zone. Exceptions don't count, days within a duration do. */
export function isOnDay(event: EventTimes, date: Day): boolean {
  const { day, pattern, exceptions } = event;
  if (pattern.kind === 'single') return date === day;
  if (pattern.kind === 'duration') return date >= day && date <= day + countEndDays(event);
  if (exceptions.includes(date)) return false;
  return pattern.kind === 'foreign' ? pattern.days.includes(date) : occursOn(day, pattern.repeat, date);
}

/** Returns the first day on `from` or later on which the event starts, in its own zone. */
export function findNextStart(event: EventTimes, from: Day): Day | undefined {
  return event.pattern.kind === 'duration' ? (event.day >= from ? event.day : undefined) : findNextDay(event, from);
}

/**
 * Returns the first day of the event on `from` or later, in its own zone. For a running duration that is `from` itself.
 */
export function findNextDay(event: EventTimes, from: Day): Day | undefined {
  const { day, pattern, exceptions } = event;
  if (pattern.kind === 'single') return day >= from ? day : undefined;
  if (pattern.kind === 'duration') return day + countEndDays(event) >= from ? Math.max(day, from) : undefined;
  const exceptionDays = new Set(exceptions);
  if (pattern.kind === 'foreign')
    return pattern.days.reduce<Day | undefined>(
      (first, each) =>
        each >= from && !exceptionDays.has(each) && (first === undefined || each < first) ? each : first,
      undefined,
    );
  let next = findNextRepeatDay(day, pattern.repeat, from);
  // Runs at most once for each exception.
  while (next !== undefined && exceptionDays.has(next)) next = findNextRepeatDay(day, pattern.repeat, next + 1);
  return next;
}

/** Returns the first day of a rule on `from` or later. */
export function findNextRuleDay({ monthDay, period, phase, ...bounds }: Rule, from: Day): Day | undefined {
  const first = Math.max(from, bounds.from);
  let next: Day;
  if (monthDay === 0) next = first + modulo(phase - first, period);
  else {
    const month = getMonthIndex(toCivilDate(first));
    const targetMonth = month + modulo(phase - month, period);
    next = getDayOfMonth(targetMonth, monthDay);
    if (next < first) next = getDayOfMonth(targetMonth + period, monthDay);
  }
  return next <= bounds.until ? next : undefined;
}

/** Returns the first day of a span on `from` or later. `exceptionDays` are its exceptions. */
export function findNextSpanDay(
  span: MultiDayRule,
  from: Day,
  exceptionDays: ReadonlySet<Day> | undefined,
): Day | undefined {
  const { offset, count } = span;
  let start = findNextRuleDay(span, from - offset - count + 1);
  while (start !== undefined && exceptionDays?.has(start))
    start = start < LAST_DAY ? findNextRuleDay(span, start + 1) : undefined;
  return start === undefined ? undefined : Math.max(from, start + offset);
}

/** Returns the last day of a rule on `until` or before. */
export function findLastRuleDay({ monthDay, period, phase, ...bounds }: Rule, until: Day): Day | undefined {
  const end = Math.min(until, bounds.until);
  let last: Day;
  if (monthDay === 0) last = end - modulo(end - phase, period);
  else {
    const month = getMonthIndex(toCivilDate(end));
    const targetMonth = month - modulo(month - phase, period);
    last = getDayOfMonth(targetMonth, monthDay);
    if (last > end) last = getDayOfMonth(targetMonth - period, monthDay);
  }
  return last >= bounds.from ? last : undefined;
}
