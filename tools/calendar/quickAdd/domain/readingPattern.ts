import type { Day } from '#platform/contract/day.ts';
import { DAY_MINUTES } from '#platform/contract/duration.ts';
import { toMinutes, formatTime } from '../../events/domain/day.ts';
import { getDurationEnd, type Duration, type DayPattern, type RepeatUntil } from '../../events/domain/event.ts';
import { formatIcsDay } from '../../exchange/domain/icsText.ts';
import { parseRecurrenceRule, findRepeatUnit } from '../../repeat/domain/recurrenceRule.ts';
import { createForeignPattern } from '../../repeat/domain/repeat.ts';
import { getDuration } from './clockTimes.ts';
import type { PartOfKind, TimeRange } from './lineScanner.ts';

const toDaysOrWeeks = (days: number): Duration =>
  days > 15 && days % 7 === 0 ? { amount: days / 7, unit: 'weeks' } : { amount: days, unit: 'days' };

/** The days and times of one interpretation of a line. */
export interface LineMeaning {
  readonly today: Day;
  readonly start: Day;
  readonly span: PartOfKind<'span'> | undefined;
  readonly until: PartOfKind<'until'> | undefined;
  readonly repeat: PartOfKind<'repeat'> | undefined;
  readonly times: PartOfKind<'times'> | undefined;
  readonly length: PartOfKind<'length'> | undefined;
  readonly time: TimeRange | undefined;
}

function toRepeatUntil({ until, times }: LineMeaning): RepeatUntil {
  if (until) return { type: 'date', day: until.day };
  // '5 times' are four further ones.
  return times ? { type: 'times', times: times.times - 1 } : { type: 'forever' };
}

const TOO_LONG: PartOfKind<'wrong'> = { kind: 'wrong', why: 'That is longer than the calendar can show' };

const toDurationPattern = (duration: Duration): DayPattern | PartOfKind<'wrong'> =>
  duration.amount > 1000 ? TOO_LONG : { kind: 'duration', duration };

function formatBound({ until, times }: LineMeaning, { times: own }: PartOfKind<'repeat'>): string {
  if (until) return `;UNTIL=${formatIcsDay(until.day)}`;
  const count = times?.times ?? own;
  return count === undefined ? '' : `;COUNT=${count}`;
}

const ONE_END: PartOfKind<'wrong'> = { kind: 'wrong', why: 'Give the last day or the length, not both' };
const TOO_LONG_REPEAT: PartOfKind<'wrong'> = {
  kind: 'wrong',
  why: 'A repeating event lasts one day. Leave out the repeat or the last day',
};
const NO_START: PartOfKind<'wrong'> = { kind: 'wrong', why: 'Add a start time: at 14:00 for 2 hours' };
const UNIT_DAYS = { day: 1, week: 7, month: 28, year: 365 } as const;

/** Computes the end of 'every Monday for 6 weeks'. Undefined if no length bounds the repeat. */
function findUntilByLength(
  { every, unit }: PartOfKind<'repeat'>,
  meaning: LineMeaning,
): PartOfKind<'until'> | PartOfKind<'wrong'> | undefined {
  const { length, start, time } = meaning;
  if (length === undefined) return meaning.until;
  if (length.unit === 'minutes' || length.unit === 'hours') {
    if (time === undefined) return NO_START;
    return length.unit === 'hours' && length.amount >= 24 ? TOO_LONG_REPEAT : meaning.until;
  }
  if (length.amount > 1000) return TOO_LONG;
  const day = getDurationEnd(start, { amount: length.amount, unit: length.unit });
  // A length within one interval is the length of each occurrence: 'every month for 3 days'.
  return day - start < every * UNIT_DAYS[unit] ? TOO_LONG_REPEAT : { kind: 'until', day };
}

/**
 * 'every Tuesday from 5 January to 30 March'. Within one interval it is the days of each occurrence: '1-5 December'.
 */
function findUntilBySpan(
  { every, unit, first }: PartOfKind<'repeat'>,
  span: PartOfKind<'span'>,
): PartOfKind<'until'> | PartOfKind<'wrong'> {
  const isOfEachTime = span.until - span.from < every * UNIT_DAYS[unit] - 1;
  const isOnDays = first !== undefined && unit === 'week';
  return isOfEachTime && !isOnDays ? TOO_LONG_REPEAT : { kind: 'until', day: span.until };
}

function toRepeatPattern(repeat: PartOfKind<'repeat'>, reading: LineMeaning): DayPattern | PartOfKind<'wrong'> {
  const { start, span, today } = reading;
  const until = span ? findUntilBySpan(repeat, span) : findUntilByLength(repeat, reading);
  if (until?.kind === 'wrong') return until;
  const meaning: LineMeaning = { ...reading, until };
  const { every, rule: value } = repeat;
  const rule = value === undefined ? undefined : parseRecurrenceRule(value);
  // A rule that our own repeats can express becomes one, so that the controls can change it.
  const unit = rule === undefined || typeof rule === 'string' ? repeat.unit : findRepeatUnit(rule, start);
  if (value !== undefined && unit === undefined)
    return createForeignPattern(value + formatBound(meaning, repeat), start, today);
  return {
    kind: 'repeat',
    repeat: { every, unit: unit ?? repeat.unit, from: { type: 'date', day: start }, until: toRepeatUntil(meaning) },
  };
}

const isOfDays = (length: PartOfKind<'length'> | undefined): boolean =>
  length !== undefined && length.unit !== 'minutes' && length.unit !== 'hours';

/** Returns the duration or the repeat of the event, or why it isn't possible. */
export function createDayPattern(meaning: LineMeaning): DayPattern | PartOfKind<'wrong'> {
  const { start, repeat, length } = meaning;
  const last = meaning.span?.until ?? meaning.until?.day;
  if (last !== undefined && last < start)
    return { kind: 'wrong', why: 'The last day must not be before the first day' };
  if (isOfDays(length) && (last !== undefined || meaning.times)) return ONE_END;
  if (repeat) return toRepeatPattern(repeat, meaning);
  if (last !== undefined) return toDurationPattern(toDaysOrWeeks(last - start + 1));
  return toDuration(length, meaning.time);
}

/** Returns a duration. Up to a night is no duration, because the end time is sufficient. */
function toDuration(
  length: PartOfKind<'length'> | undefined,
  time: TimeRange | undefined,
): DayPattern | PartOfKind<'wrong'> {
  if (time && getDuration(time) >= DAY_MINUTES)
    return toDurationPattern({ amount: (time.endDays ?? 0) + 1, unit: 'days' });
  if (!length || length.unit === 'minutes') return { kind: 'single' };
  const isEnd = length.unit === 'hours' && time && length.amount < 24;
  return isEnd ? { kind: 'single' } : toDurationPattern({ amount: length.amount, unit: length.unit });
}

interface LineEnd {
  readonly endTime: string | undefined;
  readonly endDays: number;
}

/** Returns the end that the line names, or that follows from the length. */
export function getEnd({ time, length }: LineMeaning, pattern: DayPattern): LineEnd {
  const isLasting = pattern.kind === 'duration';
  if (time?.endTime !== undefined) return { endTime: time.endTime, endDays: isLasting ? 0 : (time.endDays ?? 0) };
  const minutes = length?.unit === 'hours' ? length.amount * 60 : length?.unit === 'minutes' ? length.amount : 0;
  if (!time || minutes === 0 || isLasting) return { endTime: undefined, endDays: 0 };
  const end = toMinutes(time.time) + minutes;
  return { endTime: formatTime(end % DAY_MINUTES), endDays: Math.floor(end / DAY_MINUTES) };
}
