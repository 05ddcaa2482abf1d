import { FIRST_DAY, LAST_DAY, toIso, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { toLocalDay } from '#tools/calendar/events/domain/day.ts';
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
import { escapeText, foldLine } from '../../domain/icsText.ts';
import { findLine, listLines, getRawText, type Component } from './contentLines.ts';
import { convertToZone, parseTimeList } from './dateTime.ts';
import { readEventDescription, readEventName, readEventTags, type Warn } from './eventTexts.ts';
import { findEventTime, type EventTime } from './eventTime.ts';
import { UnsupportedEventError, readPatternFields, type PatternReader, TOO_LONG_MESSAGE } from './readPattern.ts';

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

/** Limits a repeat to a range of its days. */
export function limitToRange({ day, pattern, exceptions }: RepeatFields, range: DayRange): RepeatFields {
  const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, by = 0 } = range;
  return {
    day: day + by,
    pattern: limitPattern(day, pattern, range),
    exceptions: exceptions.filter((date) => date >= from && date < before).map((date) => date + by),
  };
}

/** A change of one day of an event, or of that day and all later ones. */
export interface Override {
  readonly replaces: Day;
  /** Undefined if the day is cancelled. */
  readonly draft: EventDraft | undefined;
  readonly text: string;
  readonly isLater: boolean;
}

type WholeEvent = Pick<ParsedEvent, 'draft' | 'text'>;
type EventParts = Pick<ParsedEvent, 'draft' | 'text' | 'replacedText' | 'overrides'>;

const toOverrides = (list: readonly Override[]): ParsedEvent['overrides'] =>
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

/** An event of a file. */
export interface ParsedEvent {
  readonly uid: string;
  readonly draft: EventDraft;
  /** A complete calendar object with the components of the event, unchanged. */
  readonly source: string;
  /** The `VEVENT` of the event, unchanged. */
  readonly text: string;
  /** The text of the event itself, if `text` is a change that replaces it. */
  readonly replacedText?: string | undefined;
  /** Changed days of its repeat. */
  readonly overrides: readonly { readonly replaces: Day; readonly draft: EventDraft; readonly text: string }[];
}

/** Why an event can't be imported, or was changed. */
export interface Problem {
  readonly name: string;
  readonly why: string;
}

export interface ObjectReader extends Omit<PatternReader, 'warn' | 'onUnknownZone' | 'onUnnamed'> {
  /** Whether the file cancels everything in it (`METHOD:CANCEL`). */
  readonly isCancelling: boolean;
  readonly onProblem: (problem: Problem & { readonly isRefused: boolean }) => void;
}

function createNamedReader(reader: ObjectReader, name: string): PatternReader {
  const reported = new Set<string>();
  // Start, end and changed days often have the same problem.
  function warn(why: string): void {
    if (!reported.has(why)) reader.onProblem({ name, why, isRefused: false });
    reported.add(why);
  }
  return {
    ...reader,
    warn,
    onUnnamed: () => undefined,
    onUnknownZone: (zone) =>
      warn(`Its time zone '${zone.slice(0, 60)}' is unknown, so its times are shown as local times`),
  };
}

const createSilentReader = (reader: PatternReader): PatternReader => ({
  ...reader,
  warn: () => undefined,
  onUnknownZone: () => undefined,
});

const isInCalendar = ({ day, endDays }: EventTime): boolean => day >= FIRST_DAY && day + endDays <= LAST_DAY + 1;

interface ParsedDraft {
  readonly when: EventTime;
  readonly draft: EventDraft;
}

/** Parses an event. @throws UnsupportedEventError, Refusal if it can't be imported */
function parseDraft(component: Component, reader: PatternReader, replaced: readonly Day[] | undefined): ParsedDraft {
  function onUnnamed(): void {
    if (replaced !== undefined && listLines(component, 'RRULE').length > 0)
      reader.warn('Its time zone is defined only in this file, so its times are converted to your home time zone');
  }
  // A changed day of a repeat does not repeat.
  const effectiveComponent = replaced === undefined ? { ...component, lines: removeRules(component) } : component;
  const when = findEventTime(effectiveComponent, { ...reader, onUnnamed });
  if (!when) throw new UnsupportedEventError('It has no valid date');
  if (!isInCalendar(when)) throw new UnsupportedEventError('It is outside the years 1 to 9999');
  const patternFields = readPatternFields(effectiveComponent, when, reader, replaced ?? []);
  if (patternFields.pattern.kind === 'foreign' && patternFields.pattern.days.length === 0)
    throw new UnsupportedEventError('Its repeat rule has no dates');
  const draft = normalizeDraft({
    name: readEventName(component, reader.warn),
    description: readEventDescription(component, reader.warn),
    time: when.time,
    zone: when.zone,
    ...patternFields,
    ...readEventTags(component, reader.warn),
  });
  return { when, draft };
}

const removeRules = ({ lines }: Component): Component['lines'] =>
  new Map([...lines].filter(([name]) => !['RRULE', 'RDATE', 'EXDATE'].includes(name)));

const CANCELLED_MESSAGE = 'It is cancelled';
const isCancelled = (component: Component, { isCancelling }: Pick<ObjectReader, 'isCancelling'>): boolean =>
  isCancelling || getRawText(component, 'STATUS').trim().toUpperCase() === 'CANCELLED';

/** Returns the repeat's own day that a changed day replaces. */
function findReplacedDay(component: Component, master: EventTime | undefined, reader: PatternReader): Day | undefined {
  const [original] = parseTimeList(findLine(component, 'RECURRENCE-ID') ?? '', reader);
  if (!original) return undefined;
  if (!master) return toLocalDay(convertToZone(original, reader.home));
  const isDate = master.start.isDate || original.isDate;
  return toLocalDay(isDate ? original.localMs : convertToZone(original, master.start.zone));
}

/** Runs work and reports a refusal as a problem, so that the other events are still read. */
function attempt<T>(reader: ObjectReader, name: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnsupportedEventError) && !(error instanceof Refusal)) throw error;
    reader.onProblem({ name, why: error.message, isRefused: true });
    return undefined;
  }
}

export interface EventFamily {
  readonly uid: string;
  readonly master: Component | undefined;
  readonly others: readonly Component[];
  /** A UID that replaces the original one if other events of the file have the same. */
  readonly ownUid?: string | undefined;
}

const UID_LINE = /^UID[:;][^\n]*\n(?:[ \t][^\n]*\n)*/im;

/** Gives an event its own UID if others have the same, because programs don't accept two objects with one UID. */
function replaceUid(
  { text }: Component,
  uid: string,
  formatSource: SourceFormatter,
): Pick<ParsedEvent, 'uid' | 'text' | 'source'> {
  const newText = text.replace(UID_LINE, () => foldLine(`UID:${escapeText(uid)}`));
  return { uid, text: newText, source: formatSource([newText]) };
}

/** Converts changed days without their repeat to events of their own. */
const toSeparateEvents = (
  { uid, others }: EventFamily,
  reader: ObjectReader,
  formatSource: SourceFormatter,
): readonly ParsedEvent[] =>
  others.flatMap((component) => {
    const name = readEventName(component, () => undefined);
    const namedReader = createNamedReader(reader, name);
    if (isCancelled(component, reader)) {
      reader.onProblem({ name, why: CANCELLED_MESSAGE, isRefused: true });
      return [];
    }
    const parsed = attempt(reader, name, () => parseDraft(component, namedReader, undefined));
    if (!parsed) return [];
    const day = findReplacedDay(component, undefined, createSilentReader(namedReader)) ?? parsed.when.day;
    return [{ ...replaceUid(component, `${uid}-${toIso(day)}`, formatSource), draft: parsed.draft, overrides: [] }];
  });

export type SourceFormatter = (texts: readonly string[]) => string;

/** Whether a change of one day also changes all later days (RFC 5545 section 3.2.13). */
const isOfLaterDays = (component: Component): boolean =>
  /^[^:]*;RANGE="?THISANDFUTURE/i.test(findLine(component, 'RECURRENCE-ID') ?? '');

interface ChangedInstance {
  readonly replaces: Day;
  readonly component: Component;
}

function listChangedDays(
  { others }: EventFamily,
  { when, reader, name }: { readonly when: EventTime; readonly reader: PatternReader; readonly name: string },
  onProblem: ObjectReader['onProblem'],
): readonly ChangedInstance[] {
  const byDay = new Map<Day, ChangedInstance>();
  for (const component of others) {
    const replaces = findReplacedDay(component, when, reader);
    if (replaces === undefined || replaces < FIRST_DAY || replaces > LAST_DAY)
      onProblem({ name, why: 'One of its changed occurrences has no valid date', isRefused: true });
    else byDay.set(replaces, { replaces, component });
  }
  return [...byDay.values()];
}

/** Parses an event with its changed days. Returns none, or several if the repeat of changed days is missing. */
export function readFamily(
  family: EventFamily,
  reader: ObjectReader,
  formatSource: SourceFormatter,
): readonly ParsedEvent[] {
  const { uid, master, ownUid } = family;
  if (!master) return toSeparateEvents(family, reader, formatSource);
  const name = readEventName(master, () => undefined);
  if (isCancelled(master, reader)) {
    reader.onProblem({ name, why: CANCELLED_MESSAGE, isRefused: true });
    return [];
  }
  const namedReader = createNamedReader(reader, name);
  const when = findEventTime(master, createSilentReader(namedReader));
  const changedInstances = when ? listChangedDays(family, { when, reader: namedReader, name }, reader.onProblem) : [];
  const parsed = attempt(reader, name, () =>
    parseDraft(
      master,
      namedReader,
      changedInstances.map(({ replaces }) => replaces),
    ),
  );
  if (!parsed) return [];
  const drafts = changedInstances.flatMap(({ replaces, component }) => {
    const isDayCancelled = isCancelled(component, reader);
    const other = isDayCancelled
      ? undefined
      : attempt(reader, name, () => parseDraft(component, namedReader, undefined));
    if (!other && !isDayCancelled) return [];
    return [{ replaces, draft: other?.draft, text: component.text, isLater: isOfLaterDays(component) }];
  });
  const source = formatSource([master.text, ...family.others.map(({ text }) => text)]);
  const parts = attempt(reader, name, () =>
    splitAtLaterChanges({ draft: parsed.draft, text: master.text }, drafts, namedReader.warn),
  );
  if (parts === undefined) return [];
  if (parts === 'cancelled') reader.onProblem({ name, why: CANCELLED_MESSAGE, isRefused: true });
  if (parts === 'cancelled') return [];
  return [ownUid === undefined ? { uid, source, ...parts } : { ...parts, ...replaceUid(master, ownUid, formatSource) }];
}
