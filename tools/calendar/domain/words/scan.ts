import type { Day } from '../day.ts';
import type { DurationUnit, RepeatUnit } from '../event.ts';

/** What a stretch of the line was understood as. Where it has more than one meaning the likeliest comes first. */
export type Part =
  | { readonly kind: 'date'; readonly days: readonly Day[] }
  /** From a first to a last day. */
  | { readonly kind: 'span'; readonly from: Day; readonly until: Day }
  /** The last day alone: 'until Friday'. */
  | { readonly kind: 'until'; readonly day: Day }
  /** `HH:MM`, or from one to another. */
  | { readonly kind: 'time'; readonly times: readonly TimeRange[] }
  /** So long from now: 'in an hour'. */
  | { readonly kind: 'wait'; readonly minutes: number }
  | { readonly kind: 'length'; readonly amount: number; readonly unit: DurationUnit | 'minutes' }
  | RepeatPart
  /** What may mean one or the other, the likeliest first; undefined is a part of the name. */
  | { readonly kind: 'either'; readonly options: readonly (Part | undefined)[] }
  | { readonly kind: 'times'; readonly times: number }
  | { readonly kind: 'tag'; readonly name: string }
  /** Words in quotes are the name, whatever they say. */
  | { readonly kind: 'name'; readonly text: string }
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
}

/** A stretch of the line and what it means. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly part: Part;
  readonly half?: DayHalf | undefined;
}

/** Reads at one place of the line: what stands there, and where it ends; undefined where it is something else. */
export type Reader = (
  line: string,
  at: number,
  today: Day,
) => { readonly end: number; readonly part: Part } | undefined;

/** A match that begins exactly at `at` and ends with a word. */
export const matchAt = (pattern: RegExp, line: string, at: number): RegExpExecArray | undefined => {
  const sticky = new RegExp(`(?:${pattern.source})(?![\\p{L}\\p{N}])`, 'iuy');
  sticky.lastIndex = at;
  return sticky.exec(line) ?? undefined;
};

/** What the first reader that knows the place says of it. */
export const firstOf = (readers: readonly Reader[], line: string, at: number, today: Day): ReturnType<Reader> => {
  for (const read of readers) {
    const found = read(line, at, today);
    if (found) return found;
  }
  return undefined;
};

export const wrong = (why: string): Part => ({ kind: 'wrong', why });

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
/** A count in a pattern: digits or a word. */
export const COUNT = `\\d{1,6}|an?|${NUMBERS.join('|')}`;
export const countOf = (text: string): number => {
  if (/^\d/.test(text)) return Number(text);
  const word = NUMBERS.indexOf(text.toLowerCase());
  return word < 0 ? 1 : word + 1;
};
