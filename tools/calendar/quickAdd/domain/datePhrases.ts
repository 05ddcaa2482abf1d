import { toCivilDate, type Day, LAST_DAY, getMonday } from '#platform/contract/day.ts';
import { addMonths, getDayOfMonth, getMonthIndex, getWeekday } from '../../events/domain/day.ts';
import {
  AWAY_PATTERN,
  findNextWeekday,
  DATE_WORD,
  createDatePart,
  parseDateOfMonth,
  WEEKDAY,
  parseWeekday,
} from './dayNames.ts';
import {
  COUNT,
  parseCount,
  createReader,
  findFirstMatch,
  readFirst,
  isClosing,
  type Match,
  matchAt,
  createOptionalPart,
  type LinePart,
  type Reader,
  createWrongPart,
} from './lineScanner.ts';

const ADD_BY_UNIT: Readonly<Record<string, (today: Day, amount: number) => Day>> = {
  d: (today, amount) => today + amount,
  w: (today, amount) => today + 7 * amount,
  f: (today, amount) => today + 14 * amount,
  m: addMonths,
  y: (today, amount) => addMonths(today, 12 * amount),
};

const MAX_AMOUNT_BY_UNIT: Readonly<Record<string, number>> = { d: 400_000, w: 50_000, f: 25_000, m: 12_000, y: 1000 };

const WHICH_MONTH = '(?<which>this|next) month';

const DATE_ALONE = `(?:on )?(?:the )?(?<date>\\d{1,2}(?:st|nd|rd|th)|${DATE_WORD})`;

function readDateOfMonth({ word }: Match, today: Day): LinePart {
  const { year, month } = toCivilDate(
    getDayOfMonth(getMonthIndex(toCivilDate(today)) + (/^next/i.test(word('which')) ? 1 : 0), 1),
  );
  return createDatePart(today, month, parseDateOfMonth(word('date')), year);
}

/** 'on the 3rd of next month'. */
const readDateThenMonth = createReader(`${DATE_ALONE} (?:of )?${WHICH_MONTH}`, readDateOfMonth);

/** 'next month on the 3rd'. */
const readMonthThenDate = createReader(`${WHICH_MONTH},? ${DATE_ALONE}`, readDateOfMonth);

const WHICH_WEEK = '(?<which>this|next) week';

const A_WEEKDAY = '(?<weekday>(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:day|nesday|urday)?)';

const readDayOfWeek = ({ word }: Match, today: Day): LinePart => ({
  kind: 'date',
  days: [getMonday(today) + parseWeekday(word('weekday')) - 1 + (/^next/i.test(word('which')) ? 7 : 0)],
});

/** 'Tuesday of next week'. */
const readDayThenWeek = createReader(`(?:on )?${A_WEEKDAY},? (?:of )?${WHICH_WEEK}`, readDayOfWeek);

/** 'next week on Tuesday'. */
const readWeekThenDay = createReader(`${WHICH_WEEK},? (?:on )?${A_WEEKDAY}`, readDayOfWeek);

/** 'in 2 weeks on Monday'. */
const readWeeksThenDay = createReader(`in (?<count>${COUNT}) weeks?,? on (?:the )?${A_WEEKDAY}`, ({ word }, today) => ({
  kind: 'date',
  days: [
    getMonday(today) +
      7 * Math.min(parseCount(word('count')), MAX_AMOUNT_BY_UNIT['w'] ?? 0) +
      parseWeekday(word('weekday')) -
      1,
  ],
}));

/** 'the Monday after next'. */
const readAfterNext = createReader(`(?:on )?(?:the )?${A_WEEKDAY} after next`, ({ word }, today) => ({
  kind: 'date',
  days: [findNextWeekday(today + 1, parseWeekday(word('weekday'))) + 7],
}));

/** 'tomorrow', 'in 3 weeks', 'next month', 'this weekend'. */
const PHRASES: readonly (readonly [RegExp, (today: Day) => readonly Day[]])[] = [
  [/(?:the )?day after tomorrow/, (today) => [today + 2]],
  [/(?:the )?day before yesterday/, (today) => [today - 2]],
  [/(?:today|this day) week|a week (?:from )?today/, (today) => [today + 7]],
  [/tomorrow week|a week tomorrow/, (today) => [today + 8]],
  [/(?:a )?fortnight today/, (today) => [today + 14]],
  [/(?:a )?fortnight tomorrow/, (today) => [today + 15]],
  [/(?:later |earlier )?today|(?:later )?tonight|(?:later )?this (?:morning|afternoon|evening)/, (today) => [today]],
  [/tomorrow|tom(?= (?:early )?(?:mornings?|afternoon|evening|eve|night|am|pm)(?!\p{L}))/u, (today) => [today + 1]],
  [/yesterday/, (today) => [today - 1]],
  [/next week/, (today) => [today + 7, getMonday(today) + 7]],
  [/(?:in )?(?:the )?week after next/, (today) => [today + 14]],
  [/(?:in )?(?:the )?month after next/, (today) => [addMonths(today, 2)]],
  [
    /(?:(?:at|by|before) )?(?:the )?end of (?:the |this )?week/,
    (today) => [getWeekday(today) > 5 ? getMonday(today) + 6 : getMonday(today) + 4],
  ],
  [/(?:(?:at|by|before) )?(?:the )?end of next week/, (today) => [getMonday(today) + 11]],
  [
    /(?:(?:at|by|before) )?(?:the )?end of next month/,
    (today) => [getDayOfMonth(getMonthIndex(toCivilDate(today)) + 1, 31)],
  ],
  [/next month/, (today) => [addMonths(today, 1), getDayOfMonth(getMonthIndex(toCivilDate(today)) + 1, 1)]],
  [/next year/, (today) => [addMonths(today, 12), getDayOfMonth((toCivilDate(today).year + 1) * 12, 1)]],
  [
    /(?:(?:on|at|over) )?(?:this|the) weekend/,
    (today) => [getWeekday(today) === 7 ? today : findNextWeekday(today, 6)],
  ],
  [/(?:(?:on|at|over) )?next weekend/, (today) => [getMonday(today) + 12]],
  [
    /(?:(?:at|by|before) )?(?:the )?end of (?:the |this )?month/,
    (today) => [getDayOfMonth(getMonthIndex(toCivilDate(today)), 31)],
  ],
  [
    /(?:(?:at|by|before) )?(?:the )?end of (?:the |this )?quarter/,
    (today) => [getDayOfMonth(Math.floor(getMonthIndex(toCivilDate(today)) / 3) * 3 + 2, 31)],
  ],
  [
    /(?:(?:at|by|before) )?(?:the )?end of (?:the |this )?year/,
    (today) => [getDayOfMonth(toCivilDate(today).year * 12 + 11, 31)],
  ],
];

const readPhrase: Reader = (line, at, today) => {
  for (const [pattern, days] of PHRASES) {
    const match = matchAt(pattern, line, at);
    if (match) return { end: at + match[0].length, part: { kind: 'date', days: [...new Set(days(today))] } };
  }
  return undefined;
};

/** 'weekend' at the end, and 'tom', which is short for tomorrow in India but may also be a name. */
const readShort: Reader = (line, at, today) => {
  const match = matchAt(/weekend|tom/, line, at);
  if (!match || match[0].startsWith('T')) return undefined;
  const end = at + match[0].length;
  const isTom = match[0] === 'tom';
  const part: LinePart = {
    kind: 'date',
    days: [isTom ? today + 1 : getWeekday(today) === 7 ? today : findNextWeekday(today, 6)],
  };
  return createOptionalPart({
    end,
    part: { kind: 'either', options: isTom && isPerson(line, at) ? [undefined, part] : [part, undefined] },
    fits: (neighbours) => !neighbours.isFirst && isClosing(neighbours) && !neighbours.has('date', 'span', 'repeat'),
  });
};

/** Whether it is a person's name: 'call tom', 'dinner with tom'. */
const isPerson = (line: string, at: number): boolean =>
  /(?:^|\s)(?:and|&|with|for|to|from|by|of|at|see|meet|call|ring|phone|text|email|ask|tell|pay|visit|mr|uncle|remind|help|bring|pick up|collect) $/iu.test(
    line.slice(0, at),
  );

const UNIT = '(?<unit>day|week|fortnight|month|year)s?';

const DISTANCES = [
  `in (?:about )?(?<count>${COUNT}|a couple of|a few) ${UNIT}(?:['’]?s?['’]? time)?`,
  `(?<count>${COUNT}) ${UNIT} from (?:now|today)|(?<amount>two|three|four) (?<weeks>weeks) (?:today|(?<start>tomorrow))`,
  `(?<count>${COUNT}) ${UNIT} (?:from|after|(?<=week |fortnight )on) (?<from>tomorrow|(?:next )?${WEEKDAY})`,
  `(?<unit>fortnight) (?:from|on) (?<from>tomorrow|(?:next )?${WEEKDAY})`,
];

const findStart = (today: Day, text: string): Day =>
  text === '' ? today : /^tom/i.test(text) ? today + 1 : findNextWeekday(today, parseWeekday(text));

function addToDay(start: Day, count: number, unit: string): Day {
  const key = unit.charAt(0).toLowerCase();
  return count > (MAX_AMOUNT_BY_UNIT[key] ?? 0) ? Infinity : (ADD_BY_UNIT[key]?.(start, count) ?? Infinity);
}

/** 'in 3 weeks', 'a week from Friday'. */
const readDistance: Reader = (line, at, today) => {
  const match = findFirstMatch(DISTANCES, line, at);
  const start = match ? (match.word('from') || match.word('start')).replace(/^next /i, '') : '';
  // 'holiday 2 weeks from Monday' starts on Monday.
  if (!match || (start !== '' && AWAY_PATTERN.test(line))) return undefined;
  const count = parseCount(match.word('count') || match.word('amount'));
  const day = addToDay(findStart(today, start), count, match.word('unit') || match.word('weeks'));
  return {
    end: match.end,
    part: day > LAST_DAY ? createWrongPart('That is too far in the future') : { kind: 'date', days: [day] },
  };
};

const relativeReaders = [
  readDateThenMonth,
  readMonthThenDate,
  readDayThenWeek,
  readWeekThenDay,
  readWeeksThenDay,
  readAfterNext,
] as const;

/** 'the 3rd of next month', 'Tuesday of next week', 'the Monday after next'. */
export const readRelativeDay: Reader = (line, at, today) => readFirst(relativeReaders, line, at, today);

const phraseReaders = [readPhrase, readShort, readDistance] as const;

/** 'tomorrow', 'this weekend', 'end of month', 'in 3 weeks'. */
export const readDayPhrase: Reader = (line, at, today) => readFirst(phraseReaders, line, at, today);
