import { toCivilDate, FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { addMonths, getMonthIndex, parseDay } from '../../events/domain/day.ts';
import type { Repeat, DayPattern } from '../../events/domain/event.ts';
import { sortUniqueDays, MAX_FOREIGN_DAYS } from '../../events/domain/eventDraft.ts';
import { formatIcsDay } from '../../exchange/domain/icsText.ts';
import { describeRule } from '../../exchange/domain/ruleDescription.ts';
import { iterateRuleDays, parseRecurrenceRule, formatRuleDays } from './recurrenceRule.ts';

/** Years for which days are computed, as for imported rules. */
const YEARS_AHEAD = 10;
const MAX_SCANNED_DAYS = 400_000;

/** Returns the pattern of an `RRULE` value that starts on `start`. @throws Refusal if it is no rule or has no days */
export function createForeignPattern(value: string, start: Day, today: Day): Extract<DayPattern, { kind: 'foreign' }> {
  // Line ends would add properties to the exported iCalendar.
  const rule = /^[\w=;,+-]+$/.test(value) ? parseRecurrenceRule(value) : 'Its repeat rule is not supported';
  if (typeof rule === 'string') throw new Refusal('calendar.unsupported_rule', `rule: ${rule}`);
  const until = rule.until === undefined ? undefined : parseDay(rule.until.replace(/^(....)(..)(..)$/, '$1-$2-$3'));
  if (rule.until !== undefined && until === undefined)
    throw new Refusal('calendar.invalid_date', 'rule: UNTIL must be a valid date such as 20270305');
  if (until !== undefined && until < start)
    throw new Refusal('calendar.repeat_ends_before_start', 'rule: UNTIL must not be before the start of the repeat');
  const end = Math.min(LAST_DAY, until ?? LAST_DAY, addMonths(Math.max(today, start), 12 * YEARS_AHEAD));
  const budget = { left: MAX_SCANNED_DAYS };
  const days = sortUniqueDays([start, ...iterateRuleDays(rule, start, { from: start, until: end, budget })]);
  return {
    kind: 'foreign',
    rule: `RRULE:${formatRuleDays(value, { until: until === undefined ? undefined : formatIcsDay(until), count: rule.count })}`,
    words: describeRule(rule, start, until),
    days: days.slice(0, MAX_FOREIGN_DAYS),
  };
}

// Days are computed from the number of a repetition, without iterating: the event's own day is 0, the one before it -1.

/** The step of a repeat in days or months. Months keep the day of the month, clamped to the last one. */
export interface Steps {
  readonly in: 'days' | 'months';
  readonly period: number;
}

/** More than the supported days: such a repeat has only its own day, and its numbers stay exact. */
const MAX_PERIOD = { days: 4_000_000, months: 130_000 } as const;

export function getSteps({ every, unit }: Pick<Repeat, 'every' | 'unit'>): Steps {
  if (unit === 'day' || unit === 'week')
    return { in: 'days', period: Math.min(MAX_PERIOD.days, every * (unit === 'week' ? 7 : 1)) };
  return { in: 'months', period: Math.min(MAX_PERIOD.months, every * (unit === 'year' ? 12 : 1)) };
}

/** Returns the day of repetition `number`, which may be outside the supported days. */
const getDay = (day: Day, { in: unit, period }: Steps, number: number): Day =>
  unit === 'days' ? day + number * period : addMonths(day, number * period);

/** Returns the number of the first repetition on `from` or later. */
function findFirstNumber(day: Day, steps: Steps, from: Day): number {
  if (steps.in === 'days') return Math.ceil((from - day) / steps.period);
  const number = Math.ceil((getMonthIndex(toCivilDate(from)) - getMonthIndex(toCivilDate(day))) / steps.period);
  return getDay(day, steps, number) < from ? number + 1 : number;
}

/** Returns the first and the last possible day of a repeat. If the last is before the first, it has no days. */
export function getBounds(day: Day, repeat: Repeat): { readonly from: Day; readonly until: Day } {
  const { from, until } = repeat;
  const first = from.type === 'forever' ? FIRST_DAY : Math.max(FIRST_DAY, from.day);
  if (until.type === 'forever') return { from: first, until: LAST_DAY };
  if (until.type === 'date') return { from: first, until: Math.min(LAST_DAY, until.day) };
  const steps = getSteps(repeat);
  const counted = from.type === 'forever' ? 0 : findFirstNumber(day, steps, first);
  // More times than the supported days allow, even with the shortest steps.
  const times = Math.min(until.times, MAX_PERIOD.days);
  return { from: first, until: Math.min(LAST_DAY, getDay(day, steps, counted + times)) };
}

/** Iterates over the days of a repeat from `from` to `until`, including exceptions. */
export function* iterateRepeatDays(day: Day, repeat: Repeat, from: Day, until: Day): Generator<Day, void, undefined> {
  const steps = getSteps(repeat);
  const bounds = getBounds(day, repeat);
  const last = Math.min(until, bounds.until);
  let number = findFirstNumber(day, steps, Math.max(from, bounds.from));
  for (let next = getDay(day, steps, number); next <= last; next = getDay(day, steps, (number += 1))) yield next;
}

/** Returns the first day of a repeat on `from` or later. */
export function findNextRepeatDay(day: Day, repeat: Repeat, from: Day): Day | undefined {
  const steps = getSteps(repeat);
  const bounds = getBounds(day, repeat);
  const next = getDay(day, steps, findFirstNumber(day, steps, Math.max(from, bounds.from)));
  return next <= bounds.until ? next : undefined;
}

/** Returns the last day of a repeat on `until` or before. */
export function findLastRepeatDay(day: Day, repeat: Repeat, until: Day): Day | undefined {
  const steps = getSteps(repeat);
  const bounds = getBounds(day, repeat);
  const last = getDay(day, steps, findFirstNumber(day, steps, Math.min(until, bounds.until) + 1) - 1);
  return last >= bounds.from ? last : undefined;
}

export function occursOn(day: Day, repeat: Repeat, date: Day): boolean {
  return findNextRepeatDay(day, repeat, date) === date;
}
