import { toIso, type Day, toCivilDate, FIRST_DAY, LAST_DAY } from '#platform/contract/day.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { durationUnits, repeatUnits } from '../../contract/events.ts';
import { addMonths, parseDay, toLocalDay, toMinutes } from '../../events/domain/day.ts';
import type { EventDraft, DayPattern, RepeatFrom, RepeatUntil, Repeat } from '../../events/domain/event.ts';
import { findNamedZone, toUtc } from '../../events/domain/timeZone.ts';
import { getBounds, findNextRepeatDay } from '../../repeat/domain/repeat.ts';
import { formatIcsDay, formatIcsInstant, formatIcsTime } from './icsText.ts';

/** Where a repeat without a start begins in iCalendar: ten years before its creation, or before its end. */
const YEARS_BACK = 10;

const FREQUENCY_BY_UNIT = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY', year: 'YEARLY' } as const;

/**
 * Returns the first day of a repeat for other calendars, or undefined if it has no days. Without a start it is the
 * event's own day or, if earlier, ten years before `created` (milliseconds since the epoch) or before the end.
 */
export function findFirstDay(day: Day, repeat: Repeat, created: number): Day | undefined {
  if (repeat.from.type !== 'forever') return findNextRepeatDay(day, repeat, FIRST_DAY);
  const latest = Math.min(toLocalDay(created), getBounds(day, repeat).until);
  return findNextRepeatDay(day, repeat, Math.min(day, Math.max(FIRST_DAY, addMonths(latest, -12 * YEARS_BACK))));
}

/** Formats a day of the month. In months that lack it, the last day is meant. */
function formatMonthDays(date: number): string {
  if (date <= 28) return '';
  if (date === 31) return ';BYMONTHDAY=-1';
  return `;BYMONTHDAY=${date === 29 ? '28,29' : '28,29,30'};BYSETPOS=-1`;
}

function formatPlace(day: Day, unit: Repeat['unit']): string {
  const { month, date } = toCivilDate(day);
  if (unit === 'month') return formatMonthDays(date);
  return unit === 'year' && month === 2 && date === 29 ? ';BYMONTH=2;BYMONTHDAY=-1' : '';
}

/** Formats the end of a rule. iCalendar requires UTC for times in a zone. */
export function formatRuleUntil(until: Day, { time, zone: name }: Pick<EventDraft, 'time' | 'zone'>): string {
  if (time === undefined) return formatIcsDay(until);
  const zone = name === undefined ? undefined : findNamedZone(name);
  return zone === undefined
    ? formatIcsTime(until, time)
    : formatIcsInstant(toUtc(zone, until * DAY_MS + toMinutes(time) * MINUTE_MS));
}

type TimeFields = Pick<EventDraft, 'day' | 'time' | 'zone'>;

function formatEnd(draft: TimeFields, repeat: Repeat): string {
  const { until } = getBounds(draft.day, repeat);
  if (repeat.until.type === 'forever' || until === LAST_DAY) return '';
  if (repeat.until.type === 'times' && repeat.from.type !== 'forever') return `;COUNT=${repeat.until.times + 1}`;
  return `;UNTIL=${formatRuleUntil(until, draft)}`;
}

/** Formats the `RRULE` value of our own repeat whose first day is `first`. */
export function formatRepeatRule(draft: TimeFields, repeat: Repeat, first: Day): string {
  const frequency = `FREQ=${FREQUENCY_BY_UNIT[repeat.unit]}`;
  if (findNextRepeatDay(draft.day, repeat, first + 1) === undefined) return `${frequency};COUNT=1`;
  const interval = repeat.every === 1 ? '' : `;INTERVAL=${repeat.every}`;
  return `${frequency}${interval}${formatPlace(draft.day, repeat.unit)}${formatEnd(draft, repeat)}`;
}

// iCalendar can't express all of our repeats (the day they count from, no start) nor the unit of a duration. A property
// of our own adds this; it is used only if it agrees with the rest.

function formatBound(bound: RepeatFrom | RepeatUntil): string {
  if (bound.type === 'forever') return 'forever';
  return bound.type === 'times' ? `times ${bound.times}` : `${bound.type} ${toIso(bound.day)}`;
}

type PatternFields = Pick<EventDraft, 'day' | 'pattern' | 'endTime'>;

/**
 * Formats that property: `duration 2 weeks`, `repeat 2026-11-23 every 2 week from forever until times 5`. Undefined if
 * iCalendar can express the pattern.
 */
export function formatPatternHint({ day, pattern, endTime }: PatternFields): string | undefined {
  if (pattern.kind === 'duration')
    return `duration ${pattern.duration.amount} ${pattern.duration.unit}${endTime === undefined ? '' : ` to ${endTime}`}`;
  if (pattern.kind !== 'repeat') return undefined;
  const { every, unit, from, until } = pattern.repeat;
  return `repeat ${toIso(day)} every ${every} ${unit} from ${formatBound(from)} until ${formatBound(until)}`;
}

function parseFrom(type: string, day: string | undefined): RepeatFrom | undefined {
  if (type === 'forever') return { type };
  const parsedDay = parseDay(day ?? '');
  return parsedDay === undefined || (type !== 'today' && type !== 'date') ? undefined : { type, day: parsedDay };
}

function parseUntil(type: string, value: string | undefined): RepeatUntil | undefined {
  if (type === 'forever') return { type };
  if (type === 'times') return /^\d{1,9}$/.test(value ?? '') ? { type, times: Number(value) } : undefined;
  const day = parseDay(value ?? '');
  return day === undefined || type !== 'date' ? undefined : { type, day };
}

interface RepeatHint {
  readonly day: Day;
  readonly pattern: Extract<DayPattern, { kind: 'repeat' }>;
}

/** Parses what `formatPatternHint` wrote about a repeat. Returns undefined for other texts. */
export function parseRepeatHint(text: string): RepeatHint | undefined {
  const match =
    /^repeat (\d{4}-\d\d-\d\d) every (\d{1,10}) (\w+) from (\w+)(?: (\d{4}-\d\d-\d\d))? until (\w+)(?: ([\d-]+))?$/.exec(
      text,
    );
  const [, anchor = '', every, unitName, fromType = '', fromDay, untilType = '', untilValue] = match ?? [];
  const unit = repeatUnits.find((candidate) => candidate === unitName);
  const day = parseDay(anchor);
  const from = parseFrom(fromType, fromDay);
  const until = parseUntil(untilType, untilValue);
  if (!unit || day === undefined || !from || !until || !(Number(every) >= 1)) return undefined;
  return { day, pattern: { kind: 'repeat', repeat: { every: Number(every), unit, from, until } } };
}

interface DurationHint {
  readonly pattern: Extract<DayPattern, { kind: 'duration' }>;
  readonly endTime: string | undefined;
}

/** Parses what `formatPatternHint` wrote about a duration. Returns undefined for other texts. */
export function parseDurationHint(text: string): DurationHint | undefined {
  const [, amount, unitName, endTime] = /^duration (\d{1,9}) (\w+)(?: to (\d\d:\d\d))?$/.exec(text) ?? [];
  const unit = durationUnits.find((candidate) => candidate === unitName);
  return unit && { pattern: { kind: 'duration', duration: { amount: Number(amount), unit } }, endTime };
}
