import {
  civilOf,
  type Day,
  dayInMonth,
  dayOf,
  LAST_DAY,
  mondayOf,
  monthIndexOf,
  monthLength,
  parseDay,
  weekdayOf,
} from '../day.ts';
import { dateName, MONTHS, nameOfMonth, nameOfWeekday, weekdayName, WEEKDAYS } from '../names.ts';
import { COUNT, countOf, firstOf, matchAt, type Part, type Reader, wrong } from './scan.ts';

const WEEKDAY = '(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)((?:days?|nesdays?|urdays?)?)';
export const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const ORDINAL = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?:,? (\\d{4}))?';

export const weekdayNamed = (text: string): number =>
  WEEKDAYS.findIndex((name) => name.toLowerCase().startsWith(text.toLowerCase().slice(0, 3))) + 1;
export const monthNamed = (text: string): number =>
  MONTHS.findIndex((name) => name.toLowerCase().startsWith(text.toLowerCase().slice(0, 3))) + 1;

/** The first day from `today` on with that weekday. */
export const comingWeekday = (today: Day, weekday: number): Day => today + ((weekday - weekdayOf(today) + 7) % 7);

/** `amount` whole months on, at the same date or the month's last day. */
const monthsOn = (day: Day, amount: number): Day => {
  const civil = civilOf(day);
  return dayInMonth(monthIndexOf(civil) + amount, civil.date);
};

const STEPS: Readonly<Record<string, (today: Day, amount: number) => Day>> = {
  d: (today, amount) => today + amount,
  w: (today, amount) => today + 7 * amount,
  f: (today, amount) => today + 14 * amount,
  m: monthsOn,
  y: (today, amount) => monthsOn(today, 12 * amount),
};
const MOST: Readonly<Record<string, number>> = { d: 400_000, w: 50_000, f: 25_000, m: 12_000, y: 1000 };

/** The date of a month with its year, or without one the next such date from today on. */
export const dated = (today: Day, month: number, date: number, year: number | undefined): Part => {
  const named = `${date} ${nameOfMonth(month)}`;
  if (date < 1 || date > monthLength(2024, month)) return wrong(`There is no ${named}`);
  if (year !== undefined)
    return date > monthLength(year, month) || year < 1
      ? wrong(`There is no ${named} ${year}`)
      : { kind: 'date', days: [dayOf({ year, month, date })] };
  for (let next = civilOf(today).year; ; next += 1) {
    const isThere = date <= monthLength(next, month);
    const day = isThere ? dayOf({ year: next, month, date }) : -Infinity;
    if (day >= today) return { kind: 'date', days: [day] };
  }
};

export const fullYear = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : text.length === 2 ? 2000 + Number(text) : Number(text);

/** '3/4': day and month first, month and day where that is a date too. */
const slashed = (today: Day, [first, second]: readonly [number, number], year: number | undefined): Part => {
  const parts = [
    ...(second >= 1 && second <= 12 ? [dated(today, second, first, year)] : []),
    ...(first >= 1 && first <= 12 && first !== second ? [dated(today, first, second, year)] : []),
  ];
  const days = parts.flatMap((part) => (part.kind === 'date' ? part.days : []));
  return days.length > 0 ? { kind: 'date', days } : (parts[0] ?? wrong(`There is no month ${second}`));
};

const readIso: Reader = (line, at) => {
  const found = matchAt(/(?:on )?(\d{4}-\d{2}-\d{2}|\d{1,2}-\d{1,2}-\d{4})/, line, at);
  if (!found?.[1]) return undefined;
  const day = parseDay(found[1]);
  return {
    end: at + found[0].length,
    part: day === undefined ? wrong(`There is no ${found[1]}`) : { kind: 'date', days: [day] },
  };
};

const readNumbers: Reader = (line, at, today) => {
  const dotted = matchAt(/(?:on )?(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?/, line, at);
  if (dotted) {
    const [all, date, month, year] = dotted;
    const isMonth = Number(month) >= 1 && Number(month) <= 12;
    const part = isMonth
      ? dated(today, Number(month), Number(date), fullYear(year))
      : wrong(`There is no month ${month}`);
    return { end: at + all.length, part };
  }
  const found = matchAt(/(?:on )?(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?/, line, at);
  if (!found || found[0] === '24/7') return undefined;
  return {
    end: at + found[0].length,
    part: slashed(today, [Number(found[1]), Number(found[2])], fullYear(found[3])),
  };
};

export const readMonth: Reader = (line, at, today) => {
  const prefix = `(?:on |by )?(?:the )?`;
  const dayFirst = matchAt(new RegExp(`${prefix}${ORDINAL}(?: of)? ${MONTH}${YEAR}`), line, at);
  if (dayFirst) {
    const [all, date, month = '', year] = dayFirst;
    return { end: at + all.length, part: dated(today, monthNamed(month), Number(date), fullYear(year)) };
  }
  const monthFirst = matchAt(new RegExp(`${prefix}${MONTH} (?:the )?${ORDINAL}${YEAR}(?!:)`), line, at);
  if (monthFirst) {
    const [all, month = '', date, year] = monthFirst;
    return { end: at + all.length, part: dated(today, monthNamed(month), Number(date), fullYear(year)) };
  }
  const alone = matchAt(new RegExp(`in ${MONTH}${YEAR}`), line, at);
  if (!alone?.[1]) return undefined;
  return { end: at + alone[0].length, part: dated(today, monthNamed(alone[1]), 1, fullYear(alone[2])) };
};

const readOrdinal: Reader = (line, at, today) => {
  const found = matchAt(/(?:on )?the ((\d{1,2})(?:st|nd|rd|th))/, line, at);
  if (!found) return undefined;
  const date = Number(found[2]);
  const end = at + found[0].length;
  if (date < 1 || date > 31) return { end, part: wrong(`There is no ${found[1]} of a month`) };
  const thisMonth = monthIndexOf(civilOf(today));
  for (let month = thisMonth; ; month += 1) {
    const day = dayInMonth(month, date);
    if (day >= today && civilOf(day).date === date) return { end, part: { kind: 'date', days: [day] } };
  }
};

/** 'tomorrow', 'in 3 weeks', 'next month', 'this weekend'. */
const PHRASES: readonly (readonly [RegExp, (today: Day) => readonly Day[]])[] = [
  [/(?:the )?day after tomorrow/, (today) => [today + 2]],
  [/(?:the )?day before yesterday/, (today) => [today - 2]],
  [/today|tonight|this (?:morning|afternoon|evening)/, (today) => [today]],
  [/tomorrow|tmrw/, (today) => [today + 1]],
  [/yesterday/, (today) => [today - 1]],
  [/next week/, (today) => [today + 7, mondayOf(today) + 7]],
  [/next month/, (today) => [monthsOn(today, 1), dayInMonth(monthIndexOf(civilOf(today)) + 1, 1)]],
  [/next year/, (today) => [monthsOn(today, 12), dayInMonth((civilOf(today).year + 1) * 12, 1)]],
  [/(?:(?:on|at|over) )?(?:this|the) weekend/, (today) => [weekdayOf(today) === 7 ? today : comingWeekday(today, 6)]],
  [/(?:(?:on|at|over) )?next weekend/, (today) => [mondayOf(today) + 12]],
  [/(?:(?:at|by) )?(?:the )?end of (?:the |this )?month/, (today) => [dayInMonth(monthIndexOf(civilOf(today)), 31)]],
  [/(?:(?:at|by) )?(?:the )?end of (?:the |this )?year/, (today) => [dayInMonth(civilOf(today).year * 12 + 11, 31)]],
];

const readPhrase: Reader = (line, at, today) => {
  for (const [pattern, days] of PHRASES) {
    const found = matchAt(pattern, line, at);
    if (found) return { end: at + found[0].length, part: { kind: 'date', days: [...new Set(days(today))] } };
  }
  return undefined;
};

const readDistance: Reader = (line, at, today) => {
  const found =
    matchAt(new RegExp(`in (${COUNT}) (day|week|fortnight|month|year)s?`), line, at) ??
    matchAt(new RegExp(`(${COUNT}) (day|week|fortnight|month|year)s? from (?:now|today)`), line, at);
  const [all = '', amount = '', unit = ''] = found ?? [];
  const key = unit.charAt(0).toLowerCase();
  const step = STEPS[key];
  if (!step) return undefined;
  const count = countOf(amount);
  const isFar = count > (MOST[key] ?? 0);
  const day = isFar ? Infinity : step(today, count);
  return {
    end: at + all.length,
    part: day > LAST_DAY ? wrong('That is too far away for a calendar') : { kind: 'date', days: [day] },
  };
};

/** Which days a weekday may mean. */
const weekdayMeans = (today: Day, weekday: number, which: string): readonly Day[] => {
  const coming = comingWeekday(today, weekday);
  const ofNextWeek = mondayOf(today) + 6 + weekday;
  if (which === 'last') return [coming === today ? today - 7 : coming - 7];
  if (which === 'next') return coming === ofNextWeek || coming === today ? [ofNextWeek] : [ofNextWeek, coming];
  if (which === '' && coming === today) return [today, today + 7];
  return [coming];
};

/** 'sat' and 'sun' are words of their own: they are days only where they can be nothing else. */
const isDayName = (line: string, end: number, prefix: string, rest: string): boolean => {
  if (rest !== '') return /^(?:s?day|nesday|urday|rsday)$/i.test(rest); // 'Mondays' repeat
  return prefix !== '' || end === line.length || /^,? ?\d/.test(line.slice(end));
};

const readWeekday: Reader = (line, at, today) => {
  const found = matchAt(
    new RegExp(`((?:on |by )?)((?:this |next |coming |last )?)${WEEKDAY}(?<week> week)?`),
    line,
    at,
  );
  if (!found) return undefined;
  const [all, lead = '', which = '', short = '', rest = ''] = found;
  const end = at + all.length;
  if (!isDayName(line, end, lead + which, rest.toLowerCase())) return undefined;
  const days = weekdayMeans(today, weekdayNamed(short), which.trim().toLowerCase());
  const isLater = found.groups?.['week'] !== undefined;
  return { end, part: { kind: 'date', days: isLater ? days.slice(0, 1).map((day) => day + 7) : days } };
};

/** 'Tuesday 24 November': the date counts, and the weekday has to be its own. */
const readWeekdayAndDate: Reader = (line, at, today) => {
  const found = matchAt(new RegExp(`(?:on )?(?:(?:this|next) )?${WEEKDAY},?(?= (?:the )?[\\p{L}\\p{N}])`), line, at);
  if (!found?.[1]) return undefined;
  const date = firstOf([readIso, readNumbers, readMonth, readOrdinal], line, at + found[0].length + 1, today);
  if (date?.part.kind !== 'date') return date;
  const weekday = weekdayNamed(found[1]);
  const days = date.part.days.filter((day) => weekdayOf(day) === weekday);
  const part: Part = days.length > 0 ? { kind: 'date', days } : notThat(date.part.days[0] ?? today, weekday);
  return { end: date.end, part };
};

const notThat = (day: Day, weekday: number): Part =>
  wrong(`${dateName(day)} is a ${weekdayName(day)}, not a ${nameOfWeekday(weekday)}`);

const dateReaders = [
  readWeekdayAndDate,
  readIso,
  readNumbers,
  readMonth,
  readOrdinal,
  readPhrase,
  readDistance,
  readWeekday,
] as const;

/** A day, in words or numbers. */
export const readDate: Reader = (line, at, today) => firstOf(dateReaders, line, at, today);
