import { durationUnits, repeatUnits } from '../../contract/events.ts';
import {
  parseDay,
  toIso,
  type Day,
  civilOf,
  DAY_MS,
  dayInMonth,
  dayOfLocalMs,
  FIRST_DAY,
  LAST_DAY,
  monthIndexOf,
  minutesOf,
} from '../../events/domain/day.ts';
import type { EventDraft, DayPattern, RepeatFrom, RepeatUntil, Repeat } from '../../events/domain/event.ts';
import { namedZone, toUtc } from '../../events/domain/timeZone.ts';
import { boundsOf, nextOccurrence } from '../../repeat/domain/repeat.ts';
import { icsDay, icsInstant, icsTime } from './icsText.ts';

/** What other calendars are told of a repeat that has always been: ten years before it was written down, or before its end. */
const YEARS_BACK = 10;

const FREQUENCY = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY', year: 'YEARLY' } as const;

const yearsBefore = (day: Day, years: number): Day => {
  const civil = civilOf(day);
  return dayInMonth(monthIndexOf(civil) - years * 12, civil.date);
};

/**
 * The day that other calendars count a repeat from: its first one. Where it is bound by none, the first on the event's own day or later, and
 * ten years before it was made (`created`, milliseconds since the epoch) or before it ends where that is earlier. Undefined where it stands
 * on no day.
 */
export function firstDayOf(day: Day, repeat: Repeat, created: number): Day | undefined {
  if (repeat.from.type !== 'forever') return nextOccurrence(day, repeat, FIRST_DAY);
  const known = Math.min(dayOfLocalMs(created), boundsOf(day, repeat).until);
  return nextOccurrence(day, repeat, Math.min(day, Math.max(FIRST_DAY, yearsBefore(known, YEARS_BACK))));
}

/** Which day of a month is meant, in months that may lack it: their last one. */
const monthDays = (date: number): string => {
  if (date <= 28) return '';
  if (date === 31) return ';BYMONTHDAY=-1';
  return `;BYMONTHDAY=${date === 29 ? '28,29' : '28,29,30'};BYSETPOS=-1`;
};

const placeOf = (day: Day, unit: Repeat['unit']): string => {
  const { month, date } = civilOf(day);
  if (unit === 'month') return monthDays(date);
  return unit === 'year' && month === 2 && date === 29 ? ';BYMONTH=2;BYMONTHDAY=-1' : '';
};

/** The end of a rule: of times in a zone it is told in UTC. */
export function untilText(until: Day, { time, zone: name }: Pick<EventDraft, 'time' | 'zone'>): string {
  if (time === undefined) return icsDay(until);
  const zone = name === undefined ? undefined : namedZone(name);
  return zone === undefined ? icsTime(until, time) : icsInstant(toUtc(zone, until * DAY_MS + minutesOf(time) * 60_000));
}

type TimeFields = Pick<EventDraft, 'day' | 'time' | 'zone'>;

const endOf = (draft: TimeFields, repeat: Repeat): string => {
  const { until } = boundsOf(draft.day, repeat);
  if (repeat.until.type === 'forever' || until === LAST_DAY) return '';
  if (repeat.until.type === 'times' && repeat.from.type !== 'forever') return `;COUNT=${repeat.until.times + 1}`;
  return `;UNTIL=${untilText(until, draft)}`;
};

/** The value of `RRULE` for a repeat of ours whose first day is `first`. */
export function ruleOfRepeat(draft: TimeFields, repeat: Repeat, first: Day): string {
  const frequency = `FREQ=${FREQUENCY[repeat.unit]}`;
  if (nextOccurrence(draft.day, repeat, first + 1) === undefined) return `${frequency};COUNT=1`;
  const interval = repeat.every === 1 ? '' : `;INTERVAL=${repeat.every}`;
  return `${frequency}${interval}${placeOf(draft.day, repeat.unit)}${endOf(draft, repeat)}`;
}

// iCalendar cannot say all of a repeat of ours (the day that it counts from where that is not its first, that it has always been) nor in which
// unit a duration was told. So what we write says it once more, in a field of its own; whoever reads it believes it only where the rest agrees.

const boundText = (bound: RepeatFrom | RepeatUntil): string => {
  if (bound.type === 'forever') return 'forever';
  return bound.type === 'times' ? `times ${bound.times}` : `${bound.type} ${toIso(bound.day)}`;
};

type PatternFields = Pick<EventDraft, 'day' | 'pattern' | 'endTime'>;

/** `duration 2 weeks`, `duration 2 days to 10:45`, `repeat 2026-11-23 every 2 week from forever until times 5`; undefined for what iCalendar says itself. */
export function patternText({ day, pattern, endTime }: PatternFields): string | undefined {
  if (pattern.kind === 'duration')
    return `duration ${pattern.duration.amount} ${pattern.duration.unit}${endTime === undefined ? '' : ` to ${endTime}`}`;
  if (pattern.kind !== 'repeat') return undefined;
  const { every, unit, from, until } = pattern.repeat;
  return `repeat ${toIso(day)} every ${every} ${unit} from ${boundText(from)} until ${boundText(until)}`;
}

const fromIn = (type: string, day: string | undefined): RepeatFrom | undefined => {
  if (type === 'forever') return { type };
  const read = parseDay(day ?? '');
  return read === undefined || (type !== 'today' && type !== 'date') ? undefined : { type, day: read };
};

const untilIn = (type: string, value: string | undefined): RepeatUntil | undefined => {
  if (type === 'forever') return { type };
  if (type === 'times') return /^\d{1,9}$/.test(value ?? '') ? { type, times: Number(value) } : undefined;
  const day = parseDay(value ?? '');
  return day === undefined || type !== 'date' ? undefined : { type, day };
};

interface RepeatHint {
  readonly day: Day;
  readonly pattern: Extract<DayPattern, { kind: 'repeat' }>;
}

/** Reads what `patternText` wrote of a repeat; undefined where it is something else. */
export function repeatIn(text: string): RepeatHint | undefined {
  const repeating =
    /^repeat (\d{4}-\d\d-\d\d) every (\d{1,10}) (\w+) from (\w+)(?: (\d{4}-\d\d-\d\d))? until (\w+)(?: ([\d-]+))?$/.exec(
      text,
    );
  const [, anchor = '', every, unitName, fromType = '', fromDay, untilType = '', untilValue] = repeating ?? [];
  const unit = repeatUnits.find((one) => one === unitName);
  const day = parseDay(anchor);
  const from = fromIn(fromType, fromDay);
  const until = untilIn(untilType, untilValue);
  if (!unit || day === undefined || !from || !until || !(Number(every) >= 1)) return undefined;
  return { day, pattern: { kind: 'repeat', repeat: { every: Number(every), unit, from, until } } };
}

interface DurationHint {
  readonly pattern: Extract<DayPattern, { kind: 'duration' }>;
  readonly endTime: string | undefined;
}

/** Reads what `patternText` wrote of a duration; undefined where it is something else. */
export function durationIn(text: string): DurationHint | undefined {
  const [, amount, unitName, endTime] = /^duration (\d{1,9}) (\w+)(?: to (\d\d:\d\d))?$/.exec(text) ?? [];
  const unit = durationUnits.find((one) => one === unitName);
  return unit && { pattern: { kind: 'duration', duration: { amount: Number(amount), unit } }, endTime };
}
