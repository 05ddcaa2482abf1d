import { HOUR_SECONDS, MINUTE_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { ALL_DEVICES } from '../../contract/limits.ts';
import { listIntegers, parseIso } from '../../usage/domain/days.ts';

// Options of a goal (docs/specification/screentime.md section 3.5, section 4.3 and section 6).

/** 0 is time spent, 1 is times opened, as on the wire. */
export type GoalType = 0 | 1;
export const TIME_SPENT = 0;
export const TIMES_OPENED = 1;
/** 1 is rolling, 0 is between dates. */
export const ROLLING = 1;
export const BETWEEN_DATES = 0;

/** Options in seconds: 15, 20, 30, 40, 45 minutes, 1 hour, then 2 to 3001 hours. */
export const TIME_AMOUNTS: readonly number[] = [
  ...[15, 20, 30, 40, 45].map((minutes) => minutes * MINUTE_SECONDS),
  ...listIntegers(1, 3001).map((hours) => hours * HOUR_SECONDS),
];
export const OPENED_AMOUNTS: readonly number[] = listIntegers(1, 201);
/** 1 is today only. */
export const DAY_COUNTS: readonly number[] = listIntegers(1, 999);

const AMOUNTS_BY_TYPE: Readonly<Record<GoalType, ReadonlySet<number>>> = {
  [TIME_SPENT]: new Set(TIME_AMOUNTS),
  [TIMES_OPENED]: new Set(OPENED_AMOUNTS),
};
export function isAmount(type: GoalType, amount: number): boolean {
  return AMOUNTS_BY_TYPE[type].has(amount);
}
export function isDayCount(days: number): boolean {
  return Number.isInteger(days) && days >= 1 && days <= 999;
}

/** Smaller amounts are taken for numbers of times, and amounts above `MAX_TIMES` for seconds. */
const MIN_TIME_SECONDS = 899;
const MAX_TIMES = 3599;
export const DEFAULT_TIME_SECONDS = 10 * HOUR_SECONDS;
export const DEFAULT_OPENED_COUNT = 10;

/**
 * Converts the amount after a change of type. Resets an implausible one; 900 to 3599 are valid as both
 * (docs/specification/screentime.md section 4.3).
 */
export function convertAmount(type: GoalType, amount: number): number {
  if (type === TIME_SPENT) return amount < MIN_TIME_SECONDS ? DEFAULT_TIME_SECONDS : amount;
  return amount > MAX_TIMES ? DEFAULT_OPENED_COUNT : amount;
}

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Formats '45 minutes', '10 hours', '20 times'. */
export function formatAmount(type: GoalType, amount: number): string {
  if (type === TIMES_OPENED) return formatCount(amount, 'time');
  if (amount % HOUR_SECONDS === 0) return formatCount(amount / HOUR_SECONDS, 'hour');
  return formatCount(Math.round(amount / MINUTE_SECONDS), 'minute');
}

/** Formats 'Today', 'last 7 days'. */
export function formatDays(days: number): string {
  return days === 1 ? 'Today' : `last ${days} days`;
}

/** A wanted or, as a limit, allowed amount of use on a number of days up to today. */
export interface Goal {
  readonly target: Target;
  readonly measure: 'time' | 'opened';
  /** Seconds, or number of times. */
  readonly amount: number;
  readonly days: number;
  /** Undefined: all devices. */
  readonly device: number | undefined;
  /** ISO date, or empty. For goals between two dates, which don't exist yet: stored but unused. */
  readonly begins: string;
  /** A maximum instead of a minimum. */
  readonly isLimit: boolean;
}

/** Target of a goal. `name` is the wire name; `TOTAL` is all applications together. */
export interface Target {
  readonly kind: 'app' | 'cat';
  readonly name: string;
}

/** Fields of a goal, as in a query. */
export interface GoalFields {
  readonly target: string;
  readonly type: string;
  readonly goalseconds: string;
  readonly deviceid: string;
  readonly daysaffected: string;
  readonly begindate?: string | undefined;
  readonly daysaffectedtype: string;
  readonly goaltype: string;
  readonly limit?: string | undefined;
}

const parseInteger = (text: string): number => (/^-?\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN);

/** Parses an amount that is an option (docs/specification/screentime.md section 6). */
function parseAmount(measure: Goal['measure'], text: string): number {
  const amount = parseInteger(text);
  if (isAmount(measure === 'time' ? TIME_SPENT : TIMES_OPENED, amount)) return amount;
  throw new Refusal(
    'screentime.invalid_goal',
    measure === 'time'
      ? 'goalseconds: must be 15, 20, 30, 40 or 45 minutes or 1 to 3001 whole hours, in seconds'
      : 'goalseconds: must be from 1 to 201 for times opened',
  );
}

function parseDays(text: string): number {
  const days = parseInteger(text);
  if (!isDayCount(days))
    throw new Refusal('screentime.invalid_days', 'daysaffected: must be from 1 (today) to 999 days');
  return days;
}

function parseMeasure(text: string): Goal['measure'] {
  const type = parseInteger(text);
  if (type !== TIME_SPENT && type !== TIMES_OPENED)
    throw new Refusal('screentime.invalid_goal', 'goaltype: must be 0 (time spent) or 1 (times opened)');
  return type === TIME_SPENT ? 'time' : 'opened';
}

function parseKind(text: string): Target['kind'] {
  if (text !== 'app' && text !== 'cat')
    throw new Refusal('screentime.invalid_goal', 'type: must be app (application) or cat (category)');
  return text;
}

function assertRolling(text: string): void {
  const type = parseInteger(text);
  if (type === BETWEEN_DATES) throw new Refusal('screentime.between_dates', 'Between dates: not implemented (or ever)');
  if (type !== ROLLING) throw new Refusal('screentime.invalid_goal', 'daysaffectedtype: must be 1 (rolling goal)');
}

function parseDevice(text: string): number | undefined {
  const device = parseInteger(text);
  if (device === ALL_DEVICES) return undefined;
  if (!(device >= 1)) throw new Refusal('device.not_found', 'There is no such device');
  return device;
}

function parseBeginDate(text: string): string {
  if (text !== '' && parseIso(text) === undefined)
    throw new Refusal('screentime.invalid_date', 'begindate: must be empty or a date such as 2026-01-31');
  return text;
}

function parseLimit(text: string): boolean {
  if (['', '0', 'false'].includes(text)) return false;
  if (['1', 'true'].includes(text)) return true;
  throw new Refusal('screentime.invalid_goal', 'limit: must be 1 (limit) or 0');
}

/**
 * Validates the fields; the caller checks that target and device exist.
 * @throws Refusal for a value that is not an option (docs/specification/screentime.md section 4.3).
 */
export function validateGoal(fields: GoalFields): Goal {
  assertRolling(fields.daysaffectedtype);
  const measure = parseMeasure(fields.goaltype);
  return {
    target: { kind: parseKind(fields.type), name: fields.target },
    measure,
    amount: parseAmount(measure, fields.goalseconds),
    days: parseDays(fields.daysaffected),
    device: parseDevice(fields.deviceid),
    begins: parseBeginDate(fields.begindate?.trim() ?? ''),
    isLimit: parseLimit(fields.limit?.trim() ?? ''),
  };
}

export function isSameGoal(a: Goal, b: Goal): boolean {
  return (
    a.target.kind === b.target.kind &&
    a.target.name === b.target.name &&
    a.measure === b.measure &&
    a.amount === b.amount &&
    a.days === b.days &&
    a.device === b.device &&
    a.begins === b.begins &&
    a.isLimit === b.isLimit
  );
}

/** Returns the version of a goal at the end of a day: the last that started by then. Versions must be sorted. */
export function findVersion<Version extends { readonly since: number }>(
  versions: readonly Version[],
  day: number,
): Version | undefined {
  return versions.findLast(({ since }) => since <= day);
}
