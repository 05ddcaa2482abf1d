import { type Day, LAST_DAY } from '../../events/domain/day.ts';
import type { DayPattern } from '../../events/domain/event.ts';
import { settled } from './company.ts';
import { readDate } from './dates.ts';
import { halfBehind, readAllDay, timesOf } from './dayParts.ts';
import { readLength, readTimes, readWait } from './durations.ts';
import { contradictionIn, faultIn } from './faults.ts';
import { readHoliday } from './holidays.ts';
import { resolveParts, waysOf } from './interpretations.ts';
import { createReader, firstOf, type FoundPart, type Of, type LinePart, partsOf } from './lineScanner.ts';
import { endOf, type LineMeaning, patternOf } from './readingPattern.ts';
import { readRepeat } from './repeats.ts';
import { readSpan } from './spans.ts';
import { type SpelledLine, expandSpelling } from './spelling.ts';
import { readBareTime, readEnd, readTime } from './times.ts';

/** An event as a line of plain words may mean it. */
export interface LineReading {
  readonly name: string;
  readonly day: Day;
  readonly time: string | undefined;
  readonly endTime: string | undefined;
  /** Days from the first one to that of the end, of what is no duration. */
  readonly endDays: number;
  readonly pattern: DayPattern;
  readonly tags: readonly string[];
}

/**
 * What a line means. `readings`: at least one, the likeliest first; several where the words are ambiguous.
 * `wrong`: something in it cannot be, said in a sentence. `empty`: there is nothing yet.
 */
export type LineResult =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong'; readonly why: string }
  | {
      readonly kind: 'readings';
      readonly readings: readonly LineReading[];
      /** False where no day was named. */ readonly isDated: boolean;
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

/** Numbers that are called, and names whose figures are no time. */
const CALLED = [
  /(?<=\+)\d[\d ()./-]{5,}\d/,
  /(?<=\()\d{3,5}\) ?\d{3,}(?:[ -]\d{3,})*/,
  /(?:1[- ])?\d{3}[-. ]\d{3}[-. ]\d{4}|\d{3}-\d{4}|0\d{2,4} \d{3,4} ?\d{3,4}|\d{4,5} \d{5,6}|\d{4} \d{3} \d{3,4}|(?!20\d{6}(?!\d))\d{7,}/,
  /(?:at )?7[- ]?eleven|24\/7|9 to 5 (?=musical|film|movie)/,
];
const readCalled = createReader(CALLED.map(({ source }) => source).join('|'), ({ text }) => ({ kind: 'name', text }));

const readers = [
  readQuoted,
  readTag,
  readCalled,
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

/** Everything in the line that is more than a word of the name, from left to right. */
const scan = (line: string, today: Day): readonly FoundPart[] => {
  const found: FoundPart[] = [];
  const starts = /(?<![\p{L}\p{N}])[\p{L}\p{N}#"“@×]/gu;
  for (let at = starts.exec(line)?.index; at !== undefined; at = starts.exec(line)?.index) {
    const start = at;
    const read = firstOf(readers, line, start, today);
    if (!read) continue;
    const each = { start, ...read };
    const behind = halfBehind(line, each);
    found.push({ ...each, ...behind });
    starts.lastIndex = behind.end;
  }
  return settled(line, found);
};

/** The rest of the line: what was understood is cut out, and the little words that led to it. */
const nameOf = ({ typed, typedAt }: SpelledLine, understood: readonly FoundPart[]): string => {
  let rest = '';
  let at = 0;
  for (const { start, end, part } of understood) {
    rest += typed.slice(at, typedAt(start)) + (part.kind === 'name' && part.text !== '' ? part.text : ' ');
    at = typedAt(end);
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
};

/** Days that the words name as the first one. A repeat on a weekday begins on it. */
const startsOf = (found: readonly FoundPart[], today: Day): readonly Day[] => {
  const [span] = partsOf(found, 'span');
  const first = partsOf(found, 'repeat')[0]?.first;
  if (span) return [first === undefined ? span.from : first(span.from)];
  const dates = partsOf(found, 'date').at(-1)?.days ?? [today];
  return first === undefined ? dates : [first(dates[0] ?? today)];
};

const yearly = (reading: LineReading): LineReading => ({
  ...reading,
  pattern: {
    kind: 'repeat',
    repeat: { every: 1, unit: 'year', from: { type: 'date', day: reading.day }, until: { type: 'forever' } },
  },
});

const readingsOf = (
  spelled: SpelledLine,
  found: readonly FoundPart[],
  today: Day,
): readonly LineReading[] | Of<'wrong'> => {
  const name = nameOf(spelled, found);
  if (name === '') return { kind: 'wrong', why: 'Add a name' };
  const contradiction = contradictionIn(found);
  if (contradiction !== undefined) return { kind: 'wrong', why: contradiction };
  const first = <Kind extends LinePart['kind']>(kind: Kind): Of<Kind> | undefined => partsOf(found, kind)[0];
  const rest = {
    span: first('span'),
    until: first('until'),
    repeat: first('repeat'),
    times: first('times'),
    length: first('length'),
  };
  const times = timesOf(spelled.line, found);
  const isRuled = rest.repeat?.rule !== undefined;
  const readings: LineReading[] = [];
  for (const said of startsOf(found, today))
    for (const time of times) {
      const start = said + (isRuled ? 0 : (time?.later ?? 0));
      const meaning: LineMeaning = { ...rest, today, start, time };
      const pattern = patternOf(meaning);
      if (pattern.kind === 'wrong') return pattern;
      const end = endOf(meaning, pattern);
      if (start + end.endDays > LAST_DAY) return { kind: 'wrong', why: 'That is too far in the future' };
      readings.push({
        name,
        day: start,
        time: time?.time,
        ...end,
        pattern,
        tags: [...new Set(partsOf(found, 'tag').map((tag) => tag.name))],
      });
    }
  return readings;
};

/** All readings, each once; where there is none, why. */
const readingsIn = (
  line: SpelledLine,
  ways: readonly (readonly FoundPart[])[],
  today: Day,
): LineReading[] | { readonly kind: 'wrong'; readonly why: string } => {
  const read = ways.map((way) => readingsOf(line, way, today));
  const all = read.flatMap((each) => ('kind' in each ? [] : each));
  const readings = new Map(all.map((reading) => [JSON.stringify(reading), reading]));
  const wrongs = read.flatMap((each) => ('kind' in each ? each.why : []));
  return readings.size > 0 ? [...readings.values()] : { kind: 'wrong', why: wrongs[0] ?? 'Add a name' };
};

/**
 * Reads a line such as 'dentist next Tuesday 9:40' or 'bins out every 2 weeks'.
 * @param today the reader's day
 * @param now the time of the reader's clock
 */
export const understand = (text: string, today: Day, now: string): LineResult => {
  const spelled = expandSpelling(text.trim().replaceAll(/\s+/gu, ' '));
  const { line } = spelled;
  if (line === '') return { kind: 'empty' };
  const found = resolveParts(scan(line, today), today, now);
  const quoted = found.filter(({ part }) => part.kind !== 'name' || part.text === '');
  const unquoted = nameOf(spelled, quoted)
    .replaceAll(/"[^"]*"|“[^”]*”/gu, ' ')
    .trim();
  const fault = faultIn(line, found, unquoted);
  if (fault !== undefined) return { kind: 'wrong', why: fault };
  const ways = waysOf(found);
  if (partsOf(found, 'times').length > 0 && !ways.some((way) => partsOf(way, 'repeat').length > 0))
    return { kind: 'wrong', why: 'Add how often it repeats: every week, every month' };
  const readings = readingsIn(spelled, ways, today);
  if ('kind' in readings) return readings;
  const [likeliest] = readings;
  const isDated = (ways[0] ?? found).some(({ part }) => ['date', 'span', 'repeat'].includes(part.kind));
  // A birthday comes every year; the one day alone is offered behind it.
  if (likeliest?.pattern.kind === 'single' && isDated && /birthday|anniversary/i.test(likeliest.name))
    readings.unshift(yearly(likeliest));
  return { kind: 'readings', readings: readings.slice(0, MAX_READINGS), isDated };
};
