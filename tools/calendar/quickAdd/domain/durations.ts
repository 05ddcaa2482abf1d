import { DAY_MINUTES } from '#platform/contract/duration.ts';
import type { DurationUnit } from '../../events/domain/event.ts';
import {
  COUNT,
  parseCount,
  findFirstMatch,
  matchAt,
  createOptionalPart,
  type Neighbours,
  toPartOrName,
  type LinePart,
  type Reader,
  matchWordsAt,
  createWrongPart,
} from './lineScanner.ts';
import { readTime } from './times.ts';

const HOURS_UNIT = '(?<unit>hours?|hrs?|h|minutes?|mins?|m)';
/** 'half an hour', '1h30', '1.5 hours', 'an hour and a half', '90 min'. */
const HOURS = [
  '(?<half>half an hour)',
  '(?<quarters>a quarter|three quarters) of an hour',
  '(?<hours>\\d{1,3}) ?h(?:(?:ou)?rs?)?(?: and)? ?(?<minutes>\\d{1,2}) ?(?:m|mins?|minutes?)?',
  `(?<count>\\d{1,4}[.,]\\d{1,2}|a couple of|a few|${COUNT})(?:[ -]|(?<=\\d))${HOURS_UNIT}(?<more> and a half)?`,
  '(?<halves>\\d{1,3}|one|two|three|four|five) and a half hours',
];

const VAGUE_AMOUNTS: Readonly<Record<string, number>> = { 'a couple of': 2, 'a few': 3 };
const parseAmount = (count: string): number =>
  VAGUE_AMOUNTS[count.toLowerCase()] ?? (/[.,]/.test(count) ? Number(count.replace(',', '.')) : parseCount(count));

function parseMinutes(word: (name: string) => string): number {
  if (word('half') !== '') return 30;
  if (word('halves') !== '') return parseCount(word('halves')) * 60 + 30;
  if (word('quarters') !== '') return /^a/i.test(word('quarters')) ? 15 : 45;
  if (word('hours') !== '') return Number(word('hours')) * 60 + Number(word('minutes'));
  const amount = parseAmount(word('count')) + (word('more') === '' ? 0 : 0.5);
  return Math.round(amount * (/^h/i.test(word('unit')) ? 60 : 1));
}

const WAITS = HOURS.flatMap((hours) => [`in ${hours}(?:'?s? time)?`, `${hours} from now`]);

/** Reads a time relative to now: 'in an hour', '20 min from now'. */
export const readWait: Reader = (line, at) => {
  const match = findFirstMatch(WAITS, line, at);
  return match && { end: match.end, part: { kind: 'wait', minutes: parseMinutes(match.word) } };
};

const DURATION_UNITS = { day: 'days', week: 'weeks', month: 'months', year: 'years' } as const;
const DAYS_PATTERN = `(?<amount>${COUNT})(?:[ -]|(?<=\\d))(?<named>day|night|week|fortnight|month|year)s?`;
const TOO_FEW_DAYS = createWrongPart('It has to last at least one day');
const TOO_FEW_MINUTES = createWrongPart('It has to last at least one minute');

const toLength = (amount: number, unit: DurationUnit): LinePart => ({ kind: 'length', amount, unit });

function toLengthOfDays(amount: number, named: string): LinePart {
  if (amount < 1) return TOO_FEW_DAYS;
  // Three nights last from the first day to the day after the last night.
  if (named === 'night') return toLength(amount + 1, 'days');
  if (named === 'fortnight') return toLength(amount * 2, 'weeks');
  return toLength(amount, DURATION_UNITS[named as keyof typeof DURATION_UNITS]);
}

function toLengthOfMinutes(minutes: number, isInHours: boolean): LinePart {
  if (minutes < 1) return TOO_FEW_MINUTES;
  const isWhole = minutes % 60 === 0 && (isInHours || minutes >= DAY_MINUTES);
  return { kind: 'length', amount: isWhole ? minutes / 60 : minutes, unit: isWhole ? 'hours' : 'minutes' };
}

interface LengthMatch {
  readonly end: number;
  readonly part: LinePart;
  readonly text: string;
  readonly isOfDays: boolean;
}

function readLengthAt(line: string, at: number): LengthMatch | undefined {
  const days = matchWordsAt(DAYS_PATTERN, line, at);
  if (days)
    return {
      ...days,
      part: toLengthOfDays(parseCount(days.word('amount')), days.word('named').toLowerCase()),
      isOfDays: true,
    };
  const match = findFirstMatch(HOURS, line, at);
  return (
    match && {
      ...match,
      part: toLengthOfMinutes(parseMinutes(match.word), /h/i.test(match.word('unit'))),
      isOfDays: false,
    }
  );
}

const isAdjacent = ({ left, right, isLast }: Neighbours): boolean =>
  left !== undefined || right !== undefined || isLast;

/** Whether the line has a time without an end, to which a length can be added. */
const hasOpenTime = ({ has, left, right }: Neighbours): boolean =>
  has('time') && !has('ends', 'stretch', 'length') && ![left, right].some((each) => isClosed(each?.part));
const isClosed = (part: LinePart | undefined): boolean =>
  part?.kind === 'time' && part.times.some(({ endTime }) => endTime !== undefined);

/** Whether a text such as '30m' may be metres. It is a length only after a time. */
const isMetres = (text: string): boolean => /\dm$/i.test(text) && !/h/i.test(text);

/** Whether the line has a day without a last one, or a repeat without a bound. */
const isOpenDay = ({ has }: Neighbours): boolean => has('date', 'repeat') && !has('span', 'until', 'length', 'stretch');

/** '3 days' next to a day. Before a noun it may be part of the name, and '3 day' most likely is. */
const readBareDays = ({ end, part, text }: LengthMatch): ReturnType<Reader> =>
  createOptionalPart(
    { end, part, fits: (neighbours) => isOpenDay(neighbours) && isAdjacent(neighbours) },
    {
      end,
      part: /s$/i.test(text) ? toPartOrName(part) : { kind: 'either', options: [undefined, part] },
      fits: (neighbours) => isOpenDay(neighbours) && neighbours.isFirst,
    },
  );

/** '2h' next to a time. Alone, '9h30' and '20h' are times. */
function readBareHours({ end, part, text }: LengthMatch, time: ReturnType<Reader>): ReturnType<Reader> {
  const isTime = /^(?:0?[7-9]|1\d|2[0-3])h|^0?\dh\d/i.test(text) && time?.part.kind !== 'wrong';
  const times = isTime && time ? [{ ...time, fits: ({ has }: Neighbours) => !has('time') }] : [];
  const isLength = (neighbours: Neighbours): boolean =>
    hasOpenTime(neighbours) && (!isMetres(text) || neighbours.left?.part.kind === 'time');
  return createOptionalPart(
    { end, part, fits: (neighbours) => isLength(neighbours) && isAdjacent(neighbours) },
    { end, part: toPartOrName(part), fits: (neighbours) => isLength(neighbours) && neighbours.isFirst },
    ...times,
  );
}

/** Follows digits that are no length: a range, or an age. */
const NO_LENGTH = /^\s*(?:-|–|—|~|→|\bto\b)\s*\d/u;

/** '3pm 2h', '90 min massage sat 2pm', 'holiday 2 weeks from 1 August': a length without 'for'. */
const readBareLength: Reader = (line, at, today) => {
  const match = readLengthAt(line, at);
  if (
    !match ||
    NO_LENGTH.test(line.slice(match.end)) ||
    /^a|\d,\d|years?$|^(?:[01]\d|2[0-3])[0-5]\d ?h/i.test(match.text)
  )
    return undefined;
  return match.isOfDays ? readBareDays(match) : readBareHours(match, readTime(line, at, today));
};

const hasTime = ({ has }: Neighbours): boolean => has('time');

/** 'for 3 days', 'for 90 minutes', 'for the next 5 weeks'. */
const readForLength: Reader = (line, at) => {
  const lead = matchAt(/(?:lasting|for|over)(?: (?:the|about|around|approx\.?))?(?: (?:next|coming))?(?= )/, line, at);
  const match = lead && readLengthAt(line, at + lead[0].length + 1);
  if (!match) return undefined;
  const { end, part, text } = match;
  return isMetres(text) ? createOptionalPart({ end, part, fits: hasTime }) : { end, part };
};

/** Reads the length of the event, or of the repeat. */
export const readLength: Reader = (line, at, today) =>
  readForLength(line, at, today) ?? readBareLength(line, at, today);

const NUMBER = '(?<count>\\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)';
const TIMES = `(?:for )?${NUMBER} (?:times|occurrences|repetitions)`;
const SESSIONS = `(?:for )?${NUMBER} (?:sessions|classes|lessons)|[x×] ?(?<after>\\d{1,4})|(?<before>\\d{1,4}) ?[x×]`;

/** Reads the number of occurrences: '5 times', 'for 8 sessions', 'x10'. */
export const readTimes: Reader = (line, at) => {
  const plain = matchWordsAt(TIMES, line, at);
  const match = plain ?? matchWordsAt(SESSIONS, line, at);
  if (!match) return undefined;
  const { end, word } = match;
  const times = parseCount(word('count') || word('after') || word('before'));
  const isMany = times >= 1 && times <= 1000;
  const part: LinePart = isMany ? { kind: 'times', times } : createWrongPart('An event can repeat 1 to 1,000 times');
  return plain ? { end, part } : createOptionalPart({ end, part, fits: ({ has }) => has('repeat') });
};
