import { Refusal } from '#platform/contract/refusal.ts';
import { getName, getRawValue } from './contentLines.ts';

/** A file that was split into its components. They are not parsed yet. */
export interface Pieces {
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

export interface CutLimits {
  readonly events: number;
}

/** Maximum nesting depth: the calendar is one level, each component another. */
const MAX_DEPTH = 8;
const COMPONENT_LIMIT = 512 * 1024;
const HEAD_LINES = 200;
const ZONES_LIMIT = 300;
const LINES_PER_TURN = 500;

export const NO_CALENDAR = 'This is not a calendar file. Choose an .ics file';
const TOO_LARGE = 'Events of more than 512 KB are not supported';
const TOO_DEEP = 'Events with too many nested parts are not supported';
const HALF = 'The file ends in the middle of an event';

interface OpenComponent {
  readonly name: string;
  readonly from: number;
}

interface Mark {
  readonly from: number;
  /** The position after the line end. */
  readonly to: number;
  readonly begins?: string;
  readonly ends?: string;
  /** The line if it is neither a start nor an end of a component, cut to the length that matters. */
  readonly line: string;
}

const LOOKED_AT = 1000;

const isFold = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';
/** Checks the first letter of `BEGIN` and `END`, in either case. */
const canBeMark = (text: string, at: number): boolean => 'BEbe'.includes(text.charAt(at));

/** Returns the end of the line that starts at `from`. A line that may start or end a component includes its folds. */
const findEndOfLine = (text: string, from: number): number => {
  let newline = text.indexOf('\n', from);
  if (canBeMark(text, from))
    while (newline !== -1 && isFold(text, newline + 1)) newline = text.indexOf('\n', newline + 1);
  return newline === -1 ? text.length : newline + 1;
};

const parseMark = (text: string, from: number, to: number): Mark => {
  const line = text.slice(from, Math.min(to, from + LOOKED_AT));
  if (!canBeMark(text, from)) return { from, to, line: line.trimEnd() };
  const whole = line.replaceAll(/\r?\n[ \t]/g, '').trimEnd();
  const mark = /^(BEGIN|END):([\w-]{1,60})$/i.exec(whole);
  const name = mark?.[2]?.toUpperCase() ?? '';
  if (!mark) return { from, to, line: whole };
  return mark[1]?.toUpperCase() === 'BEGIN' ? { from, to, begins: name, line: '' } : { from, to, ends: name, line: '' };
};

function* iterateMarks(text: string): Generator<Mark, void, undefined> {
  for (let from = 0; from < text.length;) {
    const to = findEndOfLine(text, from);
    yield parseMark(text, from, to);
    from = to;
  }
}

const isContentLine = (line: string): boolean => getName(line) !== '' && getRawValue(line) !== '';

/** State while a file is split. */
interface IcsSplit {
  readonly text: string;
  readonly most: number;
  readonly head: string[];
  readonly events: string[];
  readonly zones: string[];
  readonly others: Map<string, number>;
  readonly refused: Map<string, number>;
  isCalendar: boolean;
  /** The open component, the current depth in it, and the maximum depth. */
  open: OpenComponent | undefined;
  depth: number;
  deepest: number;
}

const count = (map: Map<string, number>, name: string): void => void map.set(name, (map.get(name) ?? 0) + 1);

const openComponent = (cutting: IcsSplit, name: string, from: number): void => {
  if (cutting.open) {
    cutting.depth += 1;
    cutting.deepest = Math.max(cutting.deepest, cutting.depth);
  } else if (name === 'VCALENDAR') cutting.isCalendar = true;
  else if (cutting.isCalendar) cutting.open = { name, from };
};

const takeEvent = (cutting: IcsSplit, { from }: OpenComponent, to: number): void => {
  if (cutting.deepest > MAX_DEPTH) return count(cutting.refused, TOO_DEEP);
  if (to - from > COMPONENT_LIMIT) return count(cutting.refused, TOO_LARGE);
  cutting.events.push(cutting.text.slice(from, to));
  if (cutting.events.length > cutting.most)
    throw new Refusal(
      'calendar.import_too_many_events',
      `The file has more than ${cutting.most.toLocaleString('en')} events. Split it and try again`,
    );
};

const closeComponent = (cutting: IcsSplit, open: OpenComponent, to: number): void => {
  const { zones, text } = cutting;
  if (open.name === 'VEVENT') takeEvent(cutting, open, to);
  else if (open.name !== 'VTIMEZONE') count(cutting.others, open.name);
  else if (to - open.from <= COMPONENT_LIMIT && zones.length < ZONES_LIMIT) zones.push(text.slice(open.from, to));
  cutting.open = undefined;
  cutting.deepest = 0;
};

const end = (cutting: IcsSplit, name: string, to: number): void => {
  if (!cutting.open) return;
  if (cutting.depth > 0) cutting.depth -= 1;
  else if (name === cutting.open.name) closeComponent(cutting, cutting.open, to);
};

const addLine = ({ head, open, isCalendar }: IcsSplit, line: string): void => {
  if (!open && isCalendar && head.length < HEAD_LINES && isContentLine(line)) head.push(line);
};

/** Splits a file into its components. @throws Refusal if it is no calendar, or exceeds a limit */
export function* cut(text: string, limits: CutLimits): Generator<unknown, Pieces, undefined> {
  const cutting: IcsSplit = {
    text,
    most: limits.events,
    head: [],
    events: [],
    zones: [],
    others: new Map(),
    refused: new Map(),
    isCalendar: false,
    open: undefined,
    depth: 0,
    deepest: 0,
  };
  let lines = 0;
  for (const { from, to, begins, ends, line } of iterateMarks(text)) {
    lines += 1;
    if (lines % LINES_PER_TURN === 0) yield undefined;
    if (begins !== undefined) openComponent(cutting, begins, from);
    else if (ends !== undefined) end(cutting, ends, to);
    else addLine(cutting, line);
  }
  if (!cutting.isCalendar) throw new Refusal('calendar.not_a_calendar_file', NO_CALENDAR);
  if (cutting.open?.name === 'VEVENT') count(cutting.refused, HALF);
  return cutting;
}
