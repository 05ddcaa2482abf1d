import { toCivilDate, type Day } from '#platform/contract/day.ts';
import { getMonthIndex } from '../../events/domain/day.ts';
import type { RepeatUnit } from '../../events/domain/event.ts';
import { iterateRuleDays, parseRecurrenceRule } from '../../repeat/domain/recurrenceRule.ts';
import { findNextDate, findNextWeekday, DATE_WORD, parseDateOfMonth, parseWeekday } from './dayNames.ts';
import { parseCount, type LinePart, type RepeatPart, createWrongPart } from './lineScanner.ts';

export const COUNTS = 'other|single|second|third|fourth|fifth|sixth|\\d{1,6}(?:st|nd|rd|th)?|two|three|four|five|six';
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
export const ORDINAL = '(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))';
/** Separator in lists: 'first and third', '1st, 2nd & last'. */
export const LISTED = '(?:\\s*,\\s*|\\s*,?\\s*(?:and|&|\\+)\\s*)(?:the )?';
export const ORDINAL_LIST = `${ORDINAL}(?:${LISTED}${ORDINAL})*`;
const DATE = `(?:\\d{1,2}(?:st|nd|rd|th)?|${DATE_WORD})`;
export const DATE_LIST = `${DATE}(?:${LISTED}${DATE})*`;
export const DAY = '(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:days?|nesdays?|urdays?)?';
export const JOIN = '(?:\\s*[,/+&]\\s*(?:(?:and|or) |& ?)?(?:on )?|\\s+(?:and|&)\\s+(?:on |every |each )?|\\s+)';
export const TO = '\\s*(?:-|–|to|through|thru|until|till)\\s*';
/** 'mon', 'mon, wed & fri', 'mon-fri', 'mon to wed and sat'. */
export const DAYS = `${DAY}(?:${TO}${DAY})?(?:${JOIN}${DAY}(?:${TO}${DAY})?)*`;
export const WORKDAYS = '(?:week|work|working |business )\\s?days?';
export const COUNTED = `(?:${DAY}|${WORKDAYS}|days?|weeks?|weekends?|fortnights?|months?|quarters?|years?|hours?|min(?:ute)?s?)`;
export const OF_MONTH = '(?:of|in) (?:(?:every|each|the|a) )?month';

const BYDAY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
export const WORKWEEK_DAYS = [1, 2, 3, 4, 5];
export const WEEKEND_DAYS = [6, 7];
export const ALL_WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];
const MAX_INTERVAL = 1000;

export function parseEvery(text: string): number {
  if (text === '') return 1;
  const word = text.toLowerCase();
  if (word === 'other' || word === 'alternate') return 2;
  const ordinal = [...ORDINALS, 'sixth'].indexOf(word);
  return ordinal >= 0 ? ordinal + 1 : parseCount(word.replace(/(?<=\d)\D+$/, ''));
}

/** Creates a function that returns the first day of a rule on or after a day, whatever its interval. */
const createFirstDayFinder =
  (value: string): ((from: Day) => Day) =>
  (from) => {
    const rule = parseRecurrenceRule(value);
    if (typeof rule === 'string') return from;
    const span = { from, until: from + 36_600, budget: { left: 40_000 } };
    for (const day of iterateRuleDays({ ...rule, interval: 1 }, from, span)) return day;
    return from;
  };

export function createRepeatPart(every: number, unit: RepeatUnit, more: Partial<RepeatPart> = {}): LinePart {
  if (every < 1) return createWrongPart('A repeat needs an interval of at least 1');
  if (every > MAX_INTERVAL)
    return createWrongPart(`A repeat can have an interval of at most ${MAX_INTERVAL.toLocaleString('en')}`);
  return { kind: 'repeat', every, unit, ...more };
}

export function createRulePart(every: number, unit: 'week' | 'month' | 'year', by: string): LinePart {
  const rule = `FREQ=${unit.toUpperCase()}LY;INTERVAL=${every};${by}`;
  return createRepeatPart(every, unit, { rule, first: createFirstDayFinder(rule) });
}

export function createWeekdaysPart(every: number, weekdays: readonly number[]): LinePart {
  const [only = 1, ...more] = weekdays;
  if (more.length === 0) return createRepeatPart(every, 'week', { first: (from) => findNextWeekday(from, only) });
  if (weekdays.length === ALL_WEEKDAYS.length && every === 1) return createRepeatPart(1, 'day');
  return createRulePart(every, 'week', `BYDAY=${weekdays.map((weekday) => BYDAY[weekday - 1]).join(',')}`);
}

const EACH_DAY = new RegExp(`(${DAY})(?:${TO}(${DAY}))?`, 'gi');
const EACH_ORDINAL = new RegExp(ORDINAL, 'gi');
const EACH_DATE = new RegExp(`\\d+|${DATE_WORD}`, 'gi');

/** Returns the weekdays of a list without duplicates, in the order of the week. */
export function parseWeekdays(text: string): readonly number[] {
  const weekdays = new Set<number>();
  for (const [, from = '', until] of text.matchAll(EACH_DAY)) {
    const first = parseWeekday(from);
    const length = until === undefined ? 0 : (parseWeekday(until) - first + 7) % 7;
    for (let step = 0; step <= length; step += 1) weekdays.add(((first - 1 + step) % 7) + 1);
  }
  return ALL_WEEKDAYS.filter((weekday) => weekdays.has(weekday));
}

function parseOrdinal(text: string): number {
  const word = text.toLowerCase();
  if (word === 'last') return -1;
  const index = ORDINALS.indexOf(word);
  return index >= 0 ? index + 1 : Number.parseInt(word, 10);
}

/** 'the first monday', 'last day', 'second working day' of a month. */
export function formatOrdinalRule(ordinal: string, what: string): string {
  const numbers = [...ordinal.matchAll(EACH_ORDINAL)].map(([each]) => parseOrdinal(each));
  if (/^day$/i.test(what)) return `BYMONTHDAY=${numbers.join(',')}`;
  if (/^(?:week|work|business)/i.test(what)) return `BYDAY=MO,TU,WE,TH,FR;BYSETPOS=${numbers.join(',')}`;
  const days = parseWeekdays(what).map((weekday) => BYDAY[weekday - 1]);
  return `BYDAY=${numbers.flatMap((number) => days.map((day) => `${number}${day}`)).join(',')}`;
}

/** Creates a repeat on dates of each month. Months that lack a single date use their last day, a list skips them. */
export function createDatesPart(every: number, text: string): LinePart {
  const dates = [...text.matchAll(EACH_DATE)].map(([each]) => parseDateOfMonth(each));
  const bad = dates.find((each) => each < 1 || each > 31);
  if (bad !== undefined) return createWrongPart(`A month has no day ${bad}`);
  const [date = 1, ...more] = dates;
  return more.length > 0
    ? createRulePart(every, 'month', `BYMONTHDAY=${dates.join(',')}`)
    : createRepeatPart(every, 'month', { first: (from) => findNextDate(from, date) });
}

/** 'the first Monday of each quarter': of the month that starts or ends it. */
export function createPeriodPart(period: string, ordinal: string, what: string): LinePart {
  const isLast = /last/i.test(ordinal);
  const isYear = /^year/i.test(period);
  if (isYear) return createRulePart(1, 'year', `BYMONTH=${isLast ? '12' : '1'};${formatOrdinalRule(ordinal, what)}`);
  const by = formatOrdinalRule(ordinal, what);
  const first = createFirstDayFinder(`FREQ=MONTHLY;INTERVAL=1;BYMONTH=${isLast ? '3,6,9,12' : '1,4,7,10'};${by}`);
  return createRepeatPart(3, 'month', { rule: `FREQ=MONTHLY;INTERVAL=3;${by}`, first });
}

/** Returns the first month of the next quarter or year, counted like `getMonthIndex`. */
export function getNextPeriodMonth(today: Day, period: string): number {
  const months = /^year/i.test(period) ? 12 : 3;
  return (Math.floor(getMonthIndex(toCivilDate(today)) / months) + 1) * months;
}

/** Removes weekdays from a repeat. Undefined if the repeat doesn't state its days. */
export function removeWeekdays(repeat: RepeatPart, weekdays: readonly number[]): LinePart | undefined {
  const { every, unit, rule } = repeat;
  const days =
    unit === 'day' && every === 1 ? BYDAY : /^FREQ=WEEKLY;INTERVAL=\d+;BYDAY=(.*)$/.exec(rule ?? '')?.[1]?.split(',');
  if (!days) return undefined;
  const remaining = ALL_WEEKDAYS.filter(
    (weekday) => days.includes(BYDAY[weekday - 1] ?? '') && !weekdays.includes(weekday),
  );
  if (remaining.length === 0) return createWrongPart('This repeat has no days left. Leave out fewer days');
  return remaining.length === days.length ? repeat : createWeekdaysPart(unit === 'day' ? 1 : every, remaining);
}
