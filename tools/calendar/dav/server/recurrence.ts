import { toCivilDate, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { toLocalDay, getMonthIndex } from '../../events/domain/day.ts';
import {
  iterateRuleDays,
  parseRuleParts,
  parseRecurrenceRule,
  type Budget,
  type IcsRule,
  type RuleParts,
} from '../../repeat/domain/recurrenceRule.ts';

const UNITS_MS: Readonly<Record<string, number>> = { HOURLY: HOUR_MS, MINUTELY: MINUTE_MS, SECONDLY: 1000 };

/** The local time in which occurrences are searched, in milliseconds. */
export interface TimeWindow {
  readonly from: number;
  /** Inclusive. */
  readonly until: number;
  /** Days or steps that may still be checked. Counts down. */
  readonly budget: Budget;
}

function parseParts(text: string): RuleParts {
  const parts = parseRuleParts(text);
  return typeof parts === 'string' ? new Map<string, string>() : parts;
}

/** Parses a list of numbers from 0 on, sorted. Undefined if the rule has no such list. */
function parseNumbers(parts: RuleParts, name: string, largest: number): readonly number[] | undefined {
  const numbers = (parts.get(name) ?? '')
    .split(',', 100)
    .filter((part) => /^\d{1,2}$/.test(part) && Number(part) <= largest)
    .map(Number);
  return numbers.length === 0 ? undefined : [...new Set(numbers)].toSorted((one, other) => one - other);
}

/** Lists of a rule about the time of day. */
interface ClockLists {
  readonly hours: readonly number[] | undefined;
  readonly minutes: readonly number[] | undefined;
  readonly seconds: readonly number[] | undefined;
}

const parseClockLists = (parts: RuleParts): ClockLists => ({
  hours: parseNumbers(parts, 'BYHOUR', 23),
  minutes: parseNumbers(parts, 'BYMINUTE', 59),
  seconds: parseNumbers(parts, 'BYSECOND', 59),
});

interface RuleCount {
  readonly start: number;
  readonly count: number | undefined;
}

/** Limits groups of times to the window and to the rule's count. */
function* limitGroups(
  groups: Iterable<readonly number[]>,
  { start, count = Number.POSITIVE_INFINITY }: RuleCount,
  { from, until }: TimeWindow,
): Generator<number, void, undefined> {
  let timeCount = 0;
  for (const group of groups)
    for (const localMs of group) {
      if (localMs < start) continue;
      timeCount += 1;
      if (timeCount > count || localMs > until) return;
      if (localMs >= from) yield localMs;
    }
}

const selectPositions = (times: readonly number[], positions: readonly number[]): readonly number[] =>
  positions.length === 0
    ? times
    : times.filter((_time, index) => positions.includes(index + 1) || positions.includes(index - times.length));

// Rules of days and longer -----------------------------------------------------------------------------

function getPeriod({ frequency, weekStart }: IcsRule, day: Day): number {
  if (frequency === 'DAILY') return day;
  if (frequency === 'WEEKLY') return Math.floor((day + 3 - (weekStart - 1)) / 7);
  const civil = toCivilDate(day);
  return frequency === 'MONTHLY' ? getMonthIndex(civil) : civil.year;
}

/** Groups the days of each period if positions select among their times; otherwise each day is a group. */
function* groupDays(rule: IcsRule, days: Iterable<Day>): Generator<readonly Day[], void, undefined> {
  let group: Day[] = [];
  for (const day of days) {
    const [first] = group;
    const isOther = rule.positions.length === 0 || getPeriod(rule, first ?? day) !== getPeriod(rule, day);
    if (first !== undefined && isOther) {
      yield group;
      group = [];
    }
    group.push(day);
  }
  if (group.length > 0) yield group;
}

/** Iterates over several times a day, or times that differ from the start's. */
function* iterateDayTimes(
  rule: IcsRule,
  clocks: readonly number[],
  start: number,
  window: TimeWindow,
): Generator<readonly number[], void, undefined> {
  const first = toLocalDay(start);
  const hasPositions = rule.positions.length > 0;
  const isSkippable = rule.count === undefined && !hasPositions;
  const days = iterateRuleDays({ ...rule, count: undefined, positions: [] }, first, {
    from: isSkippable ? Math.max(first, toLocalDay(Math.max(window.from, start))) : first,
    // The last period is computed completely, because positions may count from its end.
    until: toLocalDay(Math.min(window.until, LAST_DAY * DAY_MS)) + (hasPositions ? 366 : 0),
    budget: window.budget,
  });
  for (const group of groupDays(rule, days)) {
    window.budget.left -= group.length * clocks.length;
    const times = group.flatMap((day) => clocks.map((clock) => day * DAY_MS + clock));
    yield selectPositions(times, rule.positions);
  }
}

function listClockTimes({ hours, minutes, seconds }: ClockLists, clock: number): readonly number[] {
  const [startHour, startMinute, startSecond] = [
    Math.floor(clock / HOUR_MS),
    Math.floor(clock / MINUTE_MS) % 60,
    Math.floor(clock / 1000) % 60,
  ];
  return (hours ?? [startHour]).flatMap((hour) =>
    (minutes ?? [startMinute]).flatMap((minute) =>
      (seconds ?? [startSecond]).map((second) => ((hour * 60 + minute) * 60 + second) * 1000),
    ),
  );
}

function* iterateDailyTimes(rule: IcsRule, lists: ClockLists, start: number, window: TimeWindow) {
  const first = toLocalDay(start);
  const clock = start - first * DAY_MS;
  const clocks = listClockTimes(lists, clock);
  if (clocks.length !== 1 || clocks[0] !== clock) {
    yield* limitGroups(iterateDayTimes(rule, clocks, start, window), { start, count: rule.count }, window);
    return;
  }
  const from = toLocalDay(Math.max(window.from, start));
  const until = toLocalDay(Math.min(window.until, LAST_DAY * DAY_MS));
  for (const day of iterateRuleDays(rule, first, { from, until, budget: window.budget })) {
    const localMs = day * DAY_MS + clock;
    if (localMs >= window.from && localMs <= window.until) yield localMs;
  }
}

// Rules of hours, minutes and seconds ------------------------------------------------------------------

interface SubDailyRule extends ClockLists {
  readonly unit: number;
  readonly step: number;
  readonly positions: readonly number[];
  readonly isOnDay: (day: Day) => boolean;
}

const DAY_LISTS = ['BYMONTH', 'BYMONTHDAY', 'BYYEARDAY', 'BYDAY', 'BYSETPOS', 'COUNT', 'INTERVAL'];

/** Converts the lists about days to a rule of days, which can check a single day. */
function toDayRule(parts: RuleParts): IcsRule | undefined {
  const dayParts = DAY_LISTS.flatMap((name) => (parts.has(name) ? [`${name}=${parts.get(name)}`] : []));
  const rule = parseRecurrenceRule(['FREQ=DAILY', ...dayParts].join(';'));
  return typeof rule === 'string' ? undefined : rule;
}

function createDayTest(rule: IcsRule, budget: Budget): (day: Day) => boolean {
  const plain = { ...rule, interval: 1, count: undefined, positions: [] };
  let lastResult: { readonly day: Day; readonly isOn: boolean } | undefined;
  return (day) => {
    if (lastResult?.day !== day) {
      const [match] = iterateRuleDays(plain, day, { from: day, until: day, budget });
      lastResult = { day, isOn: match !== undefined };
    }
    return lastResult.isOn;
  };
}

/** Returns the next possible step if this one doesn't match: the next day, hour or minute. Undefined if it matches. */
function findNextStep(rule: SubDailyRule, localMs: number): number | undefined {
  const { unit, hours, minutes, seconds } = rule;
  const day = toLocalDay(localMs);
  if (!rule.isOnDay(day)) return (day + 1) * DAY_MS;
  const clock = localMs - day * DAY_MS;
  if (hours && !hours.includes(Math.floor(clock / HOUR_MS))) return (Math.floor(localMs / HOUR_MS) + 1) * HOUR_MS;
  const isMinute = unit === HOUR_MS || !minutes || minutes.includes(Math.floor(clock / MINUTE_MS) % 60);
  if (!isMinute) return (Math.floor(localMs / MINUTE_MS) + 1) * MINUTE_MS;
  const isSecond = unit !== 1000 || !seconds || seconds.includes(Math.floor(clock / 1000) % 60);
  return isSecond ? undefined : localMs + 1000;
}

/** Lists the times of one step: the minutes of an hour, the seconds of a minute. */
function listStepTimes({ unit, minutes, seconds }: SubDailyRule, localMs: number): readonly number[] {
  const hour = Math.floor(localMs / HOUR_MS) * HOUR_MS;
  const minute = Math.floor(localMs / MINUTE_MS) * MINUTE_MS;
  const starts = unit === HOUR_MS && minutes ? minutes.map((value) => hour + value * MINUTE_MS) : [minute];
  if (unit === 1000) return [localMs];
  return starts.flatMap((minuteStart) =>
    seconds ? seconds.map((second) => minuteStart + second * 1000) : [minuteStart + (localMs - minute)],
  );
}

function* iterateSteps(
  rule: SubDailyRule,
  { start, count }: RuleCount,
  { from, until, budget }: TimeWindow,
): Generator<readonly number[], void, undefined> {
  const { step } = rule;
  // A step may contain times before its own, within its unit.
  const last = Math.min(until + HOUR_MS, (LAST_DAY + 1) * DAY_MS - 1);
  let number = count === undefined ? Math.max(0, Math.floor((from - start) / step) - 1) : 0;
  for (; budget.left > 0; budget.left -= 1) {
    const localMs = start + number * step;
    if (localMs > last) return;
    const next = findNextStep(rule, localMs);
    if (next === undefined) yield selectPositions(listStepTimes(rule, localMs), rule.positions);
    number = next === undefined ? number + 1 : Math.max(number + 1, Math.ceil((next - start) / step));
  }
}

function* iterateSubDailyTimes(parts: RuleParts, unit: number, start: number, window: TimeWindow) {
  const rule = toDayRule(parts);
  if (rule === undefined) return;
  const { interval, positions, count } = rule;
  const step = { ...parseClockLists(parts), unit, step: unit * interval, positions };
  const isOnDay = createDayTest(rule, window.budget);
  yield* limitGroups(iterateSteps({ ...step, isOnDay }, { start, count }, window), { start, count }, window);
}

/** Whether a recurrence rule is supported. */
export function isSupportedRule(text: string): boolean {
  const parts = parseParts(text);
  const isSubDaily = UNITS_MS[parts.get('FREQ') ?? ''] !== undefined;
  return isSubDaily ? toDayRule(parts) !== undefined : typeof parseRecurrenceRule(text) !== 'string';
}

/**
 * Iterates over the local times of a recurrence rule (RFC 5545 section 3.3.10) in a window, sorted. The start is
 * included only if the rule matches it, and `UNTIL` is ignored. Empty if the rule is unsupported.
 */
export function iterateRuleTimes(text: string, start: number, window: TimeWindow): Iterable<number> {
  const parts = parseParts(text);
  const unit = UNITS_MS[parts.get('FREQ') ?? ''];
  if (unit !== undefined) return iterateSubDailyTimes(parts, unit, start, window);
  const rule = parseRecurrenceRule(text);
  return typeof rule === 'string' ? [] : iterateDailyTimes(rule, parseClockLists(parts), start, window);
}
