import { type Day, LAST_DAY } from '#platform/contract/day.ts';
import type { DayPattern } from '../../events/domain/event.ts';
import { ONE_TIME_MESSAGE } from './clockTimes.ts';
import { readDate } from './dates.ts';
import { readDayHalf, readAllDay, listTimes } from './dayNames.ts';
import { readLength, readTimes, readWait } from './durations.ts';
import { readHoliday } from './holidays.ts';
import { resolveParts, listInterpretations } from './interpretations.ts';
import {
  createReader,
  readFirst,
  type LineSection,
  type PartOfKind,
  type LinePart,
  listParts,
  type Neighbours,
} from './lineScanner.ts';
import { getEnd, type LineMeaning, createDayPattern } from './readingPattern.ts';
import { readRepeat } from './repeats.ts';
import { readSpan } from './spans.ts';
import { type SpelledLine, expandSpelling } from './spelling.ts';
import { readBareTime, readEnd, readTime } from './times.ts';

/** What may separate two sections that belong together. */
const GAP_PATTERN = /^[\s,;:()–—-]*(?:(?:on|at|from|by|for|starting|beginning)\s+)?(?:the\s+)?[\s(]*$/iu;
const LINE_START_PATTERN = /^[\s,;:("–—-]*$/u;
const LINE_END_PATTERN = /^[\s,.;:!?)"–—-]*$/u;

function getKinds(part: LinePart): readonly LinePart['kind'][] {
  if (part.kind === 'either') return part.options.flatMap((option) => (option ? getKinds(option) : []));
  if (part.kind === 'wait') return ['wait', 'date', 'time'];
  return part.kind === 'stretch' ? ['stretch', 'span', 'date', 'time'] : [part.kind];
}

function findNeighbours(
  line: string,
  { start, end }: { readonly start: number; readonly end: number },
  [before, after]: readonly [readonly LineSection[], readonly LineSection[]],
): Neighbours {
  const left = before.at(-1);
  const [right] = after;
  const statedKinds = new Set([...before, ...after].flatMap(({ part }) => getKinds(part)));
  return {
    left: left && GAP_PATTERN.test(line.slice(left.end, start)) ? left : undefined,
    right: right && right.part.kind !== 'name' && GAP_PATTERN.test(line.slice(end, right.start)) ? right : undefined,
    isFirst: LINE_START_PATTERN.test(line.slice(0, start)),
    isLast: LINE_END_PATTERN.test(line.slice(end)),
    has: (...kinds) => kinds.some((kind) => statedKinds.has(kind)),
  };
}

const isDefined = (each: LineSection | undefined): each is LineSection => each !== undefined;

/** Resolves each 'maybe' by its neighbours. Those without a meaning are left out. */
export function resolveOptions(line: string, parts: readonly LineSection[]): readonly LineSection[] {
  const resolved = parts.map((each) => (each.part.kind === 'maybe' ? undefined : each));
  function resolve(index: number, after: readonly LineSection[]): void {
    const each = parts[index];
    if (resolved[index] || each?.part.kind !== 'maybe') return;
    const before = resolved.slice(0, index).filter(isDefined);
    const option = each.part.options.find(({ end, fits }) =>
      fits(findNeighbours(line, { start: each.start, end }, [before, after])),
    );
    resolved[index] = option && { ...each, end: option.end, part: option.part };
  }
  for (const index of parts.keys()) resolve(index, parts.slice(index + 1));
  // A length may precede the part that it depends on: 'meeting 15 mins tomorrow 10'.
  for (const index of parts.keys()) resolve(index, resolved.slice(index + 1).filter(isDefined));
  return resolved.filter(isDefined);
}

/** Text that looks like part of a rule but was not understood. */
const UNREAD_RULE_PATTERN =
  /(?<![\p{L}\p{N}])(?:(?:every|each) (?:other|few|couple|single|\d|first|second|third|last|mon|tue|wed|thu|fri|sat|sun|day|week|month|year|morning|evening|night|hour|minute|weekday|weekend)\p{L}*|(?:of|in) (?:every|each) \p{L}+|(?:second|third|next)[- ]to[- ]last \p{L}+|penultimate (?:mon|tue|wed|thu|fri|sat|sun|day|week)\p{L}*|every$|each$)/iu;

const UNREAD_EVERY_PATTERN =
  /(?<![\p{L}\p{N}])(?:(?:every )?now and (?:then|again)|every(?: \p{L}+){1,2}|once (?:in|per|every) (?:a |an )?\p{L}+(?: moon)?|from time to time|alternate \p{L}+|(?:odd|even) (?:days|weeks|months)|(?:every|each) (?:\p{L}+ )?(?:moon|season|term|semester|holiday|payday|easter|christmas|decade)|most (?:days|weeks|mornings|evenings|nights))(?![\p{L}\p{N}])/iu;

const NEXT_PERIOD =
  '(?:next|this|last|coming) (?:week|weekend|month|year|quarter|summer|winter|spring|autumn|(?:mon|tues|wednes|thurs|fri|satur|sun)day)';
const END_OF_PERIOD = 'end of (?:the |this |next )?(?:day|week|month|quarter|year)';
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?';
/** A day with 'before', 'after' or 'since', but not 'the market' or 'the wedding'. */
const OPEN_BOUND = [
  NEXT_PERIOD,
  END_OF_PERIOD,
  `\\d{1,2}(?:st|nd|rd|th)?(?: (?:of )?${MONTH})?`,
  '\\d\\p{L}*',
  'today|tomorrow|tonight|yesterday|weekend|summer|winter|spring|autumn|christmas|easter',
  "new year(?:['’]?s)?",
  WEEKDAY,
  MONTH,
].join('|');

/** A bound that was not understood: 'until summer', 'for the term'. */
const UNREAD_BOUND_PATTERN = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:until|till?|up to|ending|starting|beginning)(?: [\p{L}\p{N}]+){1,2}|(?:and|or|&|during|throughout) (?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|tember|ember|ober)?|for (?:the )?(?:rest|remainder|whole|next|term|season|semester|winter|summer|spring|autumn)(?: of)?(?: \p{L}+){0,2}|(?:from|between) (?:\p{L}+) (?:to|until|till?|and) (?:summer|winter|spring|autumn|fall)|through (?:the )?(?:summer|winter|spring|autumn|fall|end|term|season)|(?:before|after|since) (?:the )?(?:${OPEN_BOUND})|(?:x ?\d+|\d+ ?x))(?![\p{L}\p{N}])`,
  'iu',
);

const EXCEPTION_PATTERN = /(?<![\p{L}\p{N}])(?:except(?:ing)?|excluding|but not|apart from)(?: \p{L}+)?/iu;

const DAYS_ONCE_MESSAGE = 'Give the days only once. Put a day in quotes to keep it in the name';

/** Finds what the line says twice, or contradicts. */
export function findContradiction(parts: readonly LineSection[]): string | undefined {
  if (listParts(parts, 'repeat').length > 1) return 'Give only one repeat. Create an event for each one';
  const times = new Set(listParts(parts, 'time').map((part) => JSON.stringify(part.times)));
  if (times.size > 1) return ONE_TIME_MESSAGE;
  if (times.size > 0 && listParts(parts, 'allDay').length > 0) return 'Give a time or all day, not both';
  const spans = listParts(parts, 'span').length;
  if (spans > 1 || (spans > 0 && listParts(parts, 'date').length > 0)) return DAYS_ONCE_MESSAGE;
  return listParts(parts, 'length').length > 1 ? 'Give the length only once' : undefined;
}

function findUnreadRule(rest: string, isRepeating: boolean): string | undefined {
  if (isRepeating) {
    const except = EXCEPTION_PATTERN.exec(rest)?.[0];
    if (except !== undefined)
      return `'${except}' is not understood. Name the days it repeats on instead: Mon, Tue and Thu`;
    const bound = UNREAD_BOUND_PATTERN.exec(rest)?.[0];
    if (bound !== undefined)
      return `'${bound}' is not understood. Use a date or a number: until 31 March, for 6 weeks, 10 times`;
  }
  // If a rule was understood, 'every plant' is no second one.
  const unread =
    (isRepeating ? undefined : UNREAD_EVERY_PATTERN.exec(rest))?.[0] ?? UNREAD_RULE_PATTERN.exec(rest)?.[0];
  return unread && `'${unread}' is not understood as a repeat. Put it in quotes to keep it in the name`;
}

/** 'tomorrow and Friday': two days, which need two events. */
function findSeveralDays(line: string, parts: readonly LineSection[]): string | undefined {
  const dates = parts.filter(({ part }) => part.kind === 'date' || part.kind === 'repeat');
  const isJoined = dates.some((each, index) => {
    const before = dates[index - 1];
    const joint = before?.part.kind === 'repeat' ? /^\s*or\s*$/iu : /^\s*(?:and|&|\+|or)\s*$/iu;
    return before !== undefined && joint.test(line.slice(before.end, each.start));
  });
  return isJoined ? 'Give only one day. Create an event for each day' : undefined;
}

/** Returns why a partly understood line is refused. `rest` would be its name. */
export function findFault(line: string, parts: readonly LineSection[], rest: string): string | undefined {
  return (
    listParts(parts, 'wrong')[0]?.why ??
    findSeveralDays(line, parts) ??
    findContradiction(parts) ??
    findUnreadRule(rest, listParts(parts, 'repeat').length > 0)
  );
}

/** One interpretation of a line as an event. */
export interface LineReading {
  readonly name: string;
  readonly day: Day;
  readonly time: string | undefined;
  readonly endTime: string | undefined;
  /** Days from the start to the end, if it is no duration. */
  readonly endDays: number;
  readonly pattern: DayPattern;
  readonly tags: readonly string[];
}

/**
 * The result for a line. `readings`: at least one, several if it is ambiguous, the most likely first. `wrong`: a
 * sentence that says what isn't possible. `empty`: nothing was entered.
 */
export type LineResult =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong'; readonly why: string }
  | {
      readonly kind: 'readings';
      readonly readings: readonly LineReading[];
      /** False if no day was named. */ readonly isDated: boolean;
    };

const MAX_READINGS = 3;

const readTag = createReader(/#(?<name>[\p{L}\p{N}][\p{L}\p{N}_-]{0,59})/u, ({ word }) => ({
  kind: 'tag',
  name: word('name'),
}));
const readQuoted = createReader(/"(?<plain>[^"]+)"|“(?<curly>[^”]+)”/u, ({ word }) => ({
  kind: 'name',
  text: word('plain') || word('curly'),
}));

/** Numbers and names whose digits are no time. */
const NUMBER_PATTERNS = [
  /(?<=\+)\d[\d ()./-]{5,}\d/,
  /(?<=\()\d{3,5}\) ?\d{3,}(?:[ -]\d{3,})*/,
  /(?:1[- ])?\d{3}[-. ]\d{3}[-. ]\d{4}|\d{3}-\d{4}|0\d{2,4} \d{3,4} ?\d{3,4}|\d{4,5} \d{5,6}|\d{4} \d{3} \d{3,4}|(?!20\d{6}(?!\d))\d{7,}/,
  /(?:at )?7[- ]?eleven|24\/7|9 to 5 (?=musical|film|movie)/,
];
const readNumber = createReader(NUMBER_PATTERNS.map(({ source }) => source).join('|'), ({ text }) => ({
  kind: 'name',
  text,
}));

const readers = [
  readQuoted,
  readTag,
  readNumber,
  readWait,
  readRepeat,
  readTimes,
  readAllDay,
  readSpan,
  readHoliday,
  readDate,
  readLength,
  readEnd,
  readTime,
  readBareTime,
] as const;

/** Finds all sections of the line that mean something, from left to right. */
function scanLine(line: string, today: Day): readonly LineSection[] {
  const parts: LineSection[] = [];
  const starts = /(?<![\p{L}\p{N}])[\p{L}\p{N}#"“@×]/gu;
  for (let at = starts.exec(line)?.index; at !== undefined; at = starts.exec(line)?.index) {
    const start = at;
    const read = readFirst(readers, line, start, today);
    if (!read) continue;
    const each = { start, ...read };
    const dayHalf = readDayHalf(line, each);
    parts.push({ ...each, ...dayHalf });
    starts.lastIndex = dayHalf.end;
  }
  return resolveOptions(line, parts);
}

/** Returns the rest of the line, without the understood sections and the words that introduce them. */
function extractName({ typed, toTypedPosition }: SpelledLine, sections: readonly LineSection[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end, part } of sections) {
    rest += typed.slice(at, toTypedPosition(start)) + (part.kind === 'name' && part.text !== '' ? part.text : ' ');
    at = toTypedPosition(end);
  }
  rest += typed.slice(at);
  return rest
    .replaceAll(/\(\s*\)/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s+([,.;])/gu, '$1')
    .replaceAll(/,{2,}/gu, ',')
    .replace(/^[\s,;:–-]+/u, '')
    .replace(/(?:[\s,;:–-]|(?<=^|\s)(?:on|at|by|from|starting|beginning|for|and|of|am|um|den|vom|until|till))+$/iu, '')
    .trim();
}

/** Returns the first days that the words name. A repeat on a weekday starts on it. */
function findStarts(parts: readonly LineSection[], today: Day): readonly Day[] {
  const [span] = listParts(parts, 'span');
  const first = listParts(parts, 'repeat')[0]?.first;
  if (span) return [first === undefined ? span.from : first(span.from)];
  const dates = listParts(parts, 'date').at(-1)?.days ?? [today];
  return first === undefined ? dates : [first(dates[0] ?? today)];
}

const toYearly = (reading: LineReading): LineReading => ({
  ...reading,
  pattern: {
    kind: 'repeat',
    repeat: { every: 1, unit: 'year', from: { type: 'date', day: reading.day }, until: { type: 'forever' } },
  },
});

function toReadings(
  spelled: SpelledLine,
  parts: readonly LineSection[],
  today: Day,
): readonly LineReading[] | PartOfKind<'wrong'> {
  const name = extractName(spelled, parts);
  if (name === '') return { kind: 'wrong', why: 'Add a name' };
  const contradiction = findContradiction(parts);
  if (contradiction !== undefined) return { kind: 'wrong', why: contradiction };
  const findPart = <Kind extends LinePart['kind']>(kind: Kind): PartOfKind<Kind> | undefined =>
    listParts(parts, kind)[0];
  const rest = {
    span: findPart('span'),
    until: findPart('until'),
    repeat: findPart('repeat'),
    times: findPart('times'),
    length: findPart('length'),
  };
  const times = listTimes(spelled.line, parts);
  const isRuled = rest.repeat?.rule !== undefined;
  const readings: LineReading[] = [];
  for (const firstDay of findStarts(parts, today))
    for (const time of times) {
      const start = firstDay + (isRuled ? 0 : (time?.later ?? 0));
      const meaning: LineMeaning = { ...rest, today, start, time };
      const pattern = createDayPattern(meaning);
      if (pattern.kind === 'wrong') return pattern;
      const end = getEnd(meaning, pattern);
      if (start + end.endDays > LAST_DAY) return { kind: 'wrong', why: 'That is too far in the future' };
      readings.push({
        name,
        day: start,
        time: time?.time,
        ...end,
        pattern,
        tags: [...new Set(listParts(parts, 'tag').map((tag) => tag.name))],
      });
    }
  return readings;
}

/** Lists all distinct readings, or returns the reason why the line has no reading. */
function listReadings(
  line: SpelledLine,
  ways: readonly (readonly LineSection[])[],
  today: Day,
): LineReading[] | { readonly kind: 'wrong'; readonly why: string } {
  const read = ways.map((way) => toReadings(line, way, today));
  const all = read.flatMap((each) => ('kind' in each ? [] : each));
  const readings = new Map(all.map((reading) => [JSON.stringify(reading), reading]));
  const wrongs = read.flatMap((each) => ('kind' in each ? each.why : []));
  return readings.size > 0 ? [...readings.values()] : { kind: 'wrong', why: wrongs[0] ?? 'Add a name' };
}

/**
 * Reads a line such as 'dentist next Tuesday 9:40' or 'bins out every 2 weeks'.
 * @param today the user's day
 * @param now the user's local time
 */
export function interpretLine(text: string, today: Day, now: string): LineResult {
  const spelled = expandSpelling(text.trim().replaceAll(/\s+/gu, ' '));
  const { line } = spelled;
  if (line === '') return { kind: 'empty' };
  const parts = resolveParts(scanLine(line, today), today, now);
  const quoted = parts.filter(({ part }) => part.kind !== 'name' || part.text === '');
  const unquoted = extractName(spelled, quoted)
    .replaceAll(/"[^"]*"|“[^”]*”/gu, ' ')
    .trim();
  const fault = findFault(line, parts, unquoted);
  if (fault !== undefined) return { kind: 'wrong', why: fault };
  const ways = listInterpretations(parts);
  if (listParts(parts, 'times').length > 0 && !ways.some((way) => listParts(way, 'repeat').length > 0))
    return { kind: 'wrong', why: 'Add how often it repeats: every week, every month' };
  const readings = listReadings(spelled, ways, today);
  if ('kind' in readings) return readings;
  const [likeliest] = readings;
  const isDated = (ways[0] ?? parts).some(({ part }) => ['date', 'span', 'repeat'].includes(part.kind));
  // A birthday is every year; the single day is offered second.
  if (likeliest?.pattern.kind === 'single' && isDated && /birthday|anniversary/i.test(likeliest.name))
    readings.unshift(toYearly(likeliest));
  return { kind: 'readings', readings: readings.slice(0, MAX_READINGS), isDated };
}
