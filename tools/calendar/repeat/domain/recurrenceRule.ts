import { toCivilDate, toDay, LAST_DAY, getMonday, getMonthLength, type Day } from '#platform/contract/day.ts';
import { getMonthIndex, getWeekday } from '../../events/domain/day.ts';
import type { RepeatUnit } from '../../events/domain/event.ts';

/** The day parts of an iCalendar recurrence rule (RFC 5545 section 3.3.10). */
export interface IcsRule {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  readonly count: number | undefined;
  /** A day or a time, as written in the rule. */
  readonly until: string | undefined;
  readonly months: readonly number[];
  readonly weeks: readonly number[];
  readonly yearDays: readonly number[];
  readonly monthDays: readonly number[];
  /** 1 is Monday. `nth` 0 means every such weekday. */
  readonly weekdays: readonly { readonly weekday: number; readonly nth: number }[];
  readonly positions: readonly number[];
  readonly weekStart: number;
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
/** Maximum number of values in a list: a year has no more days. */
const MAX_LIST_LENGTH = 400;

/** Parses a list of numbers other than 0; a missing list is empty. Undefined if one of them is invalid. */
function parseNumbers(text: string | undefined, largest: number): readonly number[] | undefined {
  if (text === undefined) return [];
  const parts = text.split(',', MAX_LIST_LENGTH + 1);
  const numbers = parts.map((part) => (/^[+-]?\d{1,3}$/.test(part) ? Number(part) : 0));
  const isValid = numbers.length <= MAX_LIST_LENGTH && numbers.every((one) => one !== 0 && Math.abs(one) <= largest);
  return isValid ? [...new Set(numbers)] : undefined;
}

function parseWeekdays(text: string | undefined): IcsRule['weekdays'] | undefined {
  if (text === undefined) return [];
  const parts = text
    .split(',', MAX_LIST_LENGTH)
    .map((part) => /^([+-]?(?!0+[A-Z])\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(part));
  const read = parts.map((part) => part && { weekday: WEEKDAYS.indexOf(part[2] ?? '') + 1, nth: Number(part[1] ?? 0) });
  return read.every((part) => part !== null) ? read : undefined;
}

/** Parses a positive whole number. It may be larger than any count that makes sense. NaN if it is invalid. */
const parseAmount = (text: string): number =>
  /^\d{1,15}$/.test(text) && Number(text) >= 1 ? Number(text) : Number.NaN;

/** Refusal of rules that repeat within a day. */
const TOO_OFTEN_MESSAGE = 'It repeats more often than once a day';
const UNSUPPORTED_MESSAGE = 'Its repeat rule is not supported';

/** The parts of a rule by name, in upper case. */
export type RuleParts = ReadonlyMap<string, string>;

const LIST_PARTS = 'BYMONTH BYWEEKNO BYYEARDAY BYMONTHDAY BYDAY BYHOUR BYMINUTE BYSECOND BYSETPOS'.split(' ');
const RULE_PARTS = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'RSCALE', 'SKIP', ...LIST_PARTS]);
const MAX_RULE_PARTS = 30;

/** Returns a sentence about a part that would change the days but is not supported. */
function findUnsupportedPart([name, value]: readonly [string, string]): string | undefined {
  if (!RULE_PARTS.has(name)) return `Its repeat rule has an unknown part (${name.slice(0, 20)})`;
  // RFC 7529: the default is Gregorian, and days that a month lacks are skipped.
  if (name === 'RSCALE' && value !== 'GREGORIAN')
    return `Its repeat rule uses another calendar system (${value.slice(0, 20)})`;
  if (name === 'SKIP' && value !== 'OMIT')
    return 'Its repeat rule moves dates that a month does not have, which is not supported';
  return undefined;
}

/** Splits the value of an `RRULE`. Returns a sentence if a part is unknown or repeated. */
export function parseRuleParts(text: string): RuleParts | string {
  const writtenParts = text.replaceAll(/\s/g, '').toUpperCase().split(';');
  const parts = new Map<string, string>();
  for (const part of writtenParts.filter((one) => one !== '')) {
    const [name = '', value = ''] = part.split('=', 2);
    const isOther = parts.has(name) && parts.get(name) !== value;
    if (isOther || parts.size >= MAX_RULE_PARTS || !part.includes('=')) return UNSUPPORTED_MESSAGE;
    // An empty list means nothing.
    if (value !== '' || !LIST_PARTS.includes(name)) parts.set(name, value);
  }
  return [...parts].map(findUnsupportedPart).find((why) => why !== undefined) ?? parts;
}

/** Parses the value of an `RRULE`. Returns a sentence if it is not supported. */
export function parseRecurrenceRule(text: string): IcsRule | string {
  const parts = parseRuleParts(text);
  return typeof parts === 'string' ? parts : toRule(parts);
}

/** Parses interval, count and end. Undefined if one is invalid, because the rule would then never end. */
function parseBounds(parts: RuleParts): Pick<IcsRule, 'interval' | 'count' | 'until' | 'weekStart'> | undefined {
  const interval = parseAmount(parts.get('INTERVAL') ?? '1');
  const count = parseAmount(parts.get('COUNT') ?? '1');
  const weekStart = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO') + 1;
  if (Number.isNaN(interval + count) || weekStart === 0) return undefined;
  return { interval, count: parts.has('COUNT') ? count : undefined, until: parts.get('UNTIL'), weekStart };
}

function toRule(parts: RuleParts): IcsRule | string {
  const frequency = FREQUENCIES.find((one) => one === parts.get('FREQ'));
  if (/^(SECOND|MINUTE|HOUR)LY$/.test(parts.get('FREQ') ?? '')) return TOO_OFTEN_MESSAGE;
  const months = parseNumbers(parts.get('BYMONTH'), 12);
  const weeks = parseNumbers(parts.get('BYWEEKNO'), 53);
  const yearDays = parseNumbers(parts.get('BYYEARDAY'), 366);
  const monthDays = parseNumbers(parts.get('BYMONTHDAY'), 31);
  const positions = parseNumbers(parts.get('BYSETPOS'), 366);
  const weekdays = parseWeekdays(parts.get('BYDAY'));
  const bounds = parseBounds(parts);
  if (!frequency || !months || !weeks || !yearDays || !monthDays || !positions || !weekdays || !bounds)
    return UNSUPPORTED_MESSAGE;
  return { frequency, ...bounds, months, weeks, yearDays, monthDays, weekdays, positions };
}

/** Formats the days of a rule as iCalendar, without its times of day and with other bounds. */
export function formatRuleDays(
  text: string,
  { until, count }: { readonly until: string | undefined; readonly count: number | undefined },
): string {
  const parts = parseRuleParts(text);
  const otherParts = [...(typeof parts === 'string' ? [] : parts)].filter(
    ([name]) =>
      !/^(?:BYHOUR|BYMINUTE|BYSECOND|UNTIL|RSCALE|SKIP)$/.test(name) && (name !== 'COUNT' || count !== undefined),
  );
  return [...otherParts, ...(until === undefined ? [] : [['UNTIL', until] as const])]
    .map(([name, value]) => `${name}=${value}`)
    .join(';');
}

// Days of a rule --------------------------------------------------------------------------------------

const includesEither = (list: readonly number[], fromStart: number, fromEnd: number): boolean =>
  list.includes(fromStart) || list.includes(fromEnd);

/** Returns the week of the year and its number from the end (-1 is the last), for weeks that start on `weekStart`. */
function getWeekOfYear(day: Day, weekStart: number): readonly [number, number] {
  const middle = day - ((getWeekday(day) - weekStart + 7) % 7) + 3;
  const { year } = toCivilDate(middle);
  const number = Math.floor((middle - toDay({ year, month: 1, date: 1 })) / 7) + 1;
  const weeksLeft = Math.floor((toDay({ year, month: 12, date: 31 }) - middle) / 7);
  return [number, -1 - weeksLeft];
}

const getWeekdayPosition = (place: number, length: number): readonly [number, number] => [
  Math.floor((place - 1) / 7) + 1,
  -1 - Math.floor((length - place) / 7),
];

function getDayOfYear(day: Day, year: number): readonly [number, number] {
  const first = toDay({ year, month: 1, date: 1 });
  return [day - first + 1, toDay({ year, month: 12, date: 31 }) - first + 1];
}

function isOnWeekday(rule: IcsRule, day: Day): boolean {
  const { frequency, weekdays, months } = rule;
  const { year, month, date } = toCivilDate(day);
  const weekday = getWeekday(day);
  const isOfMonth = frequency === 'MONTHLY' || months.length > 0;
  const getPosition = (): readonly [number, number] =>
    isOfMonth ? getWeekdayPosition(date, getMonthLength(year, month)) : getWeekdayPosition(...getDayOfYear(day, year));
  const hasPositions = frequency === 'MONTHLY' || frequency === 'YEARLY';
  return weekdays.some(
    (one) => one.weekday === weekday && (one.nth === 0 || !hasPositions || getPosition().includes(one.nth)),
  );
}

/** Fills in from the start what the rule omits (RFC 5545: 'information is taken from DTSTART'). */
function completeRule(rule: IcsRule, start: Day): IcsRule {
  const { month, date } = toCivilDate(start);
  const own = [{ weekday: getWeekday(start), nth: 0 }];
  const hasDay = rule.weekdays.length + rule.monthDays.length + rule.yearDays.length > 0;
  if (hasDay || rule.frequency === 'DAILY') return rule;
  if (rule.frequency === 'WEEKLY' || rule.weeks.length > 0) return { ...rule, weekdays: own };
  if (rule.frequency === 'MONTHLY') return { ...rule, monthDays: [date] };
  return { ...rule, monthDays: [date], months: rule.months.length === 0 ? [month] : rule.months };
}

function matchesDay(rule: IcsRule, day: Day): boolean {
  const { months, monthDays, yearDays, weeks, weekdays } = rule;
  if (weekdays.length > 0 && !isOnWeekday(rule, day)) return false;
  const { year, month, date } = toCivilDate(day);
  if (months.length > 0 && !months.includes(month)) return false;
  if (monthDays.length > 0 && !includesEither(monthDays, date, date - getMonthLength(year, month) - 1)) return false;
  if (weeks.length > 0 && !includesEither(weeks, ...getWeekOfYear(day, rule.weekStart))) return false;
  if (yearDays.length === 0) return true;
  const [place, length] = getDayOfYear(day, year);
  return includesEither(yearDays, place, place - length - 1);
}

/** Returns the first and last day of period `number` of a rule, counted from the period of its start. */
function getPeriod(rule: IcsRule, start: Day, number: number): readonly [Day, Day] {
  const step = number * rule.interval;
  if (rule.frequency === 'DAILY') return [start + step, start + step];
  if (rule.frequency === 'WEEKLY') {
    const first = getMonday(start - rule.weekStart + 1) + rule.weekStart - 1 + step * 7;
    return [first, first + 6];
  }
  const civil = toCivilDate(start);
  const index = rule.frequency === 'MONTHLY' ? getMonthIndex(civil) + step : (civil.year + step) * 12;
  const year = Math.floor(index / 12);
  // Nothing is counted after the last supported day, where years may exceed safe integers.
  if (year > 9999) return [LAST_DAY + 1, LAST_DAY + 1];
  const month = (index % 12) + 1;
  const last = rule.frequency === 'MONTHLY' ? month : 12;
  return [toDay({ year, month, date: 1 }), toDay({ year, month: last, date: getMonthLength(year, last) })];
}

const MAX_PERIOD_DAYS = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 } as const;

/** Number of days that may be checked before giving up. Counts down. */
export interface Budget {
  left: number;
}

/**
 * Iterates over the days of a rule from `from` to `until` within the budget. `COUNT` is counted from `start`, `UNTIL`
 * is ignored, and the start is included only if the rule matches it.
 */
export function* iterateRuleDays(
  writtenRule: IcsRule,
  start: Day,
  { from, until, budget }: { readonly from: Day; readonly until: Day; readonly budget: Budget },
): Generator<Day, void, undefined> {
  const rule = completeRule(writtenRule, start);
  const end = Math.min(until, LAST_DAY);
  const skipped = Math.floor((from - start) / (rule.interval * MAX_PERIOD_DAYS[rule.frequency])) - 1;
  let dayCount = 0;
  for (let number = rule.count === undefined ? Math.max(0, skipped) : 0; budget.left > 0; number += 1) {
    const [first, last] = getPeriod(rule, start, number);
    if (first > end) return;
    budget.left -= last - first + 1;
    for (const day of listDays(rule, first, last)) {
      if (day < start) continue;
      dayCount += 1;
      if (day > end || dayCount > (rule.count ?? Infinity)) return;
      if (day >= from) yield day;
    }
  }
}

function listDays(rule: IcsRule, first: Day, last: Day): readonly Day[] {
  const days: Day[] = [];
  for (let day = first; day <= last; day += 1) if (matchesDay(rule, day)) days.push(day);
  if (rule.positions.length === 0) return days;
  return days.filter((_day, index) => includesEither(rule.positions, index + 1, index - days.length));
}

// Conversion to our own repeats -----------------------------------------------------------------------

const isEmpty = (...lists: readonly (readonly unknown[])[]): boolean => lists.every((list) => list.length === 0);
const isOnly = (list: readonly number[], ...expected: readonly number[]): boolean =>
  list.length === expected.length && expected.every((one) => list.includes(one));

/** Whether a monthly rule means the start's date, clamped to the last day of shorter months. */
function isMonthly({ months, monthDays, positions, weekdays }: IcsRule, date: number): boolean {
  if (!isEmpty(months, weekdays)) return false;
  if (date === 31) return isOnly(monthDays, -1) && isEmpty(positions);
  if (date <= 28) return (isEmpty(monthDays) || isOnly(monthDays, date)) && isEmpty(positions);
  return isOnly(monthDays, ...(date === 29 ? [28, 29] : [28, 29, 30])) && isOnly(positions, -1);
}

function isYearly({ months, monthDays, positions, weekdays }: IcsRule, month: number, date: number): boolean {
  if (!isEmpty(weekdays, positions)) return false;
  if (month === 2 && date === 29) return isOnly(months, 2) && isOnly(monthDays, -1);
  if (isEmpty(monthDays)) return isEmpty(months) || isOnly(months, month);
  return isOnly(monthDays, date) && isOnly(months, month);
}

/** Returns the unit of our own repeat that has the same days, or undefined if there is none. */
export function findRepeatUnit(rule: IcsRule, start: Day): RepeatUnit | undefined {
  const { months, monthDays, positions, weekdays, frequency } = rule;
  if (!isEmpty(rule.weeks, rule.yearDays)) return undefined;
  const { month, date } = toCivilDate(start);
  if (frequency === 'MONTHLY') return isMonthly(rule, date) ? 'month' : undefined;
  if (frequency === 'YEARLY') return isYearly(rule, month, date) ? 'year' : undefined;
  if (!isEmpty(months, monthDays, positions)) return undefined;
  if (frequency === 'DAILY') return isEmpty(weekdays) ? 'day' : undefined;
  const [only, ...more] = weekdays;
  return isEmpty(more) && (only === undefined || only.weekday === getWeekday(start)) ? 'week' : undefined;
}
