import { toMinutes } from '../../events/domain/day.ts';
import {
  listCandidates,
  CLOCK_TIME,
  type ClockTime,
  toClockTime,
  DAY_PART,
  isOnlyTime,
  ONE_TIME_MESSAGE,
  createRangePart,
  createWrongTimePart,
  getHalf,
  findDayPart,
} from './clockTimes.ts';
import { createDatePart, MONTH } from './dayNames.ts';
import {
  createReader,
  readFirst,
  type LineSection,
  isClosing,
  matchAt,
  createOptionalPart,
  type Neighbours,
  toPartOrName,
  type LinePart,
  type Reader,
  type TimeRange,
  matchWordsAt,
  createWrongPart,
  parseCount,
  findFirstMatch,
} from './lineScanner.ts';

const MINUTE_WORDS: Readonly<Record<string, number>> = { half: 30, quarter: 15, five: 5, ten: 10, twenty: 20 };
const parseMinutes = (text: string): number =>
  MINUTE_WORDS[text] ?? (/^twenty.five$/.test(text) ? 25 : Number.parseInt(text, 10));

const HALF_DAY = 'a\\.?m\\.?|p\\.?m\\.?';
const HOUR_WORD = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
const MINUTES_OF_HOUR = `(?<lead>(?:at |by )?)(?:a )?(?<minutes>half|quarter|twenty(?:[- ]five)?|five|ten|\\d{1,2} min(?:ute)?s?|\\d{1,2}(?= past)|2[05](?= to)|(?:[5-9]|1\\d|2\\d)(?= to \\d{1,2} ?[ap]\\.?m)) (?<side>past|to|after|before|till?|(?<=quarter )of) (?<hour>0?[1-9]|1[0-2]|${HOUR_WORD})(?![:.]\\d)(?: ?(?<suffix>${HALF_DAY}))?${DAY_PART}`;

/** 'quarter to 12 pm' is in the morning. */
const toHalfBeforeTwelve = (half: ClockTime['half'], text: string): ClockTime['half'] =>
  half === 'am' && !/morning$/iu.test(text) ? 'pm' : half === 'pm' && !/evening$/iu.test(text) ? 'am' : half;

/** 'half past 4', 'quarter to nine', 'at ten to five'. 'ten to five' alone is a range. */
const readMinutesOfHour = createReader(MINUTES_OF_HOUR, ({ end, text, word }) => {
  const isPast = /past|after/i.test(word('side'));
  if (word('lead') === '' && !/^(?:past|to)$/i.test(word('side')) && !/^quarter$/i.test(word('minutes')))
    return undefined;
  if (word('lead') === '' && !isPast && /^(?:five|ten)$/i.test(word('minutes'))) return undefined;
  const minute = parseMinutes(word('minutes').toLowerCase());
  const namedHour = parseCount(word('hour'));
  const half = getHalf(word('suffix'), findDayPart(text));
  const clockTime: ClockTime = isPast
    ? { hour: namedHour, minute, half, isPlain: true }
    : {
        hour: (namedHour + 11) % 12 || 12,
        minute: 60 - minute,
        half: namedHour === 12 ? toHalfBeforeTwelve(half, text) : half,
        isPlain: true,
      };
  const times = listCandidates(clockTime).map((time) => ({ time }));
  return { end, part: times.length > 0 ? { kind: 'time', times } : createWrongTimePart(clockTime) };
});

const parseHour = (hour: string, suffix: string, part?: string): ClockTime => ({
  hour: parseCount(hour),
  minute: 0,
  half: getHalf(suffix, part),
  isPlain: true,
});
const NOON = 'noon|midday|midnight';
const WORD_RANGES = [
  `(?:from|between) (?<from>${HOUR_WORD}|${NOON})(?: ?(?<first>${HALF_DAY}))? (?:to|till?|until|and) (?<until>${HOUR_WORD}|${NOON})(?: ?(?<last>${HALF_DAY}))?${DAY_PART}`,
  `(?<from>${NOON}) ?(?:to|till?|until|-|–) ?(?<until>${HOUR_WORD})(?: ?(?<last>${HALF_DAY}))?${DAY_PART}`,
  `(?<from>${HOUR_WORD}) ?(?:to|till?|until|-|–) ?(?<until>${NOON})`,
  `(?<from>${HOUR_WORD}) ?(?<first>${HALF_DAY})? ?(?:to|till?|until|-|–) ?(?<until>${HOUR_WORD}) ?(?<last>${HALF_DAY})`,
];

const IS_NOON = new RegExp(`^(?:${NOON})$`, 'i');

const parseSpokenTime = (hour: string, suffix: string, part?: string): ClockTime =>
  IS_NOON.test(hour)
    ? { hour: /^midn/i.test(hour) ? 0 : 12, minute: 0, half: 'clock', isPlain: true }
    : parseHour(hour, suffix, part);

/** 'from ten to five', 'noon to one'. */
const readWordRange: Reader = (line, at) => {
  const match = findFirstMatch(WORD_RANGES, line, at);
  if (!match) return undefined;
  const { end, text, word } = match;
  return {
    end,
    part: createRangePart(
      parseSpokenTime(word('from'), word('first')),
      parseSpokenTime(word('until'), word('last'), findDayPart(text)),
    ),
  };
};

const PAST_HOUR: Readonly<Record<string, number>> = { fifteen: 15, thirty: 30, 'forty-five': 45, 'forty five': 45 };
const HOUR_IN_WORDS = `(?<lead>(?:at |by |around |about )?)(?<hour>${HOUR_WORD})(?: (?<minute>fifteen|thirty|forty[- ]five))? ?(?<suffix>${HALF_DAY}|o['’]?clock)?${DAY_PART}`;

/** 'nine am', 'nine in the evening'; 'at nine', 'at seven thirty' if no noun follows. */
const readHourWord = createReader(HOUR_IN_WORDS, ({ end, text, word }) => {
  const part = findDayPart(text);
  const isPlain = word('suffix') !== '' || part !== undefined;
  if (!isPlain && word('lead') === '' && word('minute') === '') return undefined;
  const minute = PAST_HOUR[word('minute').toLowerCase()] ?? 0;
  const times = listCandidates({ ...parseHour(word('hour'), word('suffix'), part), minute }).map((time) => ({ time }));
  const read: LinePart = { kind: 'time', times };
  return isPlain ? { end, part: read } : createOptionalPart({ end, part: read, fits: isOnlyTime });
});

/** 'half 8' is half past eight. */
const readHalf = createReader(
  `(?:at |by )?half (?<hour>0?[1-9]|1[0-2]|${HOUR_WORD})(?: ?(?<suffix>${HALF_DAY}))?${DAY_PART}`,
  ({ end, text, word }) => {
    const times = listCandidates({ ...parseHour(word('hour'), word('suffix'), findDayPart(text)), minute: 30 }).map(
      (time) => ({ time }),
    );
    return createOptionalPart({ end, part: { kind: 'time', times }, fits: isOnlyTime });
  },
);

const wordReaders = [readWordRange, readHourWord, readHalf] as const;

/** 'noon to one', 'nine in the evening', 'half 8'. */
const readTimeInWords: Reader = (line, at, today) => readFirst(wordReaders, line, at, today);

const COUNTED_BEFORE_PATTERN =
  /(?:chapters?|pages?|pp?\.|ages?|aged|units?|rooms?|nos?\.?|numbers?|lessons?|levels?|grades?|parts?|steps?|score|tasks?|questions?|exercises?|items?|episodes?|(?<!(?:next|this|every|each|all|the) )weeks?|verses?|gates?|lines?|tracks?|sections?|version|v|tables?|[#$€£/.,:-])\s*$/iu;
const COUNTED_AFTER_PATTERN =
  /^(?:\s?[%€$£/.,:-]\d|\s?(?:[%€$£]|(?:euros?|eur|dollars?|usd|pounds?|gbp|chf|km|k?m|miles?|cm|mm|k?g|lbs?|l|litres?|liters?|people|persons?|players|pax|minutes?|mins?|hours?|days?|weeks?|months?|years?|times|pages|eggs|win|defeat|draw)(?![\p{L}\p{N}])))/iu;
/** Whether digits count or number something instead of being a time. */
const isCounted = (line: string, at: number, end: number): boolean =>
  COUNTED_BEFORE_PATTERN.test(line.slice(0, at)) || COUNTED_AFTER_PATTERN.test(line.slice(end));

/** What may follow the second of two times. A noun would be counted by it. */
const NO_NOUN_PATTERN =
  /^(?:$|[,.;#]| (?:every|each|daily|weekly|on|today|tomorrow|tonight|mon|tue|wed|thu|fri|sat|sun|#))/iu;

/** Whether '3-1' is a score: a range that starts so early doesn't go past noon. */
const isScore = (from: ClockTime, until: ClockTime): boolean => from.hour < 7 && until.hour <= from.hour;

/** '9.40': a time, a price or version in the name, or the 9th of a month. */
function readDottedTime(line: string, at: number, today: number, { end, part }: { end: number; part: LinePart }) {
  const [, date, month] = /^(\d{1,2})\.(\d{2})$/.exec(line.slice(at, end)) ?? [];
  if (month === undefined) return { end, part };
  if (part.kind === 'wrong' || isCounted(line, at, end) || NO_TIME_PATTERN.test(line.slice(0, at))) return undefined;
  const day =
    Number(month) >= 1 && Number(month) <= 12
      ? createDatePart(today, Number(month), Number(date), undefined)
      : undefined;
  const dates = day?.kind === 'date' ? [day] : [];
  const options = Number(month) % 5 === 0 ? [part, ...dates] : [...dates, part];
  return { end, part: { kind: 'either', options: [...options, undefined] } } as const;
}

const RANGE = `(from |at |between |von )?${CLOCK_TIME}\\s*(?:-|–|—|~|→|to|until|till?|bis|(?<=\\bbetween .*)and)\\s*${CLOCK_TIME}${DAY_PART}`;
const MONTH_BEHIND = ` (?:of )?${MONTH}`;

/** '9:40-10:15', 'from 9 to 11', '2-3pm'. */
const readRange: Reader = (line, at) => {
  const match = matchAt(RANGE, line, at);
  if (!match) return undefined;
  const dayPart = match.slice(12).find((word) => word !== undefined);
  const until = toClockTime(match.slice(7, 12), dayPart);
  const from = toClockTime(match.slice(2, 7), undefined);
  const end = at + match[0].length;
  const isBare = match[1] === undefined && !until.isPlain && !from.isPlain;
  // '9-11 December' are days.
  if (!until.isPlain && matchAt(MONTH_BEHIND, line, end)) return undefined;
  if (!isBare) return { end, part: createRangePart(from, until) };
  if (
    (!/[-–—→~]/.test(match[0]) && !NO_NOUN_PATTERN.test(line.slice(end))) ||
    isScore(from, until) ||
    isCounted(line, at, end)
  )
    return undefined;
  const part = createRangePart(from, until);
  return part.kind === 'time' ? { end, part: { kind: 'either', options: [part, undefined] } } : undefined;
};

const INVITATION = `(?:at |from )?${CLOCK_TIME} for ${CLOCK_TIME}${DAY_PART}`;

/** '7 for 7:30': guests arrive from seven on, and the event starts at half past. */
const readInvitation: Reader = (line, at) => {
  const match = COUNTED_BEFORE_PATTERN.test(line.slice(0, at)) ? undefined : matchAt(INVITATION, line, at);
  if (!match) return undefined;
  const dayPart = match.slice(11).find((word) => word !== undefined);
  const arrival = toClockTime(match.slice(1, 6), undefined);
  const arrivals = listCandidates(arrival).map(toMinutes);
  const start = toClockTime(match.slice(6, 11), dayPart);
  const times = listCandidates(start).filter((time) =>
    arrivals.some((minutes) => minutes < toMinutes(time) && toMinutes(time) <= minutes + 60),
  );
  // 'table 7:30 for 8' is for eight people.
  if (!start.isPlain || times.length === 0) return undefined;
  const part: LinePart = { kind: 'time', times: times.map((time) => ({ time })) };
  // 'order 5 for 5:30' may state a quantity.
  return { end: at + match[0].length, part: arrival.isPlain ? part : toPartOrName(part) };
};

const SEVERAL = `(at )?${CLOCK_TIME}(?:\\s*[&/+]\\s*|,? (?:and|or) )(?:at )?${CLOCK_TIME}`;

/** '9am and 5pm': two times, which need two events. */
const readSeveral: Reader = (line, at) => {
  const match = matchAt(SEVERAL, line, at);
  if (!match) return undefined;
  const end = at + match[0].length;
  const first = toClockTime(match.slice(2, 7), undefined);
  const second = toClockTime(match.slice(7, 12), undefined);
  const isSecond = second.isPlain || (!isCounted(line, end, end) && NO_NOUN_PATTERN.test(line.slice(end)));
  if ((match[1] === undefined && !first.isPlain && !second.isPlain) || !isSecond) return undefined;
  const isTime = listCandidates(first).length > 0 && listCandidates(second).length > 0;
  return isTime ? { end, part: createWrongPart(ONE_TIME_MESSAGE) } : undefined;
};

/** Midnight of a day is its end or its start. */
const MIDNIGHT: readonly TimeRange[] = [{ time: '00:00', later: 1 }, { time: '00:00' }];
const isMidnight = (text: string): boolean => /midnight|\b24[:h.]?(?:00)?\b|\b12(?:[:.]00)? (?:at )?night/i.test(text);

const END = `(?:until |till? |bis )${CLOCK_TIME}${DAY_PART}`;

/** 'until 2am', for a time that is elsewhere in the line. */
export const readEnd: Reader = (line, at) => {
  const match = matchAt(END, line, at);
  if (!match) return undefined;
  const dayPart = match.slice(6).find((word) => word !== undefined);
  const clockTime = toClockTime(match.slice(1, 6), dayPart);
  const times = listCandidates(clockTime);
  if (times.length === 0) return { end: at + match[0].length, part: createWrongTimePart(clockTime) };
  return clockTime.isPlain ? { end: at + match[0].length, part: { kind: 'ends', times } } : undefined;
};

const SINGLE = `(at |@ ?|by |from |after |before |um |ab |gegen |around |about |circa |ca\\.? )?${CLOCK_TIME}(?:[- ]?ish)?${DAY_PART}(?: (?:till?|until) late| ?[-–] ?late| onwards?| sharp)?`;
/** '42 High Street' and '5 Guys' are places. */
const FOLLOWING_PLACE_PATTERN =
  /^ (?:\p{L}+ )?(?:St|Street|Rd|Road|Ave|Avenue|Lane|Ln|Dr|Drive|Way|Blvd|Square|Sq|Place|Court|Terrace|Park|Guys)(?!\p{L})/iu;

const readSingle: Reader = (line, at, today) => {
  const match = matchAt(SINGLE, line, at);
  if (!match) return undefined;
  const part = match.slice(7).find((word) => word !== undefined);
  const read = toClockTime(match.slice(2, 7), part);
  const clockTime = { ...read, isPlain: read.isPlain || / (?:in the|at) \p{L}+$/u.test(match[0]) };
  // 'from 5' may be a date.
  if (!clockTime.isPlain && (match[1] === undefined || /^(?:from|after|before|around|about|ci?r?ca)/i.test(match[1])))
    return undefined;
  if (!clockTime.isPlain && (clockTime.hour > 24 || FOLLOWING_PLACE_PATTERN.test(line.slice(at + match[0].length))))
    return undefined;
  const times = isMidnight(match[0]) ? MIDNIGHT : listCandidates(clockTime).map((time) => ({ time }));
  const timed: LinePart = times.length > 0 ? { kind: 'time', times } : createWrongTimePart(clockTime);
  const end = at + match[0].length;
  // '5a' may be a class or a flat: it is a time only after a day.
  if (/^\d{1,2}a$/i.test(match[0]))
    return createOptionalPart({
      end,
      part: timed,
      fits: ({ left, has }) => left !== undefined && isDaySection(left) && !has('time'),
    });
  return readDottedTime(line, at, today, { end, part: timed });
};

/** The usual closing time of offices. */
const END_OF_DAY: LinePart = { kind: 'time', times: [{ time: '17:00' }] };
/** 'by end of day', 'COB'. After an article it is a noun: 'corn on the cob', 'the end of day report'. */
const readEndOfDay = createReader(
  /(?:(?<lead>by|before|at) (?:the )?|(?<!(?:^|\s)(?:the|an?|corn(?: on)?|sweetcorn) ))(?:end of (?:the )?(?:business |working )?day|close of (?:business|play))/u,
  ({ end, word }) =>
    word('lead') === '' ? createOptionalPart({ end, part: END_OF_DAY, fits: isOnlyTime }) : END_OF_DAY,
);

const timeReaders = [
  readEndOfDay,
  readMinutesOfHour,
  readInvitation,
  readRange,
  readSeveral,
  readTimeInWords,
  readSingle,
] as const;

/** Reads a time of day or a range. */
export const readTime: Reader = (line, at, today) => readFirst(timeReaders, line, at, today);

const isDaySection = ({ part, half }: LineSection): boolean =>
  half !== undefined || part.kind === 'date' || part.kind === 'repeat';
const BARE_HOUR =
  /(?<about>(?:around |about |circa |ca\.? |at about |at around )?)(?<hour>[1-9]|1\d|2[0-4])(?<ish>[- ]?ish)?(?![:.,]\d)/;

/**
 * '7' after a day or a part of the day: 'tomorrow night 9', 'every morning 7', 'lunch Friday 12'; also '9ish', 'about
 * 9'.
 */
const readBareHour = createReader(BARE_HOUR, ({ end, word }, _today, line) => {
  const hour = Number(word('hour'));
  const times = listCandidates({ hour, minute: 0, half: 'either', isPlain: false }).map((time) => ({ time }));
  const part: LinePart = { kind: 'time', times };
  if (word('ish') !== '') return part;
  if (word('about') !== '') return createOptionalPart({ end, part, fits: isOnlyTime });
  function followsDay(neighbours: Neighbours): boolean {
    const { left } = neighbours;
    const isDay = left !== undefined && isDaySection(left) && /\p{L}$/u.test(line.slice(left.start, left.end));
    return isDay && isOnlyTime(neighbours);
  }
  // 'Friday night 9 party' has a time, 'Friday night 2 movies' a count.
  const isCount = isCounted(line, end, end) || /^ \p{L}+s(?!\p{L})/u.test(line.slice(end));
  const followsDayHalf = (neighbours: Neighbours): boolean =>
    neighbours.left?.half !== undefined && !neighbours.has('time', 'ends') && (isClosing(neighbours) || !isCount);
  return createOptionalPart(
    { end, part, fits: (neighbours) => followsDayHalf(neighbours) && followsDay(neighbours) },
    { end, part: toPartOrName(part), fits: followsDayHalf },
    { end, part: toPartOrName(part), fits: followsDay },
  );
});

const FOUR_DIGITS = (name: string): string => `(?<${name}>(?:[01]\\d|2[0-3])[0-5]\\d)(?: ?(?:h|hrs?|hours))?`;
const MILITARY = `(?<lead>at |@ ?|from |between |by )?${FOUR_DIGITS('from')}(?:\\s*(?:-|–|—|to|until|till?)\\s*${FOUR_DIGITS('until')})?`;
/** What digits without a time follow, and codes such as 'BA 1430'. */
const NO_TIME_PATTERN =
  /(?:\b(?:pay|owe|transfer|save|send|lend|spend|run|walk|steps|flight|train|bus|route|room|suite|codes?|pin|year|since|in|of)|\b(?-i:[A-Z]{2,3}))\s$/iu;
const parseMilitaryTime = (digits: string): ClockTime => ({
  hour: Number(digits.slice(0, 2)),
  minute: Number(digits.slice(2)),
  half: 'clock',
  isPlain: true,
});

/** '1430' after a day, and '1400-1500'. */
const readFourDigits: Reader = (line, at) => {
  const match = matchWordsAt(MILITARY, line, at);
  if (
    !match ||
    (match.word('lead') === '' && NO_TIME_PATTERN.test(line.slice(0, at))) ||
    /^[-–/.]\d/.test(line.slice(match.end))
  )
    return undefined;
  const { end, text, word } = match;
  const from = parseMilitaryTime(word('from'));
  const isRange = word('until') !== '';
  const part: LinePart = isRange
    ? createRangePart(from, parseMilitaryTime(word('until')))
    : { kind: 'time', times: listCandidates(from).map((time) => ({ time })) };
  const isPlain = word('lead') !== '' || /h|hours?$/i.test(text);
  const fits = ({ left, right, has, isLast }: Neighbours): boolean =>
    !has('time') && (isPlain || left !== undefined || right !== undefined || (isLast && isRange));
  return createOptionalPart({ end, part: isPlain || isRange ? part : toPartOrName(part), fits });
};

/** '830' after a day: 'call tomorrow 830'; 'at 830'. */
const readThreeDigits = createReader(/(?<lead>(?:at |@ ?|by ))?(?<hour>[1-9])(?<minute>[0-5][05])/, ({ end, word }) => {
  const clockTime: ClockTime = {
    hour: Number(word('hour')),
    minute: Number(word('minute')),
    half: 'either',
    isPlain: true,
  };
  const part: LinePart = { kind: 'time', times: listCandidates(clockTime).map((time) => ({ time })) };
  const fits = (neighbours: Neighbours): boolean =>
    isOnlyTime(neighbours) &&
    (word('lead') !== ''
      ? neighbours.has('date', 'repeat')
      : neighbours.left !== undefined && isDaySection(neighbours.left));
  return createOptionalPart({ end, part: toPartOrName(part), fits });
});

/** Digits that are a time next to a day. */
export const readBareTime: Reader = (line, at, today) =>
  readFourDigits(line, at, today) ?? readThreeDigits(line, at, today) ?? readBareHour(line, at, today);
