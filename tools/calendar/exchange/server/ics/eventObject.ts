import { FIRST_DAY, LAST_DAY, toIso, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { toLocalDay } from '#tools/calendar/events/domain/day.ts';
import type { EventDraft } from '#tools/calendar/events/domain/event.ts';
import { normalizeDraft } from '#tools/calendar/events/domain/eventDraft.ts';
import { escapeText, foldLine } from '../../domain/icsText.ts';
import { findLine, listLines, getRawText, isOlder, type Component } from './contentLines.ts';
import { convertToZone, parseTimeList, toDayMs } from './dateTime.ts';
import { readEventDescription, readEventName, readEventTags } from './eventTexts.ts';
import { findEventTime, type EventTime } from './eventTime.ts';
import { splitAtLaterChanges, type EventParts } from './laterChanges.ts';
import { UnsupportedEventError, readPatternFields, type PatternReader } from './readPattern.ts';

/** An event of a file. */
export interface ParsedEvent extends EventParts {
  readonly uid: string;
  /** A complete calendar object with the components of the event, unchanged. */
  readonly source: string;
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

interface ReplacedDay {
  readonly day: Day;
  /** The same for the same moment. */
  readonly key: string;
}

/** Returns the repeat's own day that a changed day replaces. */
function findReplacedDay(
  component: Component,
  master: EventTime | undefined,
  reader: PatternReader,
): ReplacedDay | undefined {
  const [original] = parseTimeList(findLine(component, 'RECURRENCE-ID') ?? '', reader);
  if (!original) return undefined;
  const zone = master ? master.start.zone : reader.home;
  const localMs = master?.start.isDate === true ? toDayMs(original, reader.home) : convertToZone(original, zone);
  return { day: toLocalDay(localMs), key: original.isDate ? `day ${localMs}` : `time ${localMs}` };
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

/** Selects the latest version of each changed day. */
function selectLatestChanges({ others }: EventFamily, reader: ObjectReader): readonly Component[] {
  const silentReader = createSilentReader(createNamedReader(reader, ''));
  const byKey = new Map<string, Component>();
  for (const [index, component] of others.entries()) {
    const key = findReplacedDay(component, undefined, silentReader)?.key ?? String(index);
    const other = byKey.get(key);
    if (!other || !isOlder(component, other)) byKey.set(key, component);
  }
  return [...byKey.values()];
}

/** Converts changed days without their repeat to events of their own. */
function toSeparateEvents(
  family: EventFamily,
  reader: ObjectReader,
  formatSource: SourceFormatter,
): readonly ParsedEvent[] {
  const { uid } = family;
  const days = new Set<Day>();
  return selectLatestChanges(family, reader).flatMap((component) => {
    const name = readEventName(component, () => undefined);
    const namedReader = createNamedReader(reader, name);
    if (isCancelled(component, reader)) {
      reader.onProblem({ name, why: CANCELLED_MESSAGE, isRefused: true });
      return [];
    }
    const parsed = attempt(reader, name, () => parseDraft(component, namedReader, undefined));
    if (!parsed) return [];
    const day = findReplacedDay(component, undefined, createSilentReader(namedReader))?.day ?? parsed.when.day;
    const ownUid = days.has(day) ? `${uid}-${getRawText(component, 'RECURRENCE-ID').trim()}` : `${uid}-${toIso(day)}`;
    days.add(day);
    return [{ ...replaceUid(component, ownUid, formatSource), draft: parsed.draft, overrides: [] }];
  });
}

export type SourceFormatter = (texts: readonly string[]) => string;

/** Whether a change of one day also changes all later days (RFC 5545 section 3.2.13). */
const isOfLaterDays = (component: Component): boolean =>
  /^[^:]*;RANGE="?THISANDFUTURE/i.test(findLine(component, 'RECURRENCE-ID') ?? '');

/** Whether it also changes all earlier days, which older clients could send (RFC 2445 section 4.2.13). */
const isOfEarlierDays = (component: Component): boolean =>
  /^[^:]*;RANGE="?THISANDPRIOR/i.test(findLine(component, 'RECURRENCE-ID') ?? '');

interface ChangedInstance {
  readonly replaces: Day;
  readonly component: Component;
  /** The same for the same moment. */
  readonly key: string;
}

const SAME_DAY_MESSAGE = 'Several of its changed occurrences are on one day. Only one of them is shown';
const EARLIER_DAYS_MESSAGE = 'A change of all earlier occurrences is not supported. Only one day is changed';

interface MasterReader {
  readonly when: EventTime;
  readonly reader: PatternReader;
  readonly name: string;
}

/** Reads which day a component changes. Undefined if that day or the new one is not valid. */
function findChangedInstance(
  component: Component,
  { when, reader }: MasterReader,
  objectReader: ObjectReader,
): ChangedInstance | undefined {
  const replaced = findReplacedDay(component, when, reader);
  if (!replaced || replaced.day < FIRST_DAY || replaced.day > LAST_DAY) return undefined;
  if (!isCancelled(component, objectReader) && !findEventTime(component, createSilentReader(reader))) return undefined;
  if (isOfEarlierDays(component)) reader.warn(EARLIER_DAYS_MESSAGE);
  return { replaces: replaced.day, component, key: replaced.key };
}

function listChangedDays(
  { others }: EventFamily,
  master: MasterReader,
  objectReader: ObjectReader,
): readonly ChangedInstance[] {
  const { name, reader } = master;
  const byDay = new Map<Day, ChangedInstance>();
  for (const component of others) {
    const instance = findChangedInstance(component, master, objectReader);
    if (!instance) {
      objectReader.onProblem({ name, why: 'One of its changed occurrences has no valid date', isRefused: true });
      continue;
    }
    const other = byDay.get(instance.replaces);
    const isSame = other?.key === instance.key;
    if (other && !isSame) reader.warn(SAME_DAY_MESSAGE);
    if (!other || !isSame || !isOlder(component, other.component)) byDay.set(instance.replaces, instance);
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
  const changedInstances = when ? listChangedDays(family, { when, reader: namedReader, name }, reader) : [];
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
