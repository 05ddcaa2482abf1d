import type { Day } from '../../events/domain/day.ts';
import type { DurationUnit, RepeatUnit } from '../../events/domain/event.ts';

/** What a stretch of the line was understood as. Where it has more than one meaning the likeliest comes first. */
export type LinePart =
  | { readonly kind: 'date'; readonly days: readonly Day[] }
  /** From a first to a last day. */
  | { readonly kind: 'span'; readonly from: Day; readonly until: Day }
  /** The last day alone: 'until Friday'. */
  | { readonly kind: 'until'; readonly day: Day }
  /** `HH:MM`, or from one to another. */
  | {
      readonly kind: 'time';
      readonly times: readonly TimeRange[];
      /** What may be meant besides, where it is said of a night. */
      readonly nights?: readonly TimeRange[];
    }
  /** From a time of one day to a time of another one. */
  | { readonly kind: 'stretch'; readonly from: Day; readonly times: readonly TimeRange[] }
  /** `HH:MM` of an end alone, whose start stands elsewhere. */
  | { readonly kind: 'ends'; readonly times: readonly string[] }
  /** So long from now: 'in an hour'. */
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'length'; readonly amount: number; readonly unit: DurationUnit | 'minutes' }
  | RepeatPart
  /** What may mean one or the other, the likeliest first; undefined is a part of the name. */
  | { readonly kind: 'either'; readonly options: readonly (LinePart | undefined)[] }
  /** Has a meaning only beside certain others: the first option that fits; otherwise it is part of the name. */
  | { readonly kind: 'maybe'; readonly options: readonly PartOption[] }
  | { readonly kind: 'times'; readonly times: number }
  /** Days of the week that a repeat leaves out. */
  | { readonly kind: 'except'; readonly weekdays: readonly number[] }
  | { readonly kind: 'tag'; readonly name: string }
  /** Words in quotes are the name, whatever they say. */
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'allDay' }
  | { readonly kind: 'wrong'; readonly why: string };

export interface RepeatPart {
  readonly kind: 'repeat';
  readonly every: number;
  readonly unit: RepeatUnit;
  /** The value of `RRULE`, where the unit alone does not say on which days. */
  readonly rule?: string;
  /** The first day of the repeat on a day or later; without it that day itself. */
  readonly first?: (from: Day) => Day;
  /** An adjective such as 'weekly', which may belong to the name. */
  readonly isAdjective?: boolean;
  /** How often in all, where the words mean no more. */
  readonly times?: number;
}

/** Half of the day that is meant beside a day: 'tonight', 'tomorrow morning'. */
export type DayHalf = 'am' | 'pm';

export interface TimeRange {
  readonly time: string;
  readonly endTime?: string;
  /** Days from the one of the time to that of its end; left out, none. */
  readonly endDays?: number;
  /** Days from the one that is said to that of the time: 'tonight at 1' is one later. */
  readonly later?: number;
}

/** A stretch of the line and what it means. */
export interface FoundPart {
  readonly start: number;
  readonly end: number;
  readonly part: LinePart;
  readonly half?: DayHalf | undefined;
  /** The time of a part of the day that is named without one: 'tonight', 'Saturday night'. */
  readonly usual?: string | undefined;
}

/** What stands around a stretch of the line. */
export interface Neighbours {
  /** Directly before and behind it, with nothing but punctuation and a preposition between. */
  readonly left: FoundPart | undefined;
  readonly right: FoundPart | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Whether the line says something of that kind elsewhere. */
  readonly has: (...kinds: readonly LinePart['kind'][]) => boolean;
}

/** A meaning of a 'maybe', and when it has it. */
export interface PartOption {
  readonly end: number;
  readonly part: LinePart;
  readonly fits: (neighbours: Neighbours) => boolean;
}

export type Of<Kind extends LinePart['kind']> = Extract<LinePart, { readonly kind: Kind }>;
export function partsOf<Kind extends LinePart['kind']>(found: readonly FoundPart[], kind: Kind): readonly Of<Kind>[] {
  return found.flatMap(({ part }) => (part.kind === kind ? [part as Of<Kind>] : []));
}

/** Reads at one place of the line: what stands there, and where it ends; undefined where it is something else. */
export type Reader = (
  line: string,
  at: number,
  today: Day,
) => Pick<FoundPart, 'end' | 'part' | 'half' | 'usual'> | undefined;

/** No letter, no figure, and no owner: 'Sunday's best'. */
const WORD_END = "(?![\\p{L}\\p{N}]|['’]s(?!\\p{L}))";
const expressionBySource = new Map<string, RegExp>();

/** A match that begins exactly at `at` and ends with a word. */
export function matchAt(pattern: RegExp | string, line: string, at: number): RegExpExecArray | undefined {
  const source = typeof pattern === 'string' ? pattern : pattern.source;
  let sticky = expressionBySource.get(source);
  if (sticky === undefined) {
    sticky = new RegExp(`(?:${source})${WORD_END}`, 'iuy');
    expressionBySource.set(source, sticky);
  }
  sticky.lastIndex = at;
  return sticky.exec(line) ?? undefined;
}

/** A match: where it ends, its text and its named groups; one that took no part is empty. */
export interface Match {
  readonly end: number;
  readonly text: string;
  readonly word: (name: string) => string;
}

export function wordsAt(pattern: RegExp | string, line: string, at: number): Match | undefined {
  const found = matchAt(pattern, line, at);
  return found && { end: at + found[0].length, text: found[0], word: (name) => found.groups?.[name] ?? '' };
}

/** The match of the first pattern that has one. */
export function firstMatch(patterns: readonly string[], line: string, at: number): Match | undefined {
  for (const pattern of patterns) {
    const match = wordsAt(pattern, line, at);
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
    const match = wordsAt(pattern, line, at);
    const found = match && read(match, today, line);
    return found && 'kind' in found ? { end: match.end, part: found } : found;
  };
}

/** Read as the first of its options that fits; where none does, it is a part of the name. */
export function maybe(...options: readonly PartOption[]): { readonly end: number; readonly part: LinePart } {
  return {
    end: Math.max(...options.map(({ end }) => end)),
    part: { kind: 'maybe', options },
  };
}

/** Whether no noun follows that it would count or describe. */
export function isClosing({ right, isLast }: Neighbours): boolean {
  return isLast || right !== undefined;
}

/** Whether a repeat is said whose days are not bounded yet. */
export function isOpenRepeat({ has }: Neighbours): boolean {
  return has('repeat') && !has('date', 'span', 'until');
}

/** What may as well be a part of the name. */
export function orName(part: LinePart): LinePart {
  return { kind: 'either', options: [part, undefined] };
}

/** Whether 'before', 'after' or 'since' stands there: 'before Friday' is no day of its own. */
export function isBehindBound(line: string, at: number): boolean {
  return /(?:^|\s)(?:before|after|since)(?: the)? $/iu.test(line.slice(Math.max(0, at - 12), at));
}

/** What the first reader that knows the place says of it. */
export function firstOf(readers: readonly Reader[], line: string, at: number, today: Day): ReturnType<Reader> {
  for (const read of readers) {
    const found = read(line, at, today);
    if (found) return found;
  }
  return undefined;
}

export function wrong(why: string): LinePart {
  return { kind: 'wrong', why };
}

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
/** A count in a pattern: digits or a word. */
export const COUNT = `\\d{1,6}|an?|${NUMBERS.join('|')}`;
export function countOf(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  if (/^a (?:couple|few)/i.test(text)) return /few/i.test(text) ? 3 : 2;
  const word = NUMBERS.indexOf(text.toLowerCase());
  return word < 0 ? 1 : word + 1;
}
