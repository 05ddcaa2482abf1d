import { toCivilDate, type Day, toDay, getMonday } from '#platform/contract/day.ts';
import { readDayHalf } from './dayNames.ts';
import { isClosing, matchAt, createOptionalPart, type Neighbours, toPartOrName, type Reader } from './lineScanner.ts';

/** Returns Easter Sunday of a year in the Gregorian calendar (Meeus, Jones and Butcher). */
function getEaster(year: number): Day {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  const correction = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25) + 19 * golden + 15;
  const epact = correction % 30;
  const moon = epact - Math.floor(epact / 28) * (1 - Math.floor(29 / (epact + 1)) * Math.floor((21 - golden) / 11));
  const weekday = (year + Math.floor(year / 4) + moon + 2 - century + Math.floor(century / 4)) % 7;
  const sundayAfter = moon - weekday;
  const month = 3 + Math.floor((sundayAfter + 40) / 44);
  return toDay({ year, month, date: sundayAfter + 28 - 31 * Math.floor(month / 4) });
}

/** Returns the fourth Thursday of November. */
const getThanksgiving = (year: number): Day => getMonday(toDay({ year, month: 11, date: 28 }) - 3) + 3;

const createFixedDate =
  (month: number, date: number) =>
  (year: number): Day =>
    toDay({ year, month, date });
const createDateBeforeEaster =
  (days: number) =>
  (year: number): Day =>
    getEaster(year) - days;

/** Holidays that are on the same day everywhere. */
const HOLIDAYS: readonly (readonly [RegExp, (year: number) => Day])[] = [
  [/(?:christmas|xmas) eve/, createFixedDate(12, 24)],
  [/(?:christmas|xmas)(?: day)?/, createFixedDate(12, 25)],
  [/boxing day/, createFixedDate(12, 26)],
  [/new year['’]?s eve|new years? eve|nye/, createFixedDate(12, 31)],
  [/new year['’]?s(?: day)?|new year(?: day)?/, createFixedDate(1, 1)],
  [/valentine['’]?s(?: day)?|valentines day/, createFixedDate(2, 14)],
  [/st\.? patrick['’]?s day/, createFixedDate(3, 17)],
  [/hallowe['’]?en/, createFixedDate(10, 31)],
  [/epiphany/, createFixedDate(1, 6)],
  [/ash wednesday/, createDateBeforeEaster(46)],
  [/shrove tuesday|pancake day/, createDateBeforeEaster(47)],
  [/palm sunday/, createDateBeforeEaster(7)],
  [/maundy thursday/, createDateBeforeEaster(3)],
  [/good friday/, createDateBeforeEaster(2)],
  [/easter monday/, createDateBeforeEaster(-1)],
  [/easter(?: sunday| day)?/, createDateBeforeEaster(0)],
  [/whit monday/, createDateBeforeEaster(-50)],
  [/pentecost|whit sunday/, createDateBeforeEaster(-49)],
  [/thanksgiving(?: day)?/, getThanksgiving],
  [/black friday/, (year) => getThanksgiving(year) + 1],
];

/** Events that take place on the holiday they are named after: 'thanksgiving dinner', but not 'christmas presents'. */
const HOLIDAY_OCCASIONS =
  / (?:dinner|lunch|brunch|breakfast|service|mass|church|fireworks|(?<!(?:christmas|xmas)(?: day| eve)? )party|shopping(?<=black friday shopping))(?![\p{L}\p{N}])/iuy;

function findNextHoliday(today: Day, getDay: (year: number) => Day): Day {
  const { year } = toCivilDate(today);
  return getDay(year) >= today ? getDay(year) : getDay(year + 1);
}

/** Reads a holiday, whatever surrounds it. */
export const readHolidayName: Reader = (line, at, today) => {
  const lead = matchAt(/(?:on|at|by)(?= )/, line, at);
  const from = lead ? at + lead[0].length + 1 : at;
  for (const [pattern, getDay] of HOLIDAYS) {
    const match = matchAt(pattern, line, from);
    if (match) return { end: from + match[0].length, part: { kind: 'date', days: [findNextHoliday(today, getDay)] } };
  }
  return undefined;
};

const isUndated = ({ has }: Neighbours): boolean => !has('date', 'span', 'repeat');

/** Reads a holiday as the day of the event. Next to another day, and before most nouns, it is part of the name. */
export const readHoliday: Reader = (line, at, today) => {
  const holiday = readHolidayName(line, at, today);
  if (!holiday) return undefined;
  // 'after Christmas' is no day of its own.
  if (/(?:^|\s)(?:after|before|since|until|over) $/iu.test(line.slice(0, at))) return undefined;
  const { end, half, usual } = readDayHalf(line, { start: at, ...holiday });
  HOLIDAY_OCCASIONS.lastIndex = end;
  const isOccasion = HOLIDAY_OCCASIONS.test(line);
  const read = createOptionalPart(
    {
      end,
      part: holiday.part,
      fits: (neighbours) =>
        isUndated(neighbours) && (isClosing(neighbours) || half !== undefined) && !(isOccasion && neighbours.isFirst),
    },
    // The holiday also stays in the name.
    { end: at, part: toPartOrName(holiday.part), fits: (neighbours) => isOccasion && isUndated(neighbours) },
  );
  return half === undefined ? read : { ...read, half, usual };
};
