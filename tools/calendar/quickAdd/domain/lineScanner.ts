import type { Day } from '#platform/contract/day.ts';
import type { DurationUnit, RepeatUnit } from '../../events/domain/event.ts';

/** The meaning of a section of the line. If there are several, the most likely comes first. */
export type LinePart =
  | { readonly kind: 'date'; readonly days: readonly Day[] }
  /** From a first to a last day. */
  | { readonly kind: 'span'; readonly from: Day; readonly until: Day }
  /** Only the last day: 'until Friday'. */
  | { readonly kind: 'until'; readonly day: Day }
  /** `HH:MM`, or a range. */
  | {
      readonly kind: 'time';
      readonly times: readonly TimeRange[];
      /** Further possible times if the line says that it is night. */
      readonly nights?: readonly TimeRange[];
    }
  /** From a time of one day to a time of another day. */
  | { readonly kind: 'stretch'; readonly from: Day; readonly times: readonly TimeRange[] }
  /** `HH:MM` of an end whose start is elsewhere in the line. */
  | { readonly kind: 'ends'; readonly times: readonly string[] }
  /** Relative to now: 'in an hour'. */
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'length'; readonly amount: number; readonly unit: DurationUnit | 'minutes' }
  | RepeatPart
  /** An ambiguous section, the most likely meaning first. Undefined is part of the name. */
  | { readonly kind: 'either'; readonly options: readonly (LinePart | undefined)[] }
  /** Depends on its neighbours: the first option that fits, or else part of the name. */
  | { readonly kind: 'maybe'; readonly options: readonly PartOption[] }
  | { readonly kind: 'times'; readonly times: number }
  /** Weekdays that are exceptions of a repeat. */
  | { readonly kind: 'except'; readonly weekdays: readonly number[] }
  | { readonly kind: 'tag'; readonly name: string }
  /** Quoted words are always the name. */
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'allDay' }
  | { readonly kind: 'wrong'; readonly why: string };

export interface RepeatPart {
  readonly kind: 'repeat';
  readonly every: number;
  readonly unit: RepeatUnit;
  /** The value of `RRULE`, if the unit alone doesn't determine the days. */
  readonly rule?: string;
  /** Returns the first day of the repeat on or after a day. If omitted, it is that day itself. */
  readonly first?: (from: Day) => Day;
  /** Whether it is an adjective such as 'weekly', which may belong to the name. */
  readonly isAdjective?: boolean;
  /** Total number of occurrences, if the words mean nothing else. */
  readonly times?: number;
}

/** The half of a day that is meant next to a day: 'tonight', 'tomorrow morning'. */
export type DayHalf = 'am' | 'pm';

export interface TimeRange {
  readonly time: string;
  readonly endTime?: string;
  /** Days from the start to the end; defaults to 0. */
  readonly endDays?: number;
  /** Days from the named day to the day of the time: 1 for 'tonight at 1'. */
  readonly later?: number;
}

/** A section of the line and its meaning. */
export interface LineSection {
  readonly start: number;
  readonly end: number;
  readonly part: LinePart;
  readonly half?: DayHalf | undefined;
  /** The usual time of a part of the day that is named without a time: 'tonight', 'Saturday night'. */
  readonly usual?: string | undefined;
}

/** What surrounds a section of the line. */
export interface Neighbours {
  /** Directly before and after it, separated by nothing but punctuation and a preposition. */
  readonly left: LineSection | undefined;
  readonly right: LineSection | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Whether another part of the line is of one of these kinds. */
  readonly has: (...kinds: readonly LinePart['kind'][]) => boolean;
}

/** A meaning of a 'maybe', and its condition. */
export interface PartOption {
  readonly end: number;
  readonly part: LinePart;
  readonly fits: (neighbours: Neighbours) => boolean;
}

export type PartOfKind<Kind extends LinePart['kind']> = Extract<LinePart, { readonly kind: Kind }>;
export function listParts<Kind extends LinePart['kind']>(
  parts: readonly LineSection[],
  kind: Kind,
): readonly PartOfKind<Kind>[] {
  return parts.flatMap(({ part }) => (part.kind === kind ? [part as PartOfKind<Kind>] : []));
}

/** Reads at one position of the line. Returns the meaning and its end, or undefined if there is no match. */
export type Reader = (
  line: string,
  at: number,
  today: Day,
) => Pick<LineSection, 'end' | 'part' | 'half' | 'usual'> | undefined;

/** End of a word: no letter, digit or possessive ('Sunday's best') follows. */
const WORD_END = "(?![\\p{L}\\p{N}]|['’]s(?!\\p{L}))";
const expressionBySource = new Map<string, RegExp>();

/** Matches exactly at `at`, up to the end of a word. */
export function matchAt(pattern: RegExp | string, line: string, at: number): RegExpExecArray | undefined {
  const source = typeof pattern === 'string' ? pattern : pattern.source;
  let expression = expressionBySource.get(source);
  if (expression === undefined) {
    expression = new RegExp(`(?:${source})${WORD_END}`, 'iuy');
    expressionBySource.set(source, expression);
  }
  expression.lastIndex = at;
  return expression.exec(line) ?? undefined;
}

/** A match: its end, its text and its named groups. A group that did not match is empty. */
export interface Match {
  readonly end: number;
  readonly text: string;
  readonly word: (name: string) => string;
}

export function matchWordsAt(pattern: RegExp | string, line: string, at: number): Match | undefined {
  const match = matchAt(pattern, line, at);
  return match && { end: at + match[0].length, text: match[0], word: (name) => match.groups?.[name] ?? '' };
}

/** Returns the match of the first pattern that matches. */
export function findFirstMatch(patterns: readonly string[], line: string, at: number): Match | undefined {
  for (const pattern of patterns) {
    const match = matchWordsAt(pattern, line, at);
    if (match) return match;
  }
  return undefined;
}

/** Creates the reader of one pattern. `read` returns what a match means, or undefined for no match. */
export function createReader(
  pattern: RegExp | string,
  read: (match: Match, today: Day, line: string) => LinePart | ReturnType<Reader>,
): Reader {
  return (line, at, today) => {
    const match = matchWordsAt(pattern, line, at);
    const result = match && read(match, today, line);
    return result && 'kind' in result ? { end: match.end, part: result } : result;
  };
}

/** Creates a part that is the first option that fits, or else part of the name. */
export function createOptionalPart(...options: readonly PartOption[]): {
  readonly end: number;
  readonly part: LinePart;
} {
  return { end: Math.max(...options.map(({ end }) => end)), part: { kind: 'maybe', options } };
}

/** Whether no noun follows that the section would count or describe. */
export function isClosing({ right, isLast }: Neighbours): boolean {
  return isLast || right !== undefined;
}

/** Whether the line has a repeat without a bound. */
export function isOpenRepeat({ has }: Neighbours): boolean {
  return has('repeat') && !has('date', 'span', 'until');
}

/** Makes a part ambiguous with the name. */
export function toPartOrName(part: LinePart): LinePart {
  return { kind: 'either', options: [part, undefined] };
}

/** Whether 'before', 'after' or 'since' precedes: 'before Friday' is no day of its own. */
export function followsBound(line: string, at: number): boolean {
  return /(?:^|\s)(?:before|after|since)(?: the)? $/iu.test(line.slice(Math.max(0, at - 12), at));
}

/** Returns the result of the first reader that matches. */
export function readFirst(readers: readonly Reader[], line: string, at: number, today: Day): ReturnType<Reader> {
  for (const read of readers) {
    const result = read(line, at, today);
    if (result) return result;
  }
  return undefined;
}

export function createWrongPart(why: string): LinePart {
  return { kind: 'wrong', why };
}

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
/** Pattern of a count: digits or a word. */
export const COUNT = `\\d{1,6}|an?|${NUMBERS.join('|')}`;
export function parseCount(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  if (/^a (?:couple|few)/i.test(text)) return /few/i.test(text) ? 3 : 2;
  const word = NUMBERS.indexOf(text.toLowerCase());
  return word < 0 ? 1 : word + 1;
}
