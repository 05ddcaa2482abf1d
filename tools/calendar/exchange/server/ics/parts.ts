import { type Day, FIRST_DAY } from '#tools/calendar/events/domain/day.ts';
import { endDaysOf } from '#tools/calendar/events/domain/duration.ts';
import { type EventDraft, styleOf } from '#tools/calendar/events/domain/event.ts';
import { checkedDraft, MAX_END_DAYS } from '#tools/calendar/events/domain/eventDraft.ts';
import { namedZone } from '#tools/calendar/events/domain/timeZone.ts';
import { fieldsOf, occurrenceOn } from '#tools/calendar/repeat/domain/occurrence.ts';
import { startFrom } from '#tools/calendar/repeat/domain/placement.ts';
import type { ReadEvent } from './eventObject.ts';
import { partOfRepeating } from './part.ts';
import { TOO_LONG } from './readPattern.ts';

/** A change of one day of an event, or of that day and all later ones. */
export interface Override {
  readonly replaces: Day;
  /** Undefined where the day is cancelled. */
  readonly draft: EventDraft | undefined;
  readonly text: string;
  readonly isLater: boolean;
}

type Tell = (why: string) => void;
type WholeEvent = Pick<ReadEvent, 'draft' | 'text'>;
type EventParts = Pick<ReadEvent, 'draft' | 'text' | 'replacedText' | 'overrides'>;

const kept = (list: readonly Override[]): ReadEvent['overrides'] =>
  list.flatMap(({ replaces, draft, text }) => (draft ? [{ replaces, draft, text }] : []));

/** A change that takes the place of the event itself, which is cancelled with it. */
const inPlaceOf = (
  whole: WholeEvent,
  { draft, text }: Override,
  others: readonly Override[],
): EventParts | 'cancelled' =>
  draft ? { draft, text, replacedText: whole.text, overrides: kept(others) } : 'cancelled';

/** A changed day by the clock of its repeat: all later days move by it alike (RFC 5545 3.2.13). */
const byClockOf = (whole: EventDraft, draft: EventDraft, tell: Tell): EventDraft => {
  const limited = (days: number): number => {
    if (days > MAX_END_DAYS) tell(TOO_LONG);
    return Math.min(days, MAX_END_DAYS);
  };
  if (draft.time === undefined) return { ...draft, endDays: limited(endDaysOf(draft)) };
  const zone = draft.zone === undefined ? undefined : (whole.zone ?? draft.zone);
  const one = occurrenceOn(draft, draft.day, zone === undefined ? undefined : namedZone(zone));
  const { day, time, endTime, endDay } = fieldsOf(one);
  return { ...draft, day, time, endTime, endDays: limited(endDay - day), zone };
};

const NOT_ON_A_DAY =
  'A change of all later days is of a day on which it does not take place; only the others are changed';

/** Changes of all later days, each with its first day; one that changes none is of its own day alone. */
const rangesOf = (whole: EventDraft, later: readonly Override[]) =>
  later.map((one, at) => {
    const before = later[at + 1]?.replaces;
    const from = startFrom(whole, one.replaces);
    return { one, before, from: before !== undefined && from !== undefined && from >= before ? undefined : from };
  });

/**
 * The event up to the first change of all later days, and such changes as repeats of their own.
 * @throws Refusal where a part of it cannot be kept.
 */
export function partsOf(event: WholeEvent, overrides: readonly Override[], tell: Tell): EventParts | 'cancelled' {
  const { draft, text } = event;
  if (styleOf(draft.pattern) !== 'repeat') {
    const own = overrides.findLast(({ replaces }) => replaces === draft.day);
    const others = overrides.filter((one) => one !== own);
    return own ? inPlaceOf(event, own, others) : { draft, text, overrides: kept(overrides) };
  }
  const later = overrides.filter(({ isLater }) => isLater).toSorted((one, other) => one.replaces - other.replaces);
  const days = new Set(overrides.flatMap(({ isLater, replaces }) => (isLater ? [] : [replaces])));
  // The day itself was left out because it has an event of its own, which now is the repeat.
  const isOwn = (day: Day): boolean => days.has(day) || !later.some(({ replaces }) => replaces === day);
  const whole = { ...draft, exceptions: draft.exceptions.filter(isOwn) };
  const ranges = rangesOf(whole, later);
  const single = [
    ...overrides.filter(({ isLater }) => !isLater),
    ...ranges.flatMap(({ one, from }) => (from === undefined ? [one] : [])),
  ];
  const repeats = ranges.flatMap(({ one, from, before }): readonly Override[] => {
    if (from === undefined || one.draft === undefined) return from === undefined ? [] : [one];
    if (from !== one.replaces) tell(NOT_ON_A_DAY);
    const changed = byClockOf(whole, one.draft, tell);
    const part = partOfRepeating(whole, { from, before, by: changed.day - one.replaces });
    return [{ ...one, draft: checkedDraft({ ...changed, ...part }) }];
  });
  const [first] = repeats;
  if (!first) return { draft, text, overrides: kept(single) };
  const start = startFrom(whole, FIRST_DAY);
  // Changed from its first day on, the event is what it was changed to.
  if (start !== undefined && start >= first.replaces) return inPlaceOf(event, first, [...single, ...repeats.slice(1)]);
  const before = checkedDraft({ ...whole, ...partOfRepeating(whole, { before: first.replaces }) });
  return { draft: before, text, overrides: kept([...single, ...repeats]) };
}
