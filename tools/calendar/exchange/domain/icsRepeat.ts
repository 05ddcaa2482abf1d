import {
  civilOf,
  DAY_MS,
  dayInMonth,
  dayOfLocalMs,
  FIRST_DAY,
  LAST_DAY,
  monthIndexOf,
} from '../../events/domain/day.ts';
import type { Day } from '../../events/domain/day.ts';
import type { EventDraft, Repeat } from '../../events/domain/event.ts';
import { minutesOf } from '../../events/domain/time.ts';
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
export const firstDayOf = (day: Day, repeat: Repeat, created: number): Day | undefined => {
  if (repeat.from.type !== 'forever') return nextOccurrence(day, repeat, FIRST_DAY);
  const known = Math.min(dayOfLocalMs(created), boundsOf(day, repeat).until);
  return nextOccurrence(day, repeat, Math.min(day, Math.max(FIRST_DAY, yearsBefore(known, YEARS_BACK))));
};

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
export const untilText = (until: Day, { time, zone: name }: Pick<EventDraft, 'time' | 'zone'>): string => {
  if (time === undefined) return icsDay(until);
  const zone = name === undefined ? undefined : namedZone(name);
  return zone === undefined ? icsTime(until, time) : icsInstant(toUtc(zone, until * DAY_MS + minutesOf(time) * 60_000));
};

type TimeFields = Pick<EventDraft, 'day' | 'time' | 'zone'>;

const endOf = (draft: TimeFields, repeat: Repeat): string => {
  const { until } = boundsOf(draft.day, repeat);
  if (repeat.until.type === 'forever' || until === LAST_DAY) return '';
  if (repeat.until.type === 'times' && repeat.from.type !== 'forever') return `;COUNT=${repeat.until.times + 1}`;
  return `;UNTIL=${untilText(until, draft)}`;
};

/** The value of `RRULE` for a repeat of ours whose first day is `first`. */
export const ruleOfRepeat = (draft: TimeFields, repeat: Repeat, first: Day): string => {
  const frequency = `FREQ=${FREQUENCY[repeat.unit]}`;
  if (nextOccurrence(draft.day, repeat, first + 1) === undefined) return `${frequency};COUNT=1`;
  const interval = repeat.every === 1 ? '' : `;INTERVAL=${repeat.every}`;
  return `${frequency}${interval}${placeOf(draft.day, repeat.unit)}${endOf(draft, repeat)}`;
};
