import { toCivilDate, type Day, getMonday } from '#platform/contract/day.ts';
import { getDayOfMonth, getMonthIndex } from '../../events/domain/day.ts';
import { MAX_END_DAYS } from '../../events/domain/eventDraft.ts';
import { getDuration } from './clockTimes.ts';
import { readDate } from './dates.ts';
import {
  AWAY_PATTERN,
  findNextDate,
  createDatePart,
  parseYear,
  getLastOfMonth,
  MONTH,
  parseMonth,
} from './dayNames.ts';
import { readHolidayName } from './holidays.ts';
import {
  findFirstMatch,
  readFirst,
  followsBound,
  isClosing,
  isOpenRepeat,
  matchAt,
  createOptionalPart,
  type Neighbours,
  type LinePart,
  type Reader,
  matchWordsAt,
  createWrongPart,
} from './lineScanner.ts';
import { readTime } from './times.ts';

const BETWEEN = '\\s*(?:-|–|—|~|→|to|until|till?|through|thru|(?<=\\bbetween .*)and)\\s*';
const SPANS = [
  `(?:from )?(?:the )?(?<first>\\d{1,2})(?:st|nd|rd|th)?${BETWEEN}(?<last>\\d{1,2})(?:st|nd|rd|th)? (?:of )?(?<month>${MONTH})(?:,? (?<year>\\d{4}))?`,
  `(?:from )?(?<month>${MONTH}) (?<first>\\d{1,2})(?:st|nd|rd|th)?${BETWEEN}(?<last>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?`,
];

const toSpan = (from: Day, until: Day): LinePart =>
  until < from ? createWrongPart('The last day must not be before the first day') : { kind: 'span', from, until };

/** '3-7 December', 'December 3 to 7': one month for both days. */
const readShortSpan: Reader = (line, at, today) => {
  const match = findFirstMatch(SPANS, line, at);
  if (!match) return undefined;
  const { end, word } = match;
  const month = parseMonth(word('month'));
  const from = createDatePart(today, month, Number(word('first')), parseYear(word('year') || undefined));
  if (from.kind !== 'date') return { end, part: from };
  const [start = today] = from.days;
  const until = createDatePart(start, month, Number(word('last')), toCivilDate(start).year);
  return { end, part: until.kind === 'date' ? toSpan(start, until.days[0] ?? start) : until };
};

const ORDINAL = '(\\d{1,2})(?:st|nd|rd|th)';
const ORDINAL_SPAN = `(?:from |between )?(?:the )?${ORDINAL}${BETWEEN}(?:the )?${ORDINAL}`;

/** '24th-26th' of the next such month. */
const readOrdinalSpan: Reader = (line, at, today) => {
  const match = matchAt(ORDINAL_SPAN, line, at);
  if (!match) return undefined;
  const [first, last] = [Number(match[1]), Number(match[2])];
  if ([first, last].some((date) => date < 1 || date > 31)) return undefined;
  const end = at + match[0].length;
  const from = findNextDate(today, first);
  const part = toSpan(from, findNextDate(from, last));
  return createOptionalPart({ end, part, fits: isClosing });
};

/** Reads a day where only a day is possible, so that '15th' needs no further evidence. */
const readDay: Reader = (line, at, today) => {
  const dayPart = readHolidayName(line, at, today) ?? readDate(line, at, today);
  const [option] = dayPart?.part.kind === 'maybe' ? dayPart.part.options : [];
  return option ? { end: option.end, part: option.part } : dayPart;
};

const MONTH_ALONE = `(?<month>${MONTH})(?:,? (?<year>\\d{4}))?(?! (?:the )?\\d{1,2}(?:st|nd|rd|th)?(?![\\d:.\\-–]| ?[ap]\\.?m|h|\\p{L}))`;
/** Reads a month alone as its first day. */
const readMonthAlone: Reader = (line, at, today) => {
  const match = matchAt(MONTH_ALONE, line, at);
  if (!match?.groups) return undefined;
  const { month = '', year } = match.groups;
  const isNow = year === undefined && parseMonth(month) === toCivilDate(today).month;
  const part: LinePart = isNow
    ? { kind: 'date', days: [today] }
    : createDatePart(today, parseMonth(month), 1, parseYear(year));
  return { end: at + match[0].length, part };
};

/** Reads the last day of a bound: 'Friday', 'March', 'the end of next month'. */
const readBound: Reader = (line, at, today) => {
  const lead = matchAt(/(?:the )?end of(?: the)?(?= )/, line, at);
  const start = lead ? at + lead[0].length + 1 : at;
  const month = readMonthAlone(line, start, today);
  if (month?.part.kind === 'date')
    return { end: month.end, part: { kind: 'date', days: month.part.days.map(getLastOfMonth) } };
  return readDay(line, at, today);
};

const JOINT = new RegExp(BETWEEN, 'iuy');
function skipJoint(line: string, at: number): number | undefined {
  JOINT.lastIndex = at;
  return JOINT.test(line) ? JOINT.lastIndex : undefined;
}

const toSpanFrom = (last: ReturnType<Reader>, from: Day): ReturnType<Reader> =>
  last?.part.kind === 'date' ? { end: last.end, part: toSpan(from, last.part.days[0] ?? from) } : last;

/** 'from Monday to Friday', '3 Dec - 2 Jan', 'jan to march': the end is after the start. */
const readLongSpan: Reader = (line, at, today) => {
  const lead = matchAt(/(?:from|between)(?= )/, line, at);
  const start = lead ? at + lead[0].length + 1 : at;
  const month = readMonthAlone(line, start, today);
  const begin = month ?? readDay(line, start, today);
  const jointEnd = begin && skipJoint(line, begin.end);
  if (begin?.part.kind !== 'date' || jointEnd === undefined) return undefined;
  // 'March' may be a name: without 'from', another month must follow.
  const isName = month !== undefined && !lead && !matchAt(MONTH_ALONE, line, jointEnd);
  const [from = today] = begin.part.days;
  return isName ? undefined : toSpanFrom(readBound(line, jointEnd, from), from);
};

/** 'every Tuesday to 30 March'. */
const readTo: Reader = (line, at, today) => {
  const lead = matchAt(/to(?= )/, line, at);
  const last = lead && readBound(line, at + lead[0].length + 1, today);
  if (last?.part.kind !== 'date') return undefined;
  const part: LinePart = { kind: 'until', day: last.part.days[0] ?? today };
  return createOptionalPart({ end: last.end, part, fits: ({ has }) => has('repeat') });
};

/** Creates a part that bounds a repeat, and is the date of other events. */
const createBoundPart = (end: number, part: LinePart, date: ReturnType<Reader>): ReturnType<Reader> =>
  createOptionalPart({ end, part, fits: isOpenRepeat }, ...(date ? [{ ...date, fits: () => true }] : []));

/** 'in March' bounds a repeat such as 'every Tuesday in March'. */
const readDuring: Reader = (line, at, today) => {
  const lead = matchAt(/(?:during|throughout|in)(?= )/, line, at);
  const month = lead && readMonthAlone(line, at + lead[0].length + 1, today);
  if (month?.part.kind !== 'date' || /year|annual/i.test(line)) return undefined;
  const [from = today] = month.part.days;
  return createBoundPart(month.end, toSpan(from, getLastOfMonth(from)), readDate(line, at, today));
};

const isOpenStart = ({ has }: Neighbours): boolean => has('repeat') && !has('date', 'span');

/** 'from March' is the start of a repeat. */
const readFrom: Reader = (line, at, today) => {
  const lead = matchAt(/(?:from|as of|as from|starting|beginning|commencing)(?: in| from| on)?(?= )/, line, at);
  if (!lead) return undefined;
  const start = at + lead[0].length + 1;
  const month = readMonthAlone(line, start, today);
  if (month) return createOptionalPart({ ...month, fits: isOpenStart });
  const day = readDay(line, start, today);
  return day?.part.kind === 'date' ? day : undefined;
};

function skipSpace(line: string, at: number): number {
  const space = /,? ?/uy;
  space.lastIndex = at;
  space.exec(line);
  return space.lastIndex;
}

/** Reads a day and a time, in either order. */
function readMoment(line: string, at: number, today: Day) {
  for (const [first, second] of [
    [readDate, readTime],
    [readTime, readDate],
  ] as const) {
    const one = first(line, at, today);
    const other = one && second(line, skipSpace(line, one.end), today);
    const parts = [one?.part, other?.part];
    const day = parts.find((part) => part?.kind === 'date')?.days[0];
    const times = parts.find((part) => part?.kind === 'time')?.times;
    if (other && day !== undefined && times) return { end: other.end, day, times: times.map(({ time }) => time) };
  }
  return undefined;
}

/** 'from 31 December 22:00 to 1 January 02:00', 'Friday 17:00 until Sunday 12:00'. */
const readMomentSpan: Reader = (line, at, today) => {
  const begin = readMoment(line, matchAt(/from(?= )/, line, at) ? at + 5 : at, today);
  if (!begin) return undefined;
  const jointEnd = skipJoint(line, begin.end);
  const last = jointEnd === undefined ? undefined : readMoment(line, jointEnd, begin.day);
  if (!last) return undefined;
  const endDays = last.day - begin.day;
  const [time = ''] = begin.times;
  const times = last.times.map((endTime) => ({ time, endTime, endDays })).filter((range) => getDuration(range) > 0);
  if (endDays > MAX_END_DAYS) return { end: last.end, part: createWrongPart('That is longer than a year') };
  if (times.length === 0) return { end: last.end, part: createWrongPart('The end must be after the start') };
  return { end: last.end, part: { kind: 'stretch', from: begin.day, times } };
};

/** 'until Friday', 'until Christmas', 'till the end of March', 'ending 5 May'. */
const readUntil: Reader = (line, at, today) => {
  const until = matchAt(/(?:until|till?|through|thru|up to|ending|bis)(?: on| in)?(?= )/, line, at);
  const last = until && readBound(line, at + until[0].length + 1, today);
  return last?.part.kind === 'date'
    ? { end: last.end, part: { kind: 'until', day: last.part.days[0] ?? today } }
    : last;
};

const PERIOD =
  /(?<all>all (?:of )?|the whole |(?:the )?entire )?(?<which>this |next |the )?(?<unit>week|weekend|month)(?: long)?/;
function toPeriod(today: Day, unit: string, isNext: boolean): LinePart {
  const monday = getMonday(today) + (isNext ? 7 : 0);
  const month = getMonthIndex(toCivilDate(today)) + (isNext ? 1 : 0);
  const isWeekend = unit === 'weekend';
  const [from, until] =
    unit === 'month' ? [getDayOfMonth(month, 1), getDayOfMonth(month, 31)] : [monday + (isWeekend ? 5 : 0), monday + 6];
  return toSpan(Math.max(from, today), until);
}

/** 'all week', 'all next month'; 'next week' alone only for things that last: 'away next week'. */
const readPeriod: Reader = (line, at, today) => {
  const match = matchWordsAt(PERIOD, line, at);
  const isNamed = match !== undefined && /^(?:this|next)/i.test(match.word('which'));
  if (!match || (match.word('all') === '' && !isNamed)) return undefined;
  const { end, word } = match;
  const part = toPeriod(today, word('unit').toLowerCase(), /^next/i.test(word('which')));
  if (word('all') !== '' || AWAY_PATTERN.test(line)) return { end, part };
  // 'next week' bounds 'every day next week', but is a date in 'call Jo next week'.
  return createBoundPart(end, part, readDate(line, at, today));
};

const spanReaders = [
  readMomentSpan,
  readShortSpan,
  readOrdinalSpan,
  readLongSpan,
  readUntil,
  readTo,
  readDuring,
  readFrom,
  readPeriod,
] as const;

/** Reads several days, or the last of them. */
export const readSpan: Reader = (line, at, today) => {
  const span = readFirst(spanReaders, line, at, today);
  // 'before 3-7 December' is no span of its own, and neither is a part of it.
  return span && followsBound(line, at)
    ? { end: span.end, part: { kind: 'name', text: line.slice(at, span.end) } }
    : span;
};
