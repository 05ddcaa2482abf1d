import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import {
  type EventDraft,
  type DayPattern,
  type Repeat,
  countEndDays,
  getStyle,
} from '#tools/calendar/events/domain/event.ts';
import { normalizeDraft, MAX_END_DAYS } from '#tools/calendar/events/domain/eventDraft.ts';
import { createListedPattern } from '#tools/calendar/events/domain/shiftEvent.ts';
import { findNamedZone } from '#tools/calendar/events/domain/timeZone.ts';
import { toEventFields, getOccurrence } from '#tools/calendar/repeat/domain/occurrence.ts';
import { findNextStart } from '#tools/calendar/repeat/domain/placement.ts';
import { getBounds } from '#tools/calendar/repeat/domain/repeat.ts';
import type { Warn } from './eventTexts.ts';
import { TOO_LONG_MESSAGE } from './readPattern.ts';

type RepeatFields = Pick<EventDraft, 'day' | 'pattern' | 'exceptions'>;

interface DayRange {
  readonly from?: Day | undefined;
  /** Exclusive. */
  readonly before?: Day | undefined;
  /** Number of days by which the event is later. */
  readonly by?: number;
}

function limitRepeat(day: Day, repeat: Repeat, { from, before, by = 0 }: DayRange): Repeat {
  const last = Math.min(getBounds(day, repeat).until, before === undefined ? LAST_DAY : before - 1);
  const isBound = from !== undefined || before !== undefined;
  return {
    ...repeat,
    from: from === undefined ? repeat.from : { type: 'date', day: from + by },
    // Times count from the first day, which may have changed.
    until: !isBound || last >= LAST_DAY ? repeat.until : { type: 'date', day: last + by },
  };
}

function limitPattern(day: Day, pattern: DayPattern, range: DayRange): DayPattern {
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, by = 0 } = range;
  if (pattern.kind === 'repeat') return { kind: 'repeat', repeat: limitRepeat(day, pattern.repeat, range) };
  if (pattern.kind !== 'foreign') return pattern;
  return createListedPattern(pattern.days.filter((date) => date >= from && date < before).map((date) => date + by));
}

function limitToRange({ day, pattern, exceptions }: RepeatFields, range: DayRange): RepeatFields {
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, by = 0 } = range;
  return {
    day: day + by,
    pattern: limitPattern(day, pattern, range),
    exceptions: exceptions.filter((date) => date >= from && date < before).map((date) => date + by),
  };
}

/** A change of one day of an event, or of that day and all later ones. */
interface Override {
  readonly replaces: Day;
  /** Undefined if the day is cancelled. */
  readonly draft: EventDraft | undefined;
  readonly text: string;
  readonly isLater: boolean;
}

/** What a file says about an event and its changed days. */
export interface EventParts {
  readonly draft: EventDraft;
  /** The `VEVENT` of the event, unchanged. */
  readonly text: string;
  /** The text of the event itself, if `text` is a change that replaces it. */
  readonly replacedText?: string | undefined;
  /** Changed days of its repeat. */
  readonly overrides: readonly { readonly replaces: Day; readonly draft: EventDraft; readonly text: string }[];
}

type WholeEvent = Pick<EventParts, 'draft' | 'text'>;

const toOverrides = (list: readonly Override[]): EventParts['overrides'] =>
  list.flatMap(({ replaces, draft, text }) => (draft ? [{ replaces, draft, text }] : []));

/** Replaces the event itself by a change. If the change is a cancellation, the event is cancelled. */
const replaceEvent = (
  whole: WholeEvent,
  { draft, text }: Override,
  others: readonly Override[],
): EventParts | 'cancelled' =>
  draft ? { draft, text, replacedText: whole.text, overrides: toOverrides(others) } : 'cancelled';

/**
 * Converts a changed day to the zone of its repeat, because all later days move by the same amount (RFC 5545 3.2.13).
 */
function convertZone(whole: EventDraft, draft: EventDraft, warn: Warn): EventDraft {
  function limitDays(days: number): number {
    if (days > MAX_END_DAYS) warn(TOO_LONG_MESSAGE);
    return Math.min(days, MAX_END_DAYS);
  }
  if (draft.time === undefined) return { ...draft, endDays: limitDays(countEndDays(draft)) };
  const zone = draft.zone === undefined ? undefined : (whole.zone ?? draft.zone);
  const occurrence = getOccurrence(draft, draft.day, zone === undefined ? undefined : findNamedZone(zone));
  const { day, time, endTime, endDay } = toEventFields(occurrence);
  return { ...draft, day, time, endTime, endDays: limitDays(endDay - day), zone };
}

const NOT_ON_DATE_MESSAGE =
  'A change of all later occurrences names a date on which the event does not take place. That date is ignored';

/**
 * Returns the changes of all later days with the first day that each affects. `from` is undefined if it affects none.
 */
const toRanges = (whole: EventDraft, later: readonly Override[]) =>
  later.map((override, index) => {
    const before = later[index + 1]?.replaces;
    const from = findNextStart(whole, override.replaces);
    return { override, before, from: before !== undefined && from !== undefined && from >= before ? undefined : from };
  });

/**
 * Splits an event at the first change of all later days. Such changes become repeats of their own.
 * @throws Refusal if a part can't be stored
 */
export function splitAtLaterChanges(
  event: WholeEvent,
  overrides: readonly Override[],
  warn: Warn,
): EventParts | 'cancelled' {
  const { draft, text } = event;
  if (getStyle(draft.pattern) !== 'repeat') {
    const replacement = overrides.findLast(({ replaces }) => replaces === draft.day);
    const otherOverrides = overrides.filter((override) => override !== replacement);
    return replacement
      ? replaceEvent(event, replacement, otherOverrides)
      : { draft, text, overrides: toOverrides(overrides) };
  }
  const later = overrides.filter(({ isLater }) => isLater).toSorted((one, other) => one.replaces - other.replaces);
  const days = new Set(overrides.flatMap(({ isLater, replaces }) => (isLater ? [] : [replaces])));
  // The day is an exception because it had an event of its own, which is now the repeat.
  const isOwn = (day: Day): boolean => days.has(day) || !later.some(({ replaces }) => replaces === day);
  const whole = { ...draft, exceptions: draft.exceptions.filter(isOwn) };
  const ranges = toRanges(whole, later);
  const singleOverrides = [
    ...overrides.filter(({ isLater }) => !isLater),
    ...ranges.flatMap(({ override, from }) => (from === undefined ? [override] : [])),
  ];
  const repeats = ranges.flatMap(({ override, from, before }): readonly Override[] => {
    if (from === undefined || override.draft === undefined) return from === undefined ? [] : [override];
    if (from !== override.replaces) warn(NOT_ON_DATE_MESSAGE);
    const changed = convertZone(whole, override.draft, warn);
    const part = limitToRange(whole, { from, before, by: changed.day - override.replaces });
    return [{ ...override, draft: normalizeDraft({ ...changed, ...part }) }];
  });
  const [first] = repeats;
  if (!first) return { draft, text, overrides: toOverrides(singleOverrides) };
  const start = findNextStart(whole, FIRST_DAY);
  // A change from the first day on replaces the event.
  if (start !== undefined && start >= first.replaces)
    return replaceEvent(event, first, [...singleOverrides, ...repeats.slice(1)]);
  const before = normalizeDraft({ ...whole, ...limitToRange(whole, { before: first.replaces }) });
  return { draft: before, text, overrides: toOverrides([...singleOverrides, ...repeats]) };
}
