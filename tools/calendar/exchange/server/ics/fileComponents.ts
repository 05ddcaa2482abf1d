import { Refusal } from '#platform/contract/refusal.ts';
import { getName, getRawValue } from './contentLines.ts';

/** A file that was split into its components. They are not parsed yet. */
export interface FileComponents {
  /** Content lines of the calendar itself, such as its name and program. */
  readonly head: readonly string[];
  /** Each `VEVENT` as written, without the components around it. */
  readonly events: readonly string[];
  readonly zones: readonly string[];
  /** Number of components that are no events (tasks, journals), by name. */
  readonly others: ReadonlyMap<string, number>;
  /** Number of events that can't be read, by reason. */
  readonly refused: ReadonlyMap<string, number>;
}

/** Maximum nesting depth: the calendar is one level, each component another. */
const MAX_DEPTH = 8;
const MAX_COMPONENT_LENGTH = 512 * 1024;
const MAX_HEAD_LINES = 200;
const MAX_ZONES = 300;
const LINES_PER_STEP = 500;

export const NOT_A_CALENDAR_MESSAGE = 'This is not a calendar file. Choose an .ics file';
const TOO_LARGE_MESSAGE = 'Events of more than 512 KB are not supported';
const TOO_DEEP_MESSAGE = 'Events with too many nested parts are not supported';
const TRUNCATED_MESSAGE = 'The file ends in the middle of an event';

/** Components that are never parts of each other. */
const TOP_COMPONENTS = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE']);

interface OpenComponent {
  readonly name: string;
  readonly from: number;
  /** Names of its open parts, the innermost last. */
  readonly parts: string[];
}

interface LineMark {
  readonly from: number;
  /** The position after the line end. */
  readonly to: number;
  /** Name of the component that starts or ends here. */
  readonly begins?: string;
  readonly ends?: string;
  /** The line if it is neither a start nor an end of a component, cut to the length that matters. */
  readonly line: string;
}

const MAX_MARK_LENGTH = 1000;

const isFold = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';
/** Checks the first letter of `BEGIN` and `END`, in either case. */
const canBeMark = (text: string, at: number): boolean => 'BEbe'.includes(text.charAt(at));

/** Returns the end of the line that starts at `from`. A line that may start or end a component includes its folds. */
function findEndOfLine(text: string, from: number): number {
  let newline = text.indexOf('\n', from);
  if (canBeMark(text, from))
    while (newline !== -1 && isFold(text, newline + 1)) newline = text.indexOf('\n', newline + 1);
  return newline === -1 ? text.length : newline + 1;
}

function parseMark(text: string, from: number, to: number): LineMark {
  const line = text.slice(from, Math.min(to, from + MAX_MARK_LENGTH));
  if (!canBeMark(text, from)) return { from, to, line: line.trimEnd() };
  const whole = line.replaceAll(/\r?\n[ \t]/g, '').trimEnd();
  const mark = /^(BEGIN|END):[ \t]*([\w-]{1,60})$/i.exec(whole);
  const name = mark?.[2]?.toUpperCase() ?? '';
  if (!mark) return { from, to, line: whole };
  return mark[1]?.toUpperCase() === 'BEGIN' ? { from, to, begins: name, line: '' } : { from, to, ends: name, line: '' };
}

function* iterateMarks(text: string): Generator<LineMark, void, undefined> {
  for (let from = 0; from < text.length;) {
    const to = findEndOfLine(text, from);
    yield parseMark(text, from, to);
    from = to;
  }
}

const isContentLine = (line: string): boolean => getName(line) !== '' && getRawValue(line) !== '';

/** State while a file is split. */
interface SplitState {
  readonly text: string;
  readonly maxEvents: number;
  readonly head: string[];
  readonly events: string[];
  readonly zones: string[];
  readonly others: Map<string, number>;
  readonly refused: Map<string, number>;
  isCalendar: boolean;
  /** The open component, and the maximum depth in it. */
  open: OpenComponent | undefined;
  deepest: number;
}

const increment = (map: Map<string, number>, name: string): void => void map.set(name, (map.get(name) ?? 0) + 1);

function openComponent(state: SplitState, name: string, from: number): void {
  if (state.open && TOP_COMPONENTS.has(state.open.name) && TOP_COMPONENTS.has(name)) closeUnfinished(state, from);
  if (state.open) {
    state.open.parts.push(name);
    state.deepest = Math.max(state.deepest, state.open.parts.length);
  } else if (name === 'VCALENDAR') state.isCalendar = true;
  else if (state.isCalendar) state.open = { name, from, parts: [] };
}

/** Adds an event. `missingEnds` are the names of components whose end the file lacks. */
function addEvent(
  state: SplitState,
  { from }: OpenComponent,
  { to, missingEnds }: { readonly to: number; readonly missingEnds: readonly string[] },
): void {
  if (state.deepest > MAX_DEPTH) return increment(state.refused, TOO_DEEP_MESSAGE);
  if (to - from > MAX_COMPONENT_LENGTH) return increment(state.refused, TOO_LARGE_MESSAGE);
  state.events.push(state.text.slice(from, to) + missingEnds.map((name) => `END:${name}\r\n`).join(''));
  if (state.events.length > state.maxEvents)
    throw new Refusal(
      'calendar.import_too_many_events',
      `The file has more than ${state.maxEvents.toLocaleString('en')} events. Split it and try again`,
    );
}

function closeComponent(state: SplitState, open: OpenComponent, to: number, missingEnds: readonly string[] = []): void {
  const { zones, text } = state;
  if (open.name === 'VEVENT') addEvent(state, open, { to, missingEnds });
  else if (open.name !== 'VTIMEZONE') increment(state.others, open.name);
  else if (to - open.from <= MAX_COMPONENT_LENGTH && zones.length < MAX_ZONES) zones.push(text.slice(open.from, to));
  state.open = undefined;
  state.deepest = 0;
}

/** Closes the open component before `to`, where a line shows that its end is missing. */
function closeUnfinished(state: SplitState, to: number): void {
  if (state.open) closeComponent(state, state.open, to, [...state.open.parts.toReversed(), state.open.name]);
}

function handleEnd(state: SplitState, name: string, { from, to }: LineMark): void {
  const { open } = state;
  if (!open) return;
  const part = open.parts.lastIndexOf(name);
  if (part >= 0) open.parts.length = part;
  else if (name === open.name && open.parts.length === 0) closeComponent(state, open, to);
  else if (name === open.name || name === 'VCALENDAR') closeUnfinished(state, from);
}

function addLine({ head, open, isCalendar }: SplitState, line: string): void {
  if (!open && isCalendar && head.length < MAX_HEAD_LINES && isContentLine(line)) head.push(line);
}

/** Splits a file into its components. @throws Refusal if it is no calendar, or exceeds a limit */
export function* splitIntoComponents(text: string, maxEvents: number): Generator<unknown, FileComponents, undefined> {
  const state: SplitState = {
    text,
    maxEvents,
    head: [],
    events: [],
    zones: [],
    others: new Map(),
    refused: new Map(),
    isCalendar: false,
    open: undefined,
    deepest: 0,
  };
  let lines = 0;
  for (const mark of iterateMarks(text)) {
    lines += 1;
    if (lines % LINES_PER_STEP === 0) yield undefined;
    if (mark.begins !== undefined) openComponent(state, mark.begins, mark.from);
    else if (mark.ends !== undefined) handleEnd(state, mark.ends, mark);
    else addLine(state, mark.line);
  }
  if (!state.isCalendar) throw new Refusal('calendar.not_a_calendar_file', NOT_A_CALENDAR_MESSAGE);
  if (state.open?.name === 'VEVENT') increment(state.refused, TRUNCATED_MESSAGE);
  return state;
}
