import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, SECOND_MS } from '#platform/contract/duration.ts';
import { MAX_COUNTDOWN_MS, MIN_COUNTDOWN_MS, type Milliseconds } from './countdown.ts';

/** Words and symbols for units of time, as alternatives of a regular expression for lower case. */
export const UNIT_WORDS = {
  days: 'd|days?|tage?|jours?|días?|dias?|giorn[oi]|dag(?:en)?',
  hours: 'h|hrs?|hours?|std|stdn|stunden?|heures?|horas?|or[ae]|uur|uren|час(?:а|ов)?|ч|時間|小时|小時|시간',
  minutes: "m|mn|mins?|minutes?|minuten?|minut[oi]s?|мин|минут[аы]?|分|分钟|分鐘|분|'",
  seconds: 's|secs?|seconds?|sek|sekunden?|secondes?|segundos?|second[oi]|seconden|сек|секунд[аы]?|秒|초|"',
} as const;

/** Separator between two parts, as in '1 h and 30 min'. */
export const SEPARATOR = String.raw`\s*(?:,|&|\+)?\s*(?:(?:and|und|et|y|e|en|и)\s+)?`;

const ONES = [
  'one|eine?r?',
  'two|zwei|(?:a )?couple(?: of)?',
  'three|drei',
  'four|vier',
  'five|fünf',
  'six|sechs',
  'seven|sieben',
  'eight|acht',
  'nine|neun',
  'ten|zehn',
  'eleven|elf',
  'twelve|zwölf',
  'thirteen|dreizehn',
  'fourteen|vierzehn',
  'fifteen|fünfzehn',
  'sixteen|sechzehn',
  'seventeen|siebzehn',
  'eighteen|achtzehn',
  'nineteen|neunzehn',
];
const TENS = [
  'twenty|zwanzig',
  'thirty|drei(?:ß|ss)ig',
  'forty|vierzig',
  'fifty|fünfzig',
  'sixty|sechzig',
  'seventy|siebzig',
  'eighty|achtzig',
  'ninety|neunzig',
];
const TENS_VALUES = [20, 30, 40, 50, 60, 70, 80, 90];

const indexOfWord = (words: readonly string[], word: string): number =>
  words.findIndex((pattern) => new RegExp(`^(?:${pattern})$`, 'u').test(word));
const joinAlternatives = (words: readonly string[]): string => words.map((pattern) => `(?:${pattern})`).join('|');
const createWordPattern = (pattern: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${pattern})(?!\p{L})`, 'gu');

const TENS_AND_ONES = createWordPattern(
  `(?<tens>${joinAlternatives(TENS)})(?:[\\s-](?<ones>${joinAlternatives(ONES.slice(0, 9))}))?`,
);
const ONES_AND_TENS = createWordPattern(
  `(?<ones>${joinAlternatives(ONES.slice(0, 9))})und(?<tens>${joinAlternatives(TENS)})`,
);
const UP_TO_NINETEEN = createWordPattern(joinAlternatives(ONES));
const sumTensAndOnes = (...[, tens, ones = '']: readonly string[]): string =>
  String((TENS_VALUES[indexOfWord(TENS, tens ?? '')] ?? 0) + indexOfWord(ONES, ones) + 1);

const UNIT_LOOKAHEAD = String.raw`(?=(?:${UNIT_WORDS.hours}|${UNIT_WORDS.minutes}|${UNIT_WORDS.days})(?!\p{L}))`;
/** Halves and quarters of a unit, longer patterns first. */
const FRACTION_WORDS: readonly (readonly [pattern: RegExp, number: string])[] = [
  [/viertelstunde/gu, 'viertel stunde'],
  [/(?:^|(?<=\s))(?:an? |one )?(hour|minute|stunde) and an? half$/gu, '1.5 $1'],
  [/(?:^|(?<=\s))(?:an? |one )?(hour|minute|stunde) and an? quarter$/gu, '1.25 $1'],
  [/(\d+) (hours?|minutes?|mins?|hrs?) and an? half$/gu, '$1.5 $2'],
  [/(\d+) and an? half (?=\p{L})/gu, '$1.5 '],
  [/(?<!\p{L})(?:one and an? half|anderthalb|eineinhalb) /gu, '1.5 '],
  [/(?<!\p{L})(?:two and an? half|zweieinhalb) /gu, '2.5 '],
  [new RegExp(String.raw`(?<![\p{L}\d])(?:three|3) quarters (?:of )?(?:an? )?${UNIT_LOOKAHEAD}`, 'gu'), '0.75 '],
  [new RegExp(String.raw`(?<!\p{L})drei(?:\s?)viertel\s?${UNIT_LOOKAHEAD}`, 'gu'), '0.75 '],
  [new RegExp(String.raw`(?<![\p{L}\d])(?:(?:an?|one|1) )?half (?:of )?(?:an? )?${UNIT_LOOKAHEAD}`, 'gu'), '0.5 '],
  [new RegExp(String.raw`(?<!\p{L})(?:eine? )?halbe[nrs]? ${UNIT_LOOKAHEAD}`, 'gu'), '0.5 '],
  [
    new RegExp(
      String.raw`(?<![\p{L}\d])(?:(?:an?|one|1|eine?) )?(?:quarter|viertel) (?:of )?(?:an? )?${UNIT_LOOKAHEAD}`,
      'gu',
    ),
    '0.25 ',
  ],
  [new RegExp(String.raw`(?<!\p{L})(?:an?|eine?) (?=(?:${Object.values(UNIT_WORDS).join('|')})(?!\p{L}))`, 'gu'), '1 '],
];

/** ISO 8601 durations such as 'PT1H30M'. */
const ISO_PATTERN = /^p(?:(\d+)d)?(?:t(.*))?$/u;
const AFFIX_PATTERNS = [
  /^(?:(?:please\s)?(?:set|start)\s)?(?:(?:an?|the)\s(?=timer|countdown))?(?:(?:timer|countdown)\s)?(?:(?:for|of|to|in|about|für)\s|[~≈]\s?|ca\.?\s)?/u,
  /(?:[\s-](?:timer|countdown|long|please))+$/u,
] as const;

/** Removes the words around a length, and writes number words in digits: 'half an hour' becomes '0.5 hour'. */
export function convertWordsToDigits(text: string): string {
  const core = AFFIX_PATTERNS.reduce((rest, pattern) => rest.replace(pattern, ''), text);
  const iso = ISO_PATTERN.exec(core);
  if (iso) return [iso[1] === undefined ? '' : `${iso[1]} d`, iso[2] ?? ''].join(' ').trim();
  const digits = FRACTION_WORDS.reduce((rest, [pattern, number]) => rest.replaceAll(pattern, number), core)
    .replaceAll(ONES_AND_TENS, (match, ones: string, tens: string) => sumTensAndOnes(match, tens, ones))
    .replaceAll(TENS_AND_ONES, (match, tens: string, ones: string | undefined) =>
      sumTensAndOnes(match, tens, ones ?? ''),
    )
    .replaceAll(UP_TO_NINETEEN, (word: string) => String(indexOfWord(ONES, word) + 1));
  // 'ten' alone has no unit, and hardly means seconds.
  return /^\d+$/u.test(digits) && !/\d/u.test(core) ? text : digits;
}

/** The result of a number field: a length, or the message to show beside the field. */
export type ParsedLength = { readonly length: Milliseconds } | { readonly problem: string };

const MAX_SECONDS = MAX_COUNTDOWN_MS / SECOND_MS;
const MIN_SECONDS = MIN_COUNTDOWN_MS / SECOND_MS;

const PROBLEMS = {
  empty: 'Enter a time such as 600, 10:00 or 10 min',
  negative: "The time can't be negative. Enter 1 second or more",
  fraction: 'Enter whole seconds, or add a unit, such as 1.5 min',
  clock: 'Enter minutes and seconds after a colon with two digits up to 59, such as 1:30 or 1:05:00',
  twice: 'Enter each unit only once, such as 1 h 30 min',
  unknown: 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min',
  short: 'Enter 1 second or more',
  long: `Enter at most ${MAX_SECONDS.toLocaleString('en')} seconds (100 hours)`,
} as const;

/** '1,000' is a thousand, '0,125' is an eighth. */
const GROUPED_NUMBER = String.raw`[1-9]\d{0,2}(?:,\d{3})+`;
const THOUSANDS_PATTERN = new RegExp(`^${GROUPED_NUMBER}$`, 'u');
const NUMBER = String.raw`${GROUPED_NUMBER}(?![.,\d])|\d+(?:[.,]\d+)?|[.,]\d+`;
/** A number with its unit. A unit must be a whole word: 'm' is not the start of 'months'. */
const PART_PATTERN = new RegExp(
  String.raw`^(?<number>${NUMBER})[\s-]*(?:(?<days>${UNIT_WORDS.days})|(?<hours>${UNIT_WORDS.hours})|(?<minutes>${UNIT_WORDS.minutes})|(?<seconds>${UNIT_WORDS.seconds}))(?!\p{L}|')\.?${SEPARATOR}`,
  'u',
);
const CLOCK_PATTERN = new RegExp(
  String.raw`^(?:(?<hours>\d+):(?=[0-5]\d:))?(?<minutes>\d*):(?<seconds>[0-5]?\d)\s*(?:(?<hourUnit>${UNIT_WORDS.hours})|${UNIT_WORDS.minutes})?\.?$`,
  'u',
);
const SIGN_REPLACEMENTS: readonly (readonly [signs: RegExp, plain: string])[] = [
  [/''|[″“”„‟〃]|′′|’’/gu, '"'],
  [/[’‘‛′`´ʹ]/gu, "'"],
  [/[∶ː꞉]/gu, ':'],
  // Unicode normalization turns '1½' into '1 1⁄2'.
  [/\s?(?=[¼-¾⅐-⅞])/gu, ' '],
];
const FRACTION_PATTERN =
  /(?:(?<whole>\d+)(?:\s|-|\s?(?:and|und|&|\+)\s?))?(?<![\d.,])(?<numerator>\d{1,2})\s?[/⁄]\s?(?<denominator>[1-9]\d?)(?![\d.,])/gu;

/** Normalizes case, digits and punctuation, and writes '1½' as '1.5'. */
function normalize(input: string): string {
  const text = SIGN_REPLACEMENTS.reduce((rest, [signs, sign]) => rest.replaceAll(signs, sign), input)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s?:\s?(?=\d)/gu, ':')
    .trim();
  return convertWordsToDigits(
    text.replaceAll(FRACTION_PATTERN, (_, whole: string | undefined, numerator: string, denominator: string) =>
      String(Number(whole ?? 0) + Number(numerator) / Number(denominator)),
    ),
  );
}

type SecondsOrProblem = number | keyof typeof PROBLEMS;

/** Parses '10:00', '1:30:00', ':45', and '1:30 h', which is an hour and a half. */
function parseClock(text: string): SecondsOrProblem | undefined {
  const groups = CLOCK_PATTERN.exec(text)?.groups;
  if (!groups) return /^[\d:\s]*:[\d:\s]*$/u.test(text) ? 'clock' : undefined;
  const { hours = '', minutes = '', seconds = '', hourUnit } = groups;
  const value = Number(hours) * HOUR_SECONDS + Number(minutes) * MINUTE_SECONDS + Number(seconds);
  return hours === '' && hourUnit !== undefined ? value * 60 : value;
}

/** Lengths of the units in seconds, the largest first. */
const UNITS = [DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, 1] as const;

const parseNumber = (number: string): number =>
  Number(THOUSANDS_PATTERN.test(number) ? number.replaceAll(',', '') : number.replace(',', '.'));

interface LengthPart {
  readonly amount: number;
  /** Index of its unit in `UNITS`. */
  readonly unitIndex: number;
}

/** Splits '1 h 30 min' into '1 h' and '30 min', and the text after them. */
function parseParts(text: string): { readonly parts: readonly LengthPart[]; readonly rest: string } {
  const parts: LengthPart[] = [];
  let rest = text;
  for (let part = PART_PATTERN.exec(rest); part?.groups; part = PART_PATTERN.exec(rest)) {
    const { number = '', days, hours, minutes } = part.groups;
    const unitIndex = [days, hours, minutes].findIndex((unit) => unit !== undefined);
    parts.push({ amount: parseNumber(number), unitIndex: unitIndex === -1 ? UNITS.length - 1 : unitIndex });
    rest = rest.slice(part[0].length);
  }
  return { parts, rest };
}

/** Parses '1 h 30 min', '2.5h' and '1h 5'. A number after a unit counts in the next smaller unit. */
function parseUnits(text: string): SecondsOrProblem {
  const { parts, rest } = parseParts(text);
  const nextUnitIndex = (parts.at(-1)?.unitIndex ?? UNITS.length) + 1;
  if (rest !== '' && (nextUnitIndex >= UNITS.length || !/^[0-5]?\d$/u.test(rest))) return 'unknown';
  const allParts = rest === '' ? parts : [...parts, { amount: Number(rest), unitIndex: nextUnitIndex }];
  if (allParts.length === 0) return 'unknown';
  if (new Set(allParts.map(({ unitIndex }) => unitIndex)).size < allParts.length) return 'twice';
  if (allParts.some(({ amount, unitIndex }) => UNITS[unitIndex] === 1 && !Number.isInteger(amount))) return 'fraction';
  return allParts.reduce((sum, { amount, unitIndex }) => sum + amount * (UNITS[unitIndex] ?? 1), 0);
}

function parseSeconds(text: string): SecondsOrProblem {
  if (text === '') return 'empty';
  if (/^[-\u2212]\s*[\d.,:]/u.test(text)) return 'negative';
  if (/^\+?\d+$/u.test(text)) return Number(text);
  if (/^\d*[.,]\d+$/u.test(text)) return 'fraction';
  return parseClock(text) ?? parseUnits(text);
}

/**
 * Parses the fields 'change loop time' and 'change time left', to the nearest second. A bare number is in seconds.
 * Also reads '10:00', '1:30:00', ':45', '25m', '1 hour 5 minutes', '1h30', '2.5h', '5′30″', 'half an hour'.
 */
export function parseLength(input: string): ParsedLength {
  const parsed = parseSeconds(normalize(input));
  if (typeof parsed === 'string') return { problem: PROBLEMS[parsed] };
  const seconds = Math.round(parsed);
  if (seconds < MIN_SECONDS) return { problem: PROBLEMS.short };
  return seconds > MAX_SECONDS ? { problem: PROBLEMS.long } : { length: seconds * SECOND_MS };
}
