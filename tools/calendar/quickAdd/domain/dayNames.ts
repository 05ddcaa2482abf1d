import { toCivilDate, type Day, toDay, getMonthLength, MONTHS, WEEKDAYS } from '#platform/contract/day.ts';
import { getMonthName } from '../../events/domain/dateNames.ts';
import { getDayOfMonth, getMonthIndex, getWeekday } from '../../events/domain/day.ts';
import {
  type LinePart,
  createWrongPart,
  type DayHalf,
  type LineSection,
  matchAt,
  listParts,
  type Reader,
  type TimeRange,
} from './lineScanner.ts';

/** Parts of the day, and the usual time of each. */
const DAY_HALVES: readonly (readonly [RegExp, DayHalf, usual: string])[] = [
  [/ (?:in the )?(?:early |late )?mornings?| a\.?m\.?/, 'am', '09:00'],
  [/ (?:in the )?(?:early |late )?afternoons?| p\.?m\.?/, 'pm', '15:00'],
  [/ (?:in the )?(?:early |late )?(?:evenings?|(?<=\p{L} )eve)/u, 'pm', '19:00'],
  [/ (?:in the |at |late at )?(?:late )?nights?/, 'pm', '20:00'],
];
const DAY_HALF_PATTERNS: readonly (readonly [RegExp, DayHalf, usual: string | undefined])[] = [
  [/^nightly$/i, 'pm', undefined],
  [/tonight/i, 'pm', '20:00'],
  [/afternoon/i, 'pm', '15:00'],
  [/evening/i, 'pm', '19:00'],
  [/this morning/i, 'am', '09:00'],
];

/** Reads 'tonight', 'this morning', and a part of the day after a day: 'tomorrow evening', 'every Friday night'. */
export function readDayHalf(
  line: string,
  { start, end, part }: LineSection,
): Pick<LineSection, 'end' | 'half' | 'usual'> {
  const text = line.slice(start, end);
  for (const [pattern, half, usual] of DAY_HALF_PATTERNS)
    if (pattern.test(text)) return { end, half, ...(part.kind === 'date' ? { usual } : {}) };
  if (part.kind !== 'date' && part.kind !== 'repeat') return { end };
  for (const [pattern, half, usual] of DAY_HALVES) {
    const match = matchAt(pattern, line, end);
    if (match) return { end: end + match[0].length, half, usual };
  }
  return { end };
}

const WHOLE_DAY_PARTS: Readonly<Record<string, TimeRange>> = {
  morning: { time: '08:00', endTime: '12:00' },
  afternoon: { time: '12:00', endTime: '18:00' },
  evening: { time: '18:00', endTime: '22:00' },
  night: { time: '20:00', endTime: '06:00', endDays: 1 },
};

/** 'all day', 'all morning'. */
export const readAllDay: Reader = (line, at) => {
  const match = matchAt(
    /(?:all|the whole|whole|(?:the )?entire)[ -](day|morning|afternoon|evening|night)(?: long)?/,
    line,
    at,
  );
  if (!match?.[1]) return undefined;
  const range = WHOLE_DAY_PARTS[match[1].toLowerCase()];
  return { end: at + match[0].length, part: range ? { kind: 'time', times: [range] } : { kind: 'allDay' } };
};

const isOfHalf = (time: string, half: DayHalf): boolean => time >= '12:00' === (half === 'pm');

/** Words for things that usually happen in the evening. */
const EVENING_PATTERN =
  /(?<![\p{L}\p{N}])(?:dinner|supper|drinks|party|concert|cinema|movies?|theatre|theater|opera|night)(?![\p{L}\p{N}])/iu;

/** Times before this belong to the night. */
const NIGHT_UNTIL = '05:00';

/** Moves times after midnight of 'tonight' and 'Saturday night' to the next day. */
const toNextDay = (range: TimeRange): TimeRange => (range.time < NIGHT_UNTIL ? { ...range, later: 1 } : range);

const isOfNight = ({ time, later }: TimeRange): boolean => later === 1 || time >= '17:00';

/** Removes midnight if noon is possible: twelve is noon unless the line says that it is night. */
const preferNoon = (times: readonly TimeRange[]): readonly TimeRange[] =>
  times.some(({ time }) => time.startsWith('12:')) ? times.filter(({ time }) => !time.startsWith('00:')) : times;

const moveToFront = <T>(list: readonly T[], isFirst: (one: T) => boolean): readonly T[] =>
  list.toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one)));

const isDated = (parts: readonly LineSection[]): boolean =>
  parts.some(({ part }) => ['date', 'span', 'repeat'].includes(part.kind));

/** Offers the usual time of a part of the day, and the whole day. */
const listUsualTimes = (usual: string | undefined, parts: readonly LineSection[]): readonly (TimeRange | undefined)[] =>
  usual === undefined || listParts(parts, 'span').length > 0 ? [undefined] : [{ time: usual }, undefined];

/** Returns the possible times. 'tonight' or 'this morning' puts the times of that part of the day first. */
export function listTimes(line: string, parts: readonly LineSection[]): readonly (TimeRange | undefined)[] {
  const [part] = listParts(parts, 'time');
  const dayPart = parts.find((each) => each.half !== undefined);
  if (part === undefined) return listUsualTimes(dayPart?.usual, parts);
  const { nights = [] } = part;
  // Without a day, midnight is the next one.
  const isNext = !isDated(parts) && part.times.some(({ later }) => later === 1);
  const times = isNext ? part.times.slice(0, 1) : part.times;
  if (dayPart?.half === undefined)
    return EVENING_PATTERN.test(line) ? moveToFront(times, ({ time }) => time >= '17:00') : preferNoon(times);
  const { half } = dayPart;
  const isNight = half === 'pm' && /night/i.test(line.slice(dayPart.start, dayPart.end));
  if (isNight) return moveToFront([...times, ...nights].map(toNextDay), isOfNight);
  return moveToFront([...times, ...(half === 'pm' ? nights : [])], ({ time }) => isOfHalf(time, half));
}

export const WEEKDAY = '(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)((?:days?|nesdays?|urdays?)?)';

export const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';

export function parseWeekday(text: string): number {
  return WEEKDAYS.findIndex((name) => name.toLowerCase().startsWith(text.toLowerCase().slice(0, 3))) + 1;
}

export function parseMonth(text: string): number {
  return MONTHS.findIndex((name) => name.toLowerCase().startsWith(text.toLowerCase().slice(0, 3))) + 1;
}

/** Returns the first such weekday on `today` or later. */
export function findNextWeekday(today: Day, weekday: number): Day {
  return today + ((weekday - getWeekday(today) + 7) % 7);
}

/** Returns a date with its year, or the next such date from today on. */
export function createDatePart(today: Day, month: number, date: number, year: number | undefined): LinePart {
  const dateText = `${date} ${getMonthName(month)}`;
  if (date < 1 || date > getMonthLength(2024, month)) return createWrongPart(`There is no ${dateText}`);
  if (year !== undefined)
    return date > getMonthLength(year, month) || year < 1
      ? createWrongPart(`There is no ${dateText} ${year}`)
      : { kind: 'date', days: [toDay({ year, month, date })] };
  for (let next = toCivilDate(today).year; ; next += 1) {
    const exists = date <= getMonthLength(next, month);
    const day = exists ? toDay({ year: next, month, date }) : -Infinity;
    if (day >= today) return { kind: 'date', days: [day] };
  }
}

export function parseYear(text: string | undefined): number | undefined {
  return text === undefined ? undefined : text.length === 2 ? 2000 + Number(text) : Number(text);
}

const DATE_WORDS = (
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth ' +
  'seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth ' +
  'twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first'
).split(' ');

export const DATE_WORD = DATE_WORDS.toReversed()
  .map((word) => word.replace('-', '[- ]'))
  .join('|');

/** Returns the date that '5th' or 'twenty-fifth' names. */
export function parseDateOfMonth(text: string): number {
  return DATE_WORDS.indexOf(text.toLowerCase().replace(' ', '-')) + 1 || Number.parseInt(text, 10);
}

export function getLastOfMonth(day: Day): Day {
  return getDayOfMonth(getMonthIndex(toCivilDate(day)), 31);
}

export function findNextDate(today: Day, date: number): Day {
  for (let month = getMonthIndex(toCivilDate(today)); ; month += 1) {
    const day = getDayOfMonth(month, date);
    if (day >= today && toCivilDate(day).date === date) return day;
  }
}

/** Words for things that last for days. */
export const AWAY_PATTERN =
  /(?<![\p{L}\p{N}])(?:away|off|out|busy|holidays?|vacation|leave|trip|travell?ing|camping|visit(?:s|ing)?|conference|festival|camp|course|workshop|retreat|hotel|stay|on call)(?![\p{L}\p{N}])/iu;
