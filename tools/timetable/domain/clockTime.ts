import { padTwo } from '#platform/contract/text.ts';
import { END_OF_DAY, type Minute } from './slot.ts';

/** Formats whole minutes of the day as `09:05`; the end of the day is `24:00`. */
export function toClock(minute: Minute): string {
  return `${padTwo(Math.floor(minute / 60))}:${padTwo(minute % 60)}`;
}

const SEPARATED_PATTERN = /^(\d{1,2})(?:\s?(?:[:;.,h]|uhr)\s?|\s(?=\d\d))(\d{1,2})(?:(?<=\d\d)\s?(?:uhr|h|hrs))?$/i;
const DIGITS_PATTERN = /^(\d{1,2})(\d{2})(?:\s?(?:h|hrs|uhr))?$/;
const HOURS_PATTERN = /^(\d{1,2})\s?(?:h|hrs?|uhr|o'?\s?clock)?$/i;
const HALF_OF_DAY_PATTERN = /\s*([ap])(?:\.?\s?m)?\.?$/i;
/** Times of day that have a name. */
const MINUTE_BY_NAME = new Map<string, Minute>([
  ['midnight', 0],
  ['mitternacht', 0],
  ['noon', 720],
  ['midday', 720],
  ['mittag', 720],
  ['mittags', 720],
]);
const HOUR_WORDS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const HOUR_WORD_PATTERN = new RegExp(`^(?:${HOUR_WORDS.join('|')})(?![\\p{L}])`, 'iu');
/** Minutes added to the named hour: 'half past 9', 'quarter to ten', 'halb 10'. */
const OFFSETS: readonly (readonly [RegExp, minutes: number])[] = [
  [/^half (?:past |(?=\d))(\D*|\d{1,2}\D*)$/iu, 30],
  [/^(?:a )?quarter (?:past|after) (\D*|\d{1,2}\D*)$/iu, 15],
  [/^(?:a )?quarter (?:to|before) (\D*|\d{1,2}\D*)$/iu, -15],
  [/^halb (\d{1,2}(?: uhr)?)$/iu, -30],
];

/** Returns the half of the day of '12 at night' and '9 at night'; empty for 24-hour times such as '23 at night'. */
function getHalfOfDay(digits: string, part: string): string {
  if (/^morning$/iu.test(part)) return ' am';
  const hour = Number(/^\D*(\d{1,2})(?:\d\d)?(?!\d)/u.exec(digits)?.[1] ?? 0);
  if (hour === 0 || hour > 12) return '';
  const isSmallHour = hour === 12 ? !/^afternoon$/iu.test(part) : hour < 5 && /^night$/iu.test(part);
  return isSmallHour ? ' am' : ' pm';
}

/** Converts 'nine in the evening' to '9 pm'. */
const toDigits = (text: string): string =>
  text
    .replace(/(?:^|(?<= ))\p{L}+/gu, (word) => {
      const hour = HOUR_WORD_PATTERN.test(word) ? HOUR_WORDS.indexOf(word.toLowerCase()) + 1 : 0;
      return hour > 0 ? String(hour) : word;
    })
    .replace(
      /^(.*?) (?:(?:in the )?(morning|afternoon|evening)|at (night))$/iu,
      (_, digits: string, ...parts: string[]) => digits + getHalfOfDay(digits, parts[0] ?? parts[1] ?? ''),
    );

/** Normalizes full-width digits, similar characters and apostrophes, and removes small words around a time. */
const normalize = (text: string): string =>
  text
    .replaceAll(/[∶ː꞉]/gu, ':')
    .replaceAll(/[’‘]/gu, "'")
    .normalize('NFKC')
    .trim()
    .replace(/^(?:(?:at|um)\s|@\s?)/iu, '')
    .replace(/^12\s?(?=noon$|midnight$|midday$)/iu, '');

/** Converts a 12-hour value to an hour of the day. */
function toHourOfDay(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/**
 * Parses a time as users type it: `09:05`, `9:5`, `9.30`, `0930`, `9h30`, `9 pm`, `9 Uhr`, `noon`, `half past nine`.
 * `24:00` is 1440. Returns undefined for anything else.
 */
export function parseClock(text: string): Minute | undefined {
  if (text.length > 30) return undefined;
  const input = toDigits(normalize(text));
  const [pattern, offset = 0] = OFFSETS.find(([offsetPattern]) => offsetPattern.test(input)) ?? [];
  if (!pattern) return parseNamedOrDigits(input);
  const hour = input.replace(pattern, '$1');
  const minute = parseNamedOrDigits(hour);
  if (minute === undefined) return undefined;
  // 'quarter to 1' usually means shortly before 1 pm.
  const isAfterNoon = offset < 0 && /^1(?!\d| ?[ap])/iu.test(hour);
  const total = minute + offset + (isAfterNoon ? END_OF_DAY / 2 : minute + offset < 0 ? END_OF_DAY : 0);
  return total <= END_OF_DAY ? total : undefined;
}

const parseNamedOrDigits = (input: string): Minute | undefined =>
  MINUTE_BY_NAME.get(input.toLowerCase()) ?? parseDigits(input);

function parseDigits(input: string): Minute | undefined {
  const half = HALF_OF_DAY_PATTERN.exec(input);
  const digits = half ? input.slice(0, half.index) : input;
  const match = SEPARATED_PATTERN.exec(digits) ?? DIGITS_PATTERN.exec(digits) ?? HOURS_PATTERN.exec(digits);
  if (!match) return undefined;
  const writtenHour = Number(match[1]);
  const minutes = Number(match[2] ?? 0);
  const hour = half ? toHourOfDay(writtenHour, half[1] ?? '') : writtenHour;
  if (hour === undefined || minutes > 59) return undefined;
  const minute = hour * 60 + minutes;
  return minute <= END_OF_DAY ? minute : undefined;
}

/** Parses an end time: midnight means the end of the day, 24:00. */
export function parseEndClock(text: string): Minute | undefined {
  const minute = parseClock(text);
  return minute === 0 ? END_OF_DAY : minute;
}
