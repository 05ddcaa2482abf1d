import { type Day, FIRST_DAY, LAST_DAY, toIso } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { EventDraft, DayPattern, Repeat } from './event.ts';

type ShiftedFields = Pick<EventDraft, 'day' | 'pattern' | 'exceptions'>;

function validateDay(day: Day): Day {
  if (day < FIRST_DAY || day > LAST_DAY)
    throw new Refusal('calendar.out_of_range', 'The date must be in the years 1 to 9999');
  return day;
}

function shiftRepeat(repeat: Repeat, days: number): Repeat {
  const { from, until } = repeat;
  return {
    ...repeat,
    from: from.type === 'forever' ? from : { ...from, day: validateDay(from.day + days) },
    until: until.type === 'date' ? { ...until, day: validateDay(until.day + days) } : until,
  };
}

/** Lists the days of a moved foreign rule, because the rule no longer produces them. */
export function createListedPattern(days: readonly Day[]): DayPattern {
  return {
    kind: 'foreign',
    rule: `RDATE;VALUE=DATE:${days.map((day) => toIso(day).replaceAll('-', '')).join(',')}`,
    words: `on ${days.length} selected ${days.length === 1 ? 'day' : 'days'}`,
    days,
  };
}

function shiftPattern(pattern: DayPattern, days: number): DayPattern {
  if (pattern.kind === 'repeat') return { kind: 'repeat', repeat: shiftRepeat(pattern.repeat, days) };
  return pattern.kind === 'foreign' ? createListedPattern(pattern.days.map((day) => validateDay(day + days))) : pattern;
}

/** Moves an event by some days: its anchor, bounds and exceptions. @throws Refusal outside the supported days */
export function shiftEvent({ day, pattern, exceptions }: ShiftedFields, days: number): ShiftedFields {
  return days === 0
    ? { day, pattern, exceptions }
    : {
        day: validateDay(day + days),
        pattern: shiftPattern(pattern, days),
        exceptions: exceptions
          .map((exception) => exception + days)
          .filter((exception) => exception >= FIRST_DAY && exception <= LAST_DAY),
      };
}
