import { LAST_DAY, type Day } from '#platform/contract/day.ts';
import type { CalendarEvent, EventDraft, DayPattern } from '#tools/calendar/events/domain/event.ts';
import { sortUniqueDays } from '#tools/calendar/events/domain/eventDraft.ts';
import { findNextStart } from '#tools/calendar/repeat/domain/placement.ts';
import { foldLine, formatIcsDay, formatIcsInstant } from '../../domain/icsText.ts';
import {
  formatChangeLines,
  formatDayLines,
  formatDescriptionLines,
  formatEventLines,
  formatIcs,
  formatNameLine,
  isRepeating,
  formatTagLines,
  formatTimeLines,
} from '../../domain/icsWriter.ts';
import { formatZones } from '../../domain/icsZone.ts';
import { parseComponent, findLine, getRawText, getName, parsePropertyLine, getRawValue } from './contentLines.ts';
import { findZoneId } from './dateTime.ts';
import { readObject, type ParsedEvent } from './readIcs.ts';

const toComparableUntil = (until: {
  readonly type: string;
  readonly day?: number;
  readonly times?: number;
}): unknown => [until.type, until.day ?? until.times ?? 0];

/** Ignores the computed days of foreign rules, which depend on the day of computation. The rule is compared instead. */
function toComparablePattern(pattern: DayPattern): unknown {
  if (pattern.kind === 'foreign') return pattern.rule;
  if (pattern.kind === 'duration') return [pattern.duration.amount, pattern.duration.unit];
  if (pattern.kind === 'single') return undefined;
  const { every, unit, from, until } = pattern.repeat;
  return [every, unit, from.type === 'forever' ? from.type : [from.type, from.day], toComparableUntil(until)];
}

/** Serializes the time of an event for comparison, without exceptions. */
export function serializeTime({ day, time, endTime, endDays, zone, pattern }: EventDraft): string {
  return JSON.stringify([day, time, endTime, endDays ?? 0, zone, pattern.kind, toComparablePattern(pattern)]);
}

/** Serializes an event for comparison. */
export function serializeEvent(draft: EventDraft): string {
  const { name, description, exceptions, tags, pinned } = draft;
  return JSON.stringify([name, description, serializeTime(draft), exceptions, tags, pinned]);
}

const TIME_PROPERTIES = ['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'EXRULE', 'X-PEGBOARD-PATTERN'];

/** Lines of a component to remove, by name, and lines to insert instead. */
interface ComponentEdit {
  readonly names: readonly string[];
  readonly lines: readonly string[];
}

/** The notation of the days in the source, as its repeat's start has it. */
interface Anchor {
  /** `;TZID=Europe/Berlin`, as written. */
  readonly parameters: string;
  /** `T090000Z`; '' for whole days. */
  readonly clock: string;
}

function findAnchor(text: string): Anchor {
  const line = findLine(parseComponent(text), 'DTSTART') ?? '';
  const value = getRawValue(line);
  return { parameters: line.slice('DTSTART'.length, line.length - value.length - 1), clock: value.slice(8) };
}

const formatDays = (name: string, days: readonly Day[], { parameters, clock }: Anchor): readonly string[] =>
  days.length === 0 ? [] : [`${name}${parameters}:${days.map((day) => formatIcsDay(day) + clock).join(',')}`];

/** Returns the source's name of the event's zone. Undefined if the source doesn't name it. */
function findZoneName({ text, draft }: ParsedEvent, event: CalendarEvent): string | undefined {
  const property = parsePropertyLine(findLine(parseComponent(text), 'DTSTART') ?? '');
  return property && draft.zone === event.zone ? findZoneId(property) : undefined;
}

/** Replaces the zone of lines by the source's name. */
const renameZone = (lines: readonly string[], name: string | undefined): readonly string[] =>
  name === undefined
    ? lines
    : lines.map((line) =>
        line.replace(
          /^([A-Z-]+);TZID=[^:]+:/,
          (_whole, key: string) => `${key};TZID=${/[:;,]/.test(name) ? `"${name}"` : name}:`,
        ),
      );

/** Replaces lines of a component. Its parts (alarms) and all other lines stay unchanged. */
function applyEdits(text: string, edits: readonly ComponentEdit[]): string {
  const removedNames = new Set(edits.flatMap(({ names }) => names));
  const lines = text.match(/[^\n]*\n(?:[ \t][^\n]*\n)*/g) ?? [];
  let depth = 0;
  const remainingLines = lines.filter((line) => {
    const name = getName(line.replaceAll(/\r?\n[ \t]/g, ''));
    if (name === 'BEGIN') depth += 1;
    const isRemoved = depth === 1 && removedNames.has(name);
    if (name === 'END') depth -= 1;
    return !isRemoved;
  });
  const [begin = '', ...rest] = remainingLines;
  return [begin, ...edits.flatMap((edit) => edit.lines.map(foldLine)), ...rest].join('');
}

function createTextEdits(theirs: EventDraft, ours: EventDraft): readonly ComponentEdit[] {
  const edits: ComponentEdit[] = [];
  if (theirs.name !== ours.name) edits.push({ names: ['SUMMARY'], lines: [formatNameLine(ours)] });
  if (theirs.description !== ours.description)
    edits.push({ names: ['DESCRIPTION'], lines: formatDescriptionLines(ours) });
  const isPinned = theirs.pinned !== ours.pinned;
  if (isPinned || theirs.tags.join(',') !== ours.tags.join(',')) {
    const names = ['CATEGORIES', ...(isPinned ? ['PRIORITY', 'X-PEGBOARD-PINNED'] : [])];
    edits.push({ names, lines: formatTagLines(ours).filter((line) => names.includes(getName(line))) });
  }
  return edits;
}

function createVersionEdit(text: string, event: CalendarEvent): ComponentEdit {
  const before = Number(getRawText(parseComponent(text), 'SEQUENCE'));
  const sequence = Math.max(event.revision, Number.isSafeInteger(before) ? before + 1 : 0);
  const lines = formatChangeLines({ ...event, revision: sequence });
  return {
    names: ['LAST-MODIFIED', 'SEQUENCE', 'DTSTAMP'],
    lines: [...lines, `DTSTAMP:${formatIcsInstant(event.edited)}`],
  };
}

const withEdits = (text: string, event: CalendarEvent, edits: readonly ComponentEdit[]): string =>
  edits.length === 0 ? text : applyEdits(text, [...edits, createVersionEdit(text, event)]);

/** The repeat that changed days belong to. */
interface PatchedRepeat {
  readonly event: CalendarEvent;
  /** Whether its start and rule are rewritten. */
  readonly isMoved: boolean;
  readonly anchor: Anchor;
  readonly zoneName: string | undefined;
}

const formatRecurrenceId = ({ event, isMoved, anchor, zoneName }: PatchedRepeat, day: Day): readonly string[] =>
  isMoved
    ? renameZone(formatDayLines('RECURRENCE-ID', [day], event), zoneName)
    : formatDays('RECURRENCE-ID', [day], anchor);

/** A repeat that changes another one from a day on is written as the change of that day. */
const toFirstDay = (child: CalendarEvent): CalendarEvent =>
  isRepeating(child)
    ? { ...child, day: findNextStart(child, child.day) ?? child.day, pattern: { kind: 'single' }, exceptions: [] }
    : child;

function formatChild(
  repeat: PatchedRepeat,
  child: CalendarEvent,
  day: Day,
  theirs: ParsedEvent['overrides'][number] | undefined,
) {
  const [line] = formatRecurrenceId(repeat, day);
  if (!theirs) return formatEventLines(child, { uid: repeat.event.uid, recurrence: line }).map(foldLine).join('');
  const when: readonly ComponentEdit[] =
    serializeTime(theirs.draft) === serializeTime(child)
      ? []
      : [{ names: TIME_PROPERTIES, lines: formatTimeLines(toFirstDay(child), child.created) }];
  const recurrenceIdEdits: readonly ComponentEdit[] = repeat.isMoved
    ? [{ names: ['RECURRENCE-ID'], lines: line === undefined ? [] : [line] }]
    : [];
  return withEdits(theirs.text, child, [...createTextEdits(theirs.draft, child), ...when, ...recurrenceIdEdits]);
}

function createTimeEdits(
  theirs: ParsedEvent,
  repeat: PatchedRepeat,
  replaced: readonly Day[],
): readonly ComponentEdit[] {
  const { event, isMoved, anchor, zoneName } = repeat;
  if (isMoved)
    return [{ names: TIME_PROPERTIES, lines: renameZone(formatTimeLines(event, event.created, replaced), zoneName) }];
  const replacedDays = new Set(replaced);
  const others = new Set(theirs.overrides.map(({ replaces }) => replaces));
  const exceptionDays = sortUniqueDays(event.exceptions.filter((day) => !replacedDays.has(day) && day <= LAST_DAY));
  const before = sortUniqueDays(theirs.draft.exceptions.filter((day) => !others.has(day)));
  return exceptionDays.join() === before.join()
    ? []
    : [{ names: ['EXDATE'], lines: formatDays('EXDATE', exceptionDays, anchor) }];
}

/**
 * Applies changes to the object that another calendar sent. Everything else (alarms, attendees, unknown properties)
 * stays unchanged. `zone` is the account's zone, in which the source was read.
 */
export function patchSource(
  source: string,
  event: CalendarEvent,
  children: readonly CalendarEvent[],
  zone: string,
): string {
  const theirs = readObject(source, { zone }).events[0];
  if (!theirs) return formatIcs([event, ...children]);
  const texts = [theirs.text, theirs.replacedText ?? '', ...theirs.overrides.map(({ text }) => text)];
  // The reader has repaired the object (line ends, a missing end), so the repaired one is patched.
  if (!texts.every((text) => source.includes(text)))
    return source === theirs.source
      ? formatIcs([event, ...children])
      : patchSource(theirs.source, event, children, zone);
  const changed = isRepeating(event) ? children.filter(({ replaces }) => replaces !== undefined) : [];
  const { replacedText } = theirs;
  // A change that replaces the event is written as the event.
  const isMoved = replacedText !== undefined || serializeTime(theirs.draft) !== serializeTime(event);
  const zoneName = event.time === undefined ? undefined : findZoneName(theirs, event);
  const repeat: PatchedRepeat = { event, isMoved, anchor: findAnchor(theirs.text), zoneName };
  const replaced = changed.flatMap(({ replaces }) => replaces ?? []);

  const recurrenceIdEdits: readonly ComponentEdit[] =
    replacedText === undefined ? [] : [{ names: ['RECURRENCE-ID'], lines: [] }];
  const edits = [
    ...createTextEdits(theirs.draft, event),
    ...createTimeEdits(theirs, repeat, replaced),
    ...recurrenceIdEdits,
  ];
  let object = source.replace(replacedText ?? '', '').replace(theirs.text, () => withEdits(theirs.text, event, edits));
  const byDay = new Map(changed.map((child) => [child.replaces, child]));
  // If the event was moved, so were the days that its changed days replace.
  const isShifted = theirs.overrides.some(({ replaces }) => !byDay.has(replaces));
  const days = isShifted ? event.day - theirs.draft.day : 0;
  for (const other of theirs.overrides) {
    const day = other.replaces + days;
    const child = byDay.get(day);
    byDay.delete(day);
    object = object.replace(other.text, () => (child ? formatChild(repeat, child, day, other) : ''));
  }
  const added = [...byDay].map(([day, child]) => (day === undefined ? '' : formatChild(repeat, child, day, undefined)));
  const end = object.lastIndexOf('END:VCALENDAR');
  const whole = object.slice(0, end) + added.join('');
  const isNamed = (name: string | undefined): boolean => new RegExp(`^TZID:${name}\\s*$`, 'm').test(whole);
  const isNew = (name: string | undefined): boolean =>
    whole.includes(`;TZID=${name}:`) && !source.includes(`;TZID=${name}:`) && !isNamed(name);
  const zones = [event, ...changed].filter(({ zone: name }) => isNew(name));
  return whole + formatZones(zones) + object.slice(end);
}
