import { FIRST_DAY, LAST_DAY, type Day } from '#platform/contract/day.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH, MAX_TAG_LENGTH, MAX_TAGS_PER_EVENT } from '../../contract/events.ts';
import { isTime } from './day.ts';
import { countEndDays, type Duration, type EventDraft, type DayPattern, type Repeat } from './event.ts';
import { isReservedTag } from './tags.ts';

/** U+2800: marks the editor's placeholder, so no name may contain it (docs/specification/calendar.md section 4.5). */
export const INVISIBLE_BLANK = '\u2800';

/** Limits of the repeat and duration controls. Events of other calendars must respect them too. */
export const MAX_REPEAT_INTERVAL = 1000;
export const MAX_REPEAT_COUNT = 1000;
export const MAX_DURATION = 1000;
/** Maximum number of days from the first to the last day of an event that is no duration. */
export const MAX_END_DAYS = 366;
export const MAX_EXCEPTIONS = 4000;
export const MAX_FOREIGN_DAYS = 4000;

/** Normalizes a name to one line. */
export function toOneLine(text: string): string {
  return replaceUnstorable(text).replaceAll(/\s+/g, ' ').trim();
}

function normalizeName(text: string): string {
  const name = toOneLine(text);
  if (name === '') throw new Refusal('calendar.name_empty', 'Enter a name for the event');
  if (name.includes(INVISIBLE_BLANK))
    throw new Refusal('calendar.name_invalid', 'The event name has an invisible blank. Remove it');
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    throw new Refusal(
      'calendar.name_too_long',
      `The event name is too long. Enter at most ${MAX_NAME_LENGTH} characters`,
    );
  return name;
}

function normalizeDescription(text: string): string {
  if (countCodePoints(text) > MAX_DESCRIPTION_LENGTH)
    throw new Refusal(
      'calendar.description_too_long',
      `The description is too long. Enter at most ${MAX_DESCRIPTION_LENGTH.toLocaleString('en')} characters`,
    );
  return replaceUnstorable(text);
}

/** Normalizes and validates the name of a tag. @throws Refusal */
export function normalizeTag(text: string): string {
  const name = toOneLine(text);
  if (name === '') throw new Refusal('calendar.tag_name_empty', 'Enter a name for the tag');
  if (countCodePoints(name) > MAX_TAG_LENGTH)
    throw new Refusal(
      'calendar.tag_name_too_long',
      `The tag name is too long. Enter at most ${MAX_TAG_LENGTH} characters`,
    );
  if (name.includes(',')) throw new Refusal('calendar.tag_name_comma', "A tag name can't contain a comma. Remove it");
  return name;
}

function validateDay(day: Day, fieldName: string): Day {
  if (!Number.isInteger(day) || day < FIRST_DAY || day > LAST_DAY)
    throw new Refusal('calendar.out_of_range', `${fieldName}: must be in the years 1 to 9999`);
  return day;
}

function validateTime(text: string, fieldName: string): string {
  if (!isTime(text)) throw new Refusal('calendar.invalid_time', `${fieldName}: must be a time such as 09:30`);
  return text;
}

function validateCount(value: number, fieldName: string, [min, max]: readonly [number, number]): number {
  if (!Number.isInteger(value) || value < min || value > max)
    throw new Refusal('calendar.invalid_number', `${fieldName}: must be a whole number from ${min} to ${max}`);
  return value;
}

function normalizeRepeat({ every, unit, from, until }: Repeat): Repeat {
  if (from.type !== 'forever' && until.type === 'date' && until.day < from.day)
    throw new Refusal('calendar.repeat_ends_before_start', 'repeatuntill: must not be before the start of the repeat');
  return {
    every: validateCount(every, 'repeateveryamount', [1, MAX_REPEAT_INTERVAL]),
    unit,
    from: from.type === 'forever' ? from : { type: from.type, day: validateDay(from.day, 'repeatfrom') },
    until:
      until.type === 'forever'
        ? until
        : until.type === 'times'
          ? { type: 'times', times: validateCount(until.times, 'repeatuntill', [0, MAX_REPEAT_COUNT]) }
          : { type: 'date', day: validateDay(until.day, 'repeatuntill') },
  };
}

const normalizeDuration = ({ amount, unit }: Duration): Duration => ({
  amount: validateCount(amount, 'duration', [0, MAX_DURATION]),
  unit,
});

/** Returns the days sorted, without duplicates. */
export function sortUniqueDays(days: readonly Day[]): readonly Day[] {
  return [...new Set(days)].toSorted((one, other) => one - other);
}

function normalizePattern(pattern: DayPattern): DayPattern {
  if (pattern.kind === 'repeat') return { kind: 'repeat', repeat: normalizeRepeat(pattern.repeat) };
  if (pattern.kind === 'duration') return { kind: 'duration', duration: normalizeDuration(pattern.duration) };
  if (pattern.kind !== 'foreign') return pattern;
  const days = sortUniqueDays(pattern.days.map((day) => validateDay(day, 'days of the rule')));
  if (days.length > MAX_FOREIGN_DAYS)
    throw new Refusal(
      'calendar.rule_too_many_dates',
      `This rule of another calendar has too many dates. The limit is ${MAX_FOREIGN_DAYS.toLocaleString('en')}`,
    );
  return { kind: 'foreign', rule: replaceUnstorable(pattern.rule), words: toOneLine(pattern.words), days };
}

function normalizeExceptions({ pattern, exceptions }: EventDraft): readonly Day[] {
  if (pattern.kind === 'single' || pattern.kind === 'duration') return [];
  if (exceptions.length > MAX_EXCEPTIONS)
    throw new Refusal('calendar.too_many_exceptions', `exceptions: must be at most ${MAX_EXCEPTIONS} days`);
  return sortUniqueDays(exceptions.map((day) => validateDay(day, 'exceptions')));
}

/** Normalizes tags: no duplicates, no built-in tags, the main one first. */
function normalizeTags({ tags, pinned }: Pick<EventDraft, 'tags' | 'pinned'>): Pick<EventDraft, 'tags' | 'pinned'> {
  const names = [...new Set(tags.map(normalizeTag))].filter((name) => !isReservedTag(name));
  if (names.length > MAX_TAGS_PER_EVENT)
    throw new Refusal('calendar.too_many_tags', `An event can have at most ${MAX_TAGS_PER_EVENT} tags. Remove some`);
  if (pinned === undefined) return { tags: names, pinned };
  const main = toOneLine(pinned);
  if (!names.includes(main))
    throw new Refusal('calendar.pinned_tag_missing', 'pinned: must be one of the tags of the event');
  return { tags: [main, ...names.filter((name) => name !== main)], pinned: main };
}

type TimeFields = Pick<EventDraft, 'time' | 'endTime' | 'endDays' | 'zone'>;

function normalizeTimes(draft: EventDraft): TimeFields {
  const { time, endTime, pattern, zone } = draft;
  const endDays = pattern.kind === 'duration' ? 0 : validateCount(draft.endDays ?? 0, 'enddate', [0, MAX_END_DAYS]);
  if (time === undefined) {
    if (endTime !== undefined) throw new Refusal('calendar.end_without_start', 'endtime: needs a start time');
    return { time, endTime, endDays, zone: undefined };
  }
  const start = validateTime(time, 'time');
  if (endTime === undefined) return { time: start, endTime, endDays: 0, zone };
  const end = validateTime(endTime, 'endtime');
  if (end <= start && countEndDays({ ...draft, endDays }) === 0)
    throw new Refusal('calendar.end_before_start', 'endtime: must be after the start');
  return { time: start, endTime: end, endDays, zone };
}

/** Normalizes a draft: trims texts, sorts days and tags. @throws Refusal naming the rule or limit that is broken */
export function normalizeDraft(draft: EventDraft): EventDraft {
  return {
    name: normalizeName(draft.name),
    description: normalizeDescription(draft.description),
    day: validateDay(draft.day, 'date'),
    ...normalizeTimes(draft),
    pattern: normalizePattern(draft.pattern),
    exceptions: normalizeExceptions(draft),
    ...normalizeTags(draft),
  };
}
