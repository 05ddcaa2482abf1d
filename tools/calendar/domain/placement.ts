import { civilOf, dayInMonth, LAST_DAY, monthIndexOf } from './day.ts';
import type { Day } from './day.ts';
import { untilOf } from './duration.ts';
import type { EventDraft } from './event.ts';
import { boundsOf, lastOccurrence, nextOccurrence, standsOn, stepsOf } from './repeat.ts';

/**
 * A repeat as the database finds it by a day. Days (`monthDay` 0): the day modulo `period` is `phase`. Months: the month index modulo
 * `period` is `phase`, on `monthDay` or the last day of a shorter month.
 */
export interface Rule {
  readonly monthDay: number;
  readonly period: number;
  readonly phase: number;
  readonly from: Day;
  readonly until: Day;
}

/** Where an event stands, as it is kept. */
export interface Placement {
  readonly rules: readonly Rule[];
  readonly days: readonly Day[];
  /** The last day that belongs to it; of an endless repeat the calendar's last. */
  readonly until: Day;
}

type Placed = Pick<EventDraft, 'day' | 'pattern' | 'exceptions'>;

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

const ruleOf = (day: Day, steps: ReturnType<typeof stepsOf>): Pick<Rule, 'monthDay' | 'period' | 'phase'> => {
  const { period } = steps;
  if (steps.in === 'days') return { monthDay: 0, period, phase: modulo(day, period) };
  const civil = civilOf(day);
  return { monthDay: civil.date, period, phase: modulo(monthIndexOf(civil), period) };
};

export const placementOf = ({ day, pattern, exceptions }: Placed): Placement => {
  if (pattern.kind === 'single') return { rules: [], days: [day], until: day };
  if (pattern.kind === 'duration') return { rules: [], days: [], until: untilOf(day, pattern.duration) };
  if (pattern.kind === 'foreign') {
    const left = new Set(exceptions);
    const days = [...new Set(pattern.days)].filter((each) => !left.has(each)).toSorted((one, other) => one - other);
    return { rules: [], days, until: days.at(-1) ?? day };
  }
  const { repeat } = pattern;
  const bounds = boundsOf(day, repeat);
  const last = lastOccurrence(day, repeat, LAST_DAY);
  // Where it stands nowhere it is found by its own day.
  if (last === undefined) return { rules: [], days: [], until: day };
  const rules = [{ ...ruleOf(day, stepsOf(repeat)), ...bounds }];
  return { rules, days: [], until: bounds.until };
};

/** Whether an event stands on a day: exceptions do not, days within a duration do. */
export const stands = ({ day, pattern, exceptions }: Placed, date: Day): boolean => {
  if (pattern.kind === 'single') return date === day;
  if (pattern.kind === 'duration') return date >= day && date <= untilOf(day, pattern.duration);
  if (exceptions.includes(date)) return false;
  return pattern.kind === 'foreign' ? pattern.days.includes(date) : standsOn(day, pattern.repeat, date);
};

/** The first day on which an event stands from `from` on; of a duration that runs already `from` itself. */
export const nextDayOf = ({ day, pattern, exceptions }: Placed, from: Day): Day | undefined => {
  if (pattern.kind === 'single') return day >= from ? day : undefined;
  if (pattern.kind === 'duration') return untilOf(day, pattern.duration) >= from ? Math.max(day, from) : undefined;
  const left = new Set(exceptions);
  if (pattern.kind === 'foreign')
    return pattern.days.reduce<Day | undefined>(
      (first, each) => (each >= from && !left.has(each) && (first === undefined || each < first) ? each : first),
      undefined,
    );
  let next = nextOccurrence(day, pattern.repeat, from);
  // At most once for every exception.
  while (next !== undefined && left.has(next)) next = nextOccurrence(day, pattern.repeat, next + 1);
  return next;
};

/** The first day on `from` or later that a rule says. */
export const nextOfRule = ({ monthDay, period, phase, ...bounds }: Rule, from: Day): Day | undefined => {
  const first = Math.max(from, bounds.from);
  let next: Day;
  if (monthDay === 0) next = first + modulo(phase - first, period);
  else {
    const month = monthIndexOf(civilOf(first));
    const there = month + modulo(phase - month, period);
    next = dayInMonth(there, monthDay);
    if (next < first) next = dayInMonth(there + period, monthDay);
  }
  return next <= bounds.until ? next : undefined;
};

/** The last day on `until` or before that a rule says. */
export const lastOfRule = ({ monthDay, period, phase, ...bounds }: Rule, until: Day): Day | undefined => {
  const end = Math.min(until, bounds.until);
  let last: Day;
  if (monthDay === 0) last = end - modulo(end - phase, period);
  else {
    const month = monthIndexOf(civilOf(end));
    const there = month - modulo(month - phase, period);
    last = dayInMonth(there, monthDay);
    if (last > end) last = dayInMonth(there - period, monthDay);
  }
  return last >= bounds.from ? last : undefined;
};
