import { createHash } from 'node:crypto';
import type { Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_ICS_BYTES } from '#tools/calendar/contract/events.ts';
import { toLocalDay } from '#tools/calendar/events/domain/day.ts';
import { findNamedZone, getIanaName } from '#tools/calendar/events/domain/timeZone.ts';
import { decodeIcsText } from '../../domain/icsText.ts';
import {
  parseComponent,
  findLine,
  getRawText,
  findText,
  type Component,
  getName,
  getRawValue,
  findTextValue,
  getSequence,
  isOlder,
} from './contentLines.ts';
import { readFamily, type EventFamily, type ObjectReader, type Problem, type ParsedEvent } from './eventObject.ts';
import { readEventName } from './eventTexts.ts';
import { splitIntoComponents, type FileComponents } from './fileComponents.ts';
import { createRuleBudget } from './readPattern.ts';
import { runToEnd, runInTimeSlices } from './timeSlices.ts';
import { createZones, type Zones } from './zones.ts';

export type { Problem, ParsedEvent } from './eventObject.ts';

export interface IcsReadOptions {
  /** IANA name of the account's zone. Times without a known zone are converted to it. */
  readonly zone: string;
  /**
   * Whether times in no zone are in the zone that the file names (`X-WR-TIMEZONE`). CalDAV clients don't use that name.
   */
  readonly usesCalendarZone?: boolean;
  /** The day from which endless rules are computed; defaults to today. */
  readonly today?: Day;
  /** Maximum size and number of events; defaults to 8 MiB and 20,000. */
  readonly bytes?: number;
  readonly events?: number;
}

export interface ParsedIcs {
  /** Name of the calendar, as the file states it. */
  readonly name: string | undefined;
  readonly events: readonly ParsedEvent[];
  /** The first thousand. */
  readonly problems: readonly Problem[];
  /** Number of events, and of changed days, that can't be imported. */
  readonly refused: number;
}

/** Maximum number of events in a file. */
export const MAX_EVENTS_PER_FILE = 20_000;
const MAX_PROBLEMS = 1000;
const MAX_UID_LENGTH = 500;

/** Creates the UID of an event without one. The same event gets the same UID when it is read again. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40);

function getUid(component: Component): string {
  const uid = findText(component, 'UID')?.trim() ?? '';
  return uid === '' || uid.length > MAX_UID_LENGTH ? digest(uid || component.text) : uid;
}

interface ComponentGroup {
  readonly masters: Component[];
  readonly others: Component[];
}

type ProblemListener = ObjectReader['onProblem'];

/** Selects the latest version of each event. Events that only share a UID are distinguished by their start. */
function selectLatest(masters: readonly Component[], onProblem: ProblemListener): readonly Component[] {
  const [first, second] = masters;
  if (first === undefined || second === undefined) return masters;
  const latest = Math.max(...masters.map(getSequence));
  const byStart = new Map<string, Component>();
  for (const component of masters.filter((master) => getSequence(master) === latest)) {
    const start = getRawText(component, 'DTSTART');
    const other = byStart.get(start);
    if (!other || !isOlder(component, other)) byStart.set(start, component);
  }
  const name = readEventName(first, () => undefined);
  if (byStart.size < masters.length)
    onProblem({ name, why: 'It is in the file twice. The later version is used', isRefused: false });
  return [...byStart.values()];
}

/** Groups events and their changed days by UID. */
function* groupFamilies(
  pieces: FileComponents,
  onProblem: ProblemListener,
): Generator<unknown, readonly EventFamily[], undefined> {
  const byUid = new Map<string, ComponentGroup>();
  for (const text of pieces.events) {
    yield undefined;
    const component = parseComponent(text);
    const uid = getUid(component);
    const family = byUid.get(uid) ?? { masters: [], others: [] };
    byUid.set(uid, family);
    const isChange = findLine(component, 'RECURRENCE-ID') !== undefined;
    (isChange ? family.others : family.masters).push(component);
  }
  return [...byUid].flatMap(([uid, { masters, others }]): readonly EventFamily[] => {
    const [master, ...more] = selectLatest(masters, onProblem);
    return [
      { uid, master, others },
      ...more.map((component) => ({
        uid,
        master: component,
        others: [],
        ownUid: `${uid}-${getRawText(component, 'DTSTART')}`,
      })),
    ];
  });
}

const COPIED_HEADER_LINES = new Set(['PRODID', 'CALSCALE']);

/** Creates a calendar object of some of a file's components, with the zones that they name. */
const createSourceFormatter =
  (head: readonly string[], zones: Zones) =>
  (texts: readonly string[]): string => {
    const joinedTexts = texts.join('\n');
    const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...head.filter((line) => COPIED_HEADER_LINES.has(getName(line)))];
    return [...lines, ...zones.listDefinitions(joinedTexts), ...texts, 'END:VCALENDAR', '']
      .map((text) => text.replace(/\r?\n$/, '').replaceAll(/\r?\n/g, '\r\n'))
      .join('\r\n');
  };

const SKIPPED_COMPONENT_NAMES: Readonly<Record<string, string>> = {
  VTODO: 'tasks',
  VJOURNAL: 'journal entries',
  VFREEBUSY: 'free and busy times',
};

function reportOthers(
  { others, refused }: FileComponents,
  onProblem: ProblemListener,
  addProblem: (problem: Problem) => void,
): void {
  for (const [name, count] of others)
    addProblem({
      name: SKIPPED_COMPONENT_NAMES[name] ?? name,
      why: `${count.toLocaleString('en')} skipped: only events are imported`,
    });
  for (const [why, count] of refused)
    for (let index = 0; index < count; index += 1) onProblem({ name: 'An event', why, isRefused: true });
}

function findCalendarName(head: readonly string[]): string | undefined {
  const line = ['X-WR-CALNAME', 'NAME']
    .map((name) => head.find((headLine) => getName(headLine) === name))
    .find(Boolean);
  const name = findTextValue(line)?.replaceAll(/\s+/g, ' ').trim();
  return name ? Array.from(name.slice(0, 400)).slice(0, 100).join('') : undefined;
}

const TIME_LINE_PATTERN = /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)([;:](?:[^\n]|\n[ \t])*)/gim;
const FLOATING_TIMES_PATTERN =
  /^(?!.*(?:TZID=|VALUE="?DATE[":;]))[^:]*:\s*\d{8}T\d{4,6}(?:\/[^,]*)?(?:,\s*\d{8}T\d{4,6}(?:\/[^,]*)?)*\s*$/i;

/** Puts times in no zone into the zone that the calendar names, if it has an IANA name. */
function* applyCalendarZone(pieces: FileComponents, zones: Zones): Generator<unknown, FileComponents, undefined> {
  const line = pieces.head.find((headLine) => getName(headLine) === 'X-WR-TIMEZONE');
  const zone = line === undefined ? undefined : zones.find(findTextValue(line)?.trim() ?? '');
  const name = zone && getIanaName(zone);
  if (name === undefined) return pieces;
  const events: string[] = [];
  for (const text of pieces.events) {
    yield undefined;
    events.push(
      text.replaceAll(TIME_LINE_PATTERN, (whole, property: string, rest: string) =>
        FLOATING_TIMES_PATTERN.test(rest.replaceAll(/\r?\n[ \t]/g, '')) ? `${property};TZID=${name}${rest}` : whole,
      ),
    );
  }
  return { ...pieces, events };
}

/** Whether a file is a message that cancels its events. */
function isCancelling(head: readonly string[]): boolean {
  const methods = head.filter((line) => getName(line) === 'METHOD');
  return methods.length > 0 && methods.every((line) => getRawValue(line).trim().toUpperCase() === 'CANCEL');
}

function* readInSteps(file: string | Uint8Array, options: IcsReadOptions): Generator<unknown, ParsedIcs, undefined> {
  const {
    zone,
    today = toLocalDay(Date.now()),
    bytes = MAX_ICS_BYTES,
    events: maxEvents = MAX_EVENTS_PER_FILE,
  } = options;
  const size = typeof file === 'string' ? Buffer.byteLength(file) : file.byteLength;
  if (size > bytes)
    throw new Refusal(
      'calendar.file_too_large',
      `The file is larger than ${Math.round(bytes / 1024 / 1024)} MB. Export a shorter period`,
    );
  const problems: Problem[] = [];
  let refused = 0;
  const addProblem = (problem: Problem): void => void (problems.length < MAX_PROBLEMS && problems.push(problem));
  const onProblem: ProblemListener = ({ name, why, isRefused }) => {
    if (isRefused) refused += 1;
    addProblem({ name, why });
  };
  const split = yield* splitIntoComponents(decodeIcsText(file), maxEvents);
  yield undefined;
  const home = findNamedZone(zone);
  const zones = createZones(split.zones, home ? [home] : []);
  const pieces = options.usesCalendarZone === true ? yield* applyCalendarZone(split, zones) : split;
  const reader: ObjectReader = {
    zones,
    home,
    today,
    budget: createRuleBudget(),
    onProblem,
    isCancelling: isCancelling(pieces.head),
  };
  const formatSource = createSourceFormatter(pieces.head, zones);
  const events: ParsedEvent[] = [];
  for (const family of yield* groupFamilies(pieces, onProblem)) {
    yield undefined;
    events.push(...readFamily(family, reader, formatSource));
  }
  reportOthers(pieces, onProblem, addProblem);
  return { name: findCalendarName(pieces.head), events, problems, refused };
}

/** Reads an .ics file in slices. @throws Refusal if it is no calendar, or exceeds a limit */
export async function readIcs(file: string | Uint8Array, options: IcsReadOptions): Promise<ParsedIcs> {
  return runInTimeSlices(readInSteps(file, options));
}

/** Reads the object of a single event without pausing, because it is small. @throws as `readIcs` */
export function readObject(file: string | Uint8Array, options: IcsReadOptions): ParsedIcs {
  return runToEnd(readInSteps(file, options));
}
