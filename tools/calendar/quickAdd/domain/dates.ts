import { toCivilDate, type Day, getMonday } from '#platform/contract/day.ts';
import { formatDate, getWeekdayName, formatWeekday } from '../../events/domain/dateNames.ts';
import { parseDay, getWeekday } from '../../events/domain/day.ts';
import { readDayPhrase, readRelativeDay } from './datePhrases.ts';
import {
  findNextDate,
  findNextWeekday,
  DATE_WORD,
  createDatePart,
  parseDateOfMonth,
  parseYear,
  MONTH,
  parseMonth,
  WEEKDAY,
  parseWeekday,
} from './dayNames.ts';
import {
  readFirst,
  followsBound,
  isClosing,
  matchAt,
  createOptionalPart,
  type Neighbours,
  type LinePart,
  type Reader,
  matchWordsAt,
  createWrongPart,
} from './lineScanner.ts';

/** Words after which a year is in the past. */
const PAST_YEAR_PATTERN = /born|birth|anniversary|wedding|married|died|since|founded/iu;

/** Whether four digits are a year: '1 December 1430' has a time, '1 December 2030' a year. */
function isYear(text: string, today: Day, line: string): boolean {
  const year = Number(text);
  const { year: thisYear } = toCivilDate(today);
  const isTime = year < 2400 && year % 100 < 60;
  return !isTime || (year >= thisYear - 1 && year <= thisYear + 33) || (PAST_YEAR_PATTERN.test(line) && year > 1500);
}

/** '3/4': day and month first, then month and day if that is a date too. */
function readSlashDate(today: Day, [first, second]: readonly [number, number], year: number | undefined): LinePart {
  const parts = [
    ...(second >= 1 && second <= 12 ? [createDatePart(today, second, first, year)] : []),
    ...(first >= 1 && first <= 12 && first !== second ? [createDatePart(today, first, second, year)] : []),
  ];
  const days = parts.flatMap((part) => (part.kind === 'date' ? part.days : []));
  return days.length > 0 ? { kind: 'date', days } : (parts[0] ?? createWrongPart(`There is no month ${second}`));
}

const readIso: Reader = (line, at) => {
  const match = matchAt(
    /(?:on )?(\d{4}-\d{2}-\d{2}|\d{4}\/\d{1,2}\/\d{1,2}|\d{1,2}-\d{1,2}-\d{4}|\d{2}-\d{2}-\d{2}|20\d{2}(?:0[1-9]|1[0-2])[0-3]\d)/,
    line,
    at,
  );
  if (!match?.[1]) return undefined;
  const isoText = match[1]
    .replaceAll(/\/(\d)(?!\d)/g, '/0$1')
    .replaceAll('/', '-')
    .replace(/^(\d{2}-\d{2}-)(?=\d{2}$)/, (dayAndMonth) => `${dayAndMonth}20`)
    .replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  const day = parseDay(isoText);
  return {
    end: at + match[0].length,
    part: day === undefined ? createWrongPart(`${match[1]} is not a date`) : { kind: 'date', days: [day] },
  };
};

const readNumbers: Reader = (line, at, today) => {
  if (/\b(?:version|release|build|v)[:.]? $/iu.test(line.slice(0, at))) return undefined;
  const dotted = matchAt(/(?:on )?(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?/, line, at);
  if (dotted) {
    const [all, date, month, year] = dotted;
    const isMonth = Number(month) >= 1 && Number(month) <= 12;
    const part = isMonth
      ? createDatePart(today, Number(month), Number(date), parseYear(year))
      : createWrongPart(`There is no month ${month}`);
    return { end: at + all.length, part };
  }
  const match = matchAt(/(?:on )?(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?/, line, at);
  if (!match) return undefined;
  return {
    end: at + match[0].length,
    part: readSlashDate(today, [Number(match[1]), Number(match[2])], parseYear(match[3])),
  };
};

/** The forms of a date with the name of a month, with their groups. */
const MONTH_FORMS = [
  `(?:on |by )?(?:the )?(?<date>\\d{1,2}(?:st|nd|rd|th)?)(?: of |[ -]?)(?<month>${MONTH})`,
  `(?:on |by )?(?:the )?(?<date>${DATE_WORD}) (?:of )?(?<month>${MONTH})`,
  `(?:on |by )?(?:the )?(?<month>${MONTH})(?: (?:the )?|-|(?<=\\p{L}))(?<date>\\d{1,2}(?:st|nd|rd|th)?)(?![:.]\\d)`,
  `(?:on |by )?(?<month>${MONTH}) (?:the )?(?<date>${DATE_WORD})`,
  `in (?<month>${MONTH})`,
  `(?<alone>(?<month>${MONTH}))(?= \\d{4}(?![\\d:.]))`,
];

/** Reads the year after a date, if the four digits are one. */
function readYearAfter(line: string, at: number, today: Day): { readonly end: number; readonly year?: number } {
  const match = matchWordsAt(/(?:,? |-)(?<year>\d{4})(?![:.]\d)|,? ?['’](?<short>\d{2})/, line, at);
  if (match && match.word('short') !== '') return { end: match.end, year: 2000 + Number(match.word('short')) };
  const text = match?.word('year') ?? '';
  return match && isYear(text, today, line) ? { end: match.end, year: Number(text) } : { end: at };
}

export const readMonth: Reader = (line, at, today) => {
  for (const form of MONTH_FORMS) {
    const match = matchWordsAt(form, line, at);
    if (!match) continue;
    const { end, year } = readYearAfter(line, match.end, today);
    const date = match.word('date') || '1';
    // A month alone needs a year, because 'March' may be a word of the name.
    if (year === undefined && match.word('alone') !== '') continue;
    return { end, part: createDatePart(today, parseMonth(match.word('month')), parseDateOfMonth(date), year) };
  }
  return undefined;
};

/** 'the day after Friday'. */
const readAdjacentDay: Reader = (line, at, today) => {
  const lead = matchWordsAt(/(?:on )?(?:the )?day (?<side>before|after)(?= )/, line, at);
  const date =
    lead && readFirst([readIso, readNumbers, readMonth, readOrdinal, readWeekday], line, lead.end + 1, today);
  if (date?.part.kind !== 'date') return undefined;
  const by = /^b/i.test(lead?.word('side') ?? '') ? -1 : 1;
  return { end: date.end, part: { kind: 'date', days: date.part.days.map((day) => day + by) } };
};

const ORDINAL_ALONE = `(?<on>on )?(?<the>the )?(?<ordinal>\\d{1,2}(?:st|nd|rd|th)|(?<=on the )(?:${DATE_WORD}))`;

/** 'the 15th', or '15th' next to a time or at the end. */
const readOrdinal: Reader = (line, at, today) => {
  const match = matchWordsAt(ORDINAL_ALONE, line, at);
  if (!match) return undefined;
  const { end, word } = match;
  const date = parseDateOfMonth(word('ordinal'));
  const exists = date >= 1 && date <= 31;
  const part: LinePart = exists
    ? { kind: 'date', days: [findNextDate(today, date)] }
    : createWrongPart(`No month has a ${word('ordinal')}`);
  // 'The Fifth Element' is no day.
  if (word('the') !== '' && /\d/.test(word('ordinal'))) return { end, part };
  // "Anna's 18th" is no day.
  if (!exists || /['’]s $/u.test(line.slice(0, at))) return undefined;
  const isLead = word('on') !== '';
  const fits = (neighbours: Neighbours): boolean =>
    !neighbours.has('date', 'span', 'repeat') && (isClosing(neighbours) || (isLead && neighbours.isFirst));
  return createOptionalPart({ end, part, fits });
};

/** Returns the days that a weekday may mean. */
function listWeekdays(today: Day, weekday: number, which: string): readonly Day[] {
  const coming = findNextWeekday(today, weekday);
  const ofNextWeek = getMonday(today) + 6 + weekday;
  if (which === 'last') return [coming === today ? today - 7 : coming - 7];
  if (which === 'next') return coming === ofNextWeek || coming === today ? [ofNextWeek] : [ofNextWeek, coming];
  if (which === '' && coming === today) return [today, today + 7];
  return [coming];
}

/** What makes 'sat' and 'sun' a day if it follows: a time, or a word that introduces one. */
const FOLLOWING_TIME_PATTERN =
  /^(?:,? ?[\d@#(]|,? (?:at|around|about|from|between|by|until|till?|for|all|noon|midday|midnight|(?:in the )?(?:morning|afternoon|evening|eve|night|am|pm)|half|quarter|every|each)(?![\p{L}\p{N}]))/iu;

/** Whether a short name means a day. 'sat' and 'sun' are also other words, so they need more evidence. */
function isDayName(line: string, end: number, prefix: string, [short, rest]: readonly [string, string]): boolean {
  if (rest !== '') return /^(?:s?day|nesday|urday|rsday)$/i.test(rest); // 'Mondays' repeats.
  if (!/^s/i.test(short)) return true;
  return prefix !== '' || end === line.length || FOLLOWING_TIME_PATTERN.test(line.slice(end));
}

const WEEKDAY_ALONE = `((?:on |by )?)((?:this coming |this |next |coming |last )?)${WEEKDAY}(?<week> week)?`;

const readWeekday: Reader = (line, at, today) => {
  const match = matchAt(WEEKDAY_ALONE, line, at);
  if (!match) return undefined;
  const [all, lead = '', which = '', short = '', rest = ''] = match;
  const end = at + all.length;
  if (!isDayName(line, end, lead + which, [short, rest])) return undefined;
  const days = listWeekdays(today, parseWeekday(short), which.trim().toLowerCase());
  const isLater = match.groups?.['week'] !== undefined;
  const part: LinePart = { kind: 'date', days: isLater ? days.slice(0, 1).map((day) => day + 7) : days };
  // 'Saturday Night Fever' is a title, but may be a day.
  const isTitle = at === 0 && /^[A-Z]\p{L}+ (?:Morning|Afternoon|Evening|Night)s? \p{Lu}\p{L}/u.test(line);
  return { end, part: isTitle ? { kind: 'either', options: [undefined, part] } : part };
};

const WEEKDAY_BEFORE_DATE = `(?:on )?(?:(?:this|next) )?${WEEKDAY},?(?= (?:the )?[\\p{L}\\p{N}])`;

/** 'Tuesday 24 November': the date counts, and the weekday must match it. */
const readWeekdayAndDate: Reader = (line, at, today) => {
  const match = matchAt(WEEKDAY_BEFORE_DATE, line, at);
  if (!match?.[1]) return undefined;
  const date = readFirst([readIso, readNumbers, readMonth, readOrdinal], line, at + match[0].length + 1, today);
  if (date?.part.kind !== 'date') return date;
  const weekday = parseWeekday(match[1]);
  const days = date.part.days.filter((day) => getWeekday(day) === weekday);
  const part: LinePart =
    days.length > 0 ? { kind: 'date', days } : createWrongWeekdayPart(date.part.days[0] ?? today, weekday);
  return { end: date.end, part };
};

const createWrongWeekdayPart = (day: Day, weekday: number): LinePart =>
  createWrongPart(`${formatDate(day)} is a ${formatWeekday(day)}, not a ${getWeekdayName(weekday)}`);

const dateReaders = [
  readRelativeDay,
  readAdjacentDay,
  readWeekdayAndDate,
  readIso,
  readNumbers,
  readMonth,
  readOrdinal,
  readDayPhrase,
  readWeekday,
] as const;

/** Reads a day in words or numbers. */
export const readDate: Reader = (line, at, today) =>
  followsBound(line, at) ? undefined : readFirst(dateReaders, line, at, today);
