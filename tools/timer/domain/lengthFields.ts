import { MAX_COUNTDOWN_MS, SECOND, MIN_COUNTDOWN_MS, type Milliseconds } from './countdown.ts';

/** Units of time, as alternatives of a regular expression for small letters. */
export const UNIT_WORDS = {
  days: 'd|days?|tage?|jours?|días?|dias?|giorn[oi]|dag(?:en)?',
  hours: 'h|hrs?|hours?|std|stdn|stunden?|heures?|horas?|or[ae]|uur|uren|час(?:а|ов)?|ч|時間|小时|小時|시간',
  minutes: "m|mn|mins?|minutes?|minuten?|minut[oi]s?|мин|минут[аы]?|分|分钟|分鐘|분|'",
  seconds: 's|secs?|seconds?|sek|sekunden?|secondes?|segundos?|second[oi]|seconden|сек|секунд[аы]?|秒|초|"',
} as const;

/** What may stand between two parts: '1 h and 30 min'. */
export const BETWEEN = String.raw`\s*(?:,|&|\+)?\s*(?:(?:and|und|et|y|e|en|и)\s+)?`;

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
  'ninety|neunzig',
];
const VALUE_OF_TENS = [20, 30, 40, 50, 60, 90];

const placeIn = (words: readonly string[], word: string): number =>
  words.findIndex((each) => new RegExp(`^(?:${each})$`, 'u').test(word));
const WORD = (words: readonly string[]): string => words.map((each) => `(?:${each})`).join('|');
const word = (pattern: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${pattern})(?!\p{L})`, 'gu');

const TENS_AND_ONES = word(`(?<tens>${WORD(TENS)})(?:[\\s-](?<ones>${WORD(ONES.slice(0, 9))}))?`);
const ONES_AND_TENS = word(`(?<ones>${WORD(ONES.slice(0, 9))})und(?<tens>${WORD(TENS)})`);
const UP_TO_NINETEEN = word(WORD(ONES));
const sumOf = (...[, tens, ones = '']: readonly string[]): string =>
  String((VALUE_OF_TENS[placeIn(TENS, tens ?? '')] ?? 0) + placeIn(ONES, ones) + 1);

const UNIT = String.raw`(?=(?:${UNIT_WORDS.hours}|${UNIT_WORDS.minutes}|${UNIT_WORDS.days})(?!\p{L}))`;
/** Halves and quarters of a unit, the longer ones first. */
const PARTS: readonly (readonly [pattern: RegExp, number: string])[] = [
  [/viertelstunde/gu, 'viertel stunde'],
  [/(?:^|(?<=\s))(?:an? |one )?(hour|minute|stunde) and an? half$/gu, '1.5 $1'],
  [/(?:^|(?<=\s))(?:an? |one )?(hour|minute|stunde) and an? quarter$/gu, '1.25 $1'],
  [/(\d+) (hours?|minutes?|mins?|hrs?) and an? half$/gu, '$1.5 $2'],
  [/(\d+) and an? half (?=\p{L})/gu, '$1.5 '],
  [/(?<!\p{L})(?:one and an? half|anderthalb|eineinhalb) /gu, '1.5 '],
  [/(?<!\p{L})(?:two and an? half|zweieinhalb) /gu, '2.5 '],
  [new RegExp(String.raw`(?<![\p{L}\d])(?:three|3) quarters (?:of )?(?:an? )?${UNIT}`, 'gu'), '0.75 '],
  [new RegExp(String.raw`(?<!\p{L})drei(?:\s?)viertel\s?${UNIT}`, 'gu'), '0.75 '],
  [new RegExp(String.raw`(?<![\p{L}\d])(?:(?:an?|one|1) )?half (?:of )?(?:an? )?${UNIT}`, 'gu'), '0.5 '],
  [new RegExp(String.raw`(?<!\p{L})(?:eine? )?halbe[nrs]? ${UNIT}`, 'gu'), '0.5 '],
  [
    new RegExp(String.raw`(?<![\p{L}\d])(?:(?:an?|one|1|eine?) )?(?:quarter|viertel) (?:of )?(?:an? )?${UNIT}`, 'gu'),
    '0.25 ',
  ],
  [new RegExp(String.raw`(?<!\p{L})(?:an?|eine?) (?=(?:${Object.values(UNIT_WORDS).join('|')})(?!\p{L}))`, 'gu'), '1 '],
];

/** 'PT1H30M', the form of machines. */
const ISO = /^p(?:(\d+)d)?(?:t(.*))?$/u;
const AROUND = [
  /^(?:(?:please\s)?(?:set|start)\s)?(?:(?:an?|the)\s(?=timer|countdown))?(?:(?:timer|countdown)\s)?(?:(?:for|of|to|in|about|für)\s|[~≈]\s?|ca\.?\s)?/u,
  /(?:[\s-](?:timer|countdown|long|please))+$/u,
] as const;

/** Small words around a length are left out, and words for numbers written in digits: 'half an hour' is '0.5 hour'. */
export function inDigits(text: string): string {
  const bare = AROUND.reduce((rest, pattern) => rest.replace(pattern, ''), text);
  const iso = ISO.exec(bare);
  if (iso) return [iso[1] === undefined ? '' : `${iso[1]} d`, iso[2] ?? ''].join(' ').trim();
  const digits = PARTS.reduce((rest, [pattern, number]) => rest.replaceAll(pattern, number), bare)
    .replaceAll(ONES_AND_TENS, (all, ones: string, tens: string) => sumOf(all, tens, ones))
    .replaceAll(TENS_AND_ONES, (all, tens: string, ones: string | undefined) => sumOf(all, tens, ones ?? ''))
    .replaceAll(UP_TO_NINETEEN, (one: string) => String(placeIn(ONES, one) + 1));
  // 'ten' alone says no unit, and was hardly meant as seconds.
  return /^\d+$/u.test(digits) && !/\d/u.test(bare) ? text : digits;
}

/** What a number field's text comes to: a length, or the sentence to show beside the field. */
export type ParsedLength = { readonly length: Milliseconds } | { readonly problem: string };

const MAX_SECONDS = MAX_COUNTDOWN_MS / SECOND;
const MIN_SECONDS = MIN_COUNTDOWN_MS / SECOND;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PROBLEMS = {
  empty: 'Write how long, for example 600, 10:00 or 10 min.',
  negative: 'Time cannot be negative: write 1 second or more.',
  fraction: 'Write whole seconds, or name the unit: 1.5 min.',
  clock: 'Write minutes and seconds behind a colon as two digits up to 59, such as 1:30 or 1:05:00.',
  twice: 'Write each unit once, such as 1 h 30 min.',
  unknown: 'Write a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min.',
  short: 'Write 1 second or more.',
  long: `Write at most ${MAX_SECONDS} seconds: that is 100 hours.`,
} as const;

/** '1,000' is a thousand, '0,125' an eighth. */
const GROUPED = String.raw`[1-9]\d{0,2}(?:,\d{3})+`;
const THOUSANDS = new RegExp(`^${GROUPED}$`, 'u');
const NUMBER = String.raw`${GROUPED}(?![.,\d])|\d+(?:[.,]\d+)?|[.,]\d+`;
/** A number with its unit. The end of a word is its end: 'm' is no part of 'months'. */
const PART = new RegExp(
  String.raw`^(?<number>${NUMBER})[\s-]*(?:(?<days>${UNIT_WORDS.days})|(?<hours>${UNIT_WORDS.hours})|(?<minutes>${UNIT_WORDS.minutes})|(?<seconds>${UNIT_WORDS.seconds}))(?!\p{L}|')\.?${BETWEEN}`,
  'u',
);
const CLOCK = new RegExp(
  String.raw`^(?:(?<hours>\d+):(?=[0-5]\d:))?(?<minutes>\d*):(?<seconds>[0-5]?\d)\s*(?:(?<inHours>${UNIT_WORDS.hours})|${UNIT_WORDS.minutes})?\.?$`,
  'u',
);
const SIGNS: readonly (readonly [signs: RegExp, plain: string])[] = [
  [/''|[″“”„‟〃]|′′|’’/gu, '"'],
  [/[’‘‛′`´ʹ]/gu, "'"],
  [/[∶ː꞉]/gu, ':'],
  // '1½' is '1 1⁄2' once its letters are common ones.
  [/\s?(?=[¼-¾⅐-⅞])/gu, ' '],
];
const FRACTION =
  /(?:(?<whole>\d+)(?:\s|-|\s?(?:and|und|&|\+)\s?))?(?<![\d.,])(?<over>\d{1,2})\s?[/⁄]\s?(?<under>[1-9]\d?)(?![\d.,])/gu;

/** Small letters, common digits and signs, and '1.5' for '1½'. */
const plain = (typed: string): string => {
  const text = SIGNS.reduce((rest, [signs, sign]) => rest.replaceAll(signs, sign), typed)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\s?:\s?(?=\d)/gu, ':')
    .trim();
  return inDigits(
    text.replaceAll(FRACTION, (_, whole: string | undefined, over: string, under: string) =>
      String(Number(whole ?? 0) + Number(over) / Number(under)),
    ),
  );
};

type Seconds = number | keyof typeof PROBLEMS;

/** '10:00', '1:30:00', ':45', and '1:30 h', which is an hour and a half. */
const ofClock = (text: string): Seconds | undefined => {
  const groups = CLOCK.exec(text)?.groups;
  if (!groups) return /^[\d:\s]*:[\d:\s]*$/u.test(text) ? 'clock' : undefined;
  const { hours = '', minutes = '', seconds = '', inHours } = groups;
  const read = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds);
  return hours === '' && inHours !== undefined ? read * 60 : read;
};

/** In seconds, the largest unit first. */
const UNITS = [DAY, HOUR, MINUTE, 1] as const;

const numberOf = (number: string): number =>
  Number(THOUSANDS.test(number) ? number.replaceAll(',', '') : number.replace(',', '.'));

interface LengthPart {
  readonly amount: number;
  /** Of its unit in `UNITS`. */
  readonly place: number;
}

/** '1 h', '30 min' out of '1 h 30 min', and what is left behind them. */
const partsOf = (text: string): { readonly parts: readonly LengthPart[]; readonly rest: string } => {
  const parts: LengthPart[] = [];
  let rest = text;
  for (let part = PART.exec(rest); part?.groups; part = PART.exec(rest)) {
    const { number = '', days, hours, minutes } = part.groups;
    const place = [days, hours, minutes].findIndex((unit) => unit !== undefined);
    parts.push({ amount: numberOf(number), place: place === -1 ? UNITS.length - 1 : place });
    rest = rest.slice(part[0].length);
  }
  return { parts, rest };
};

/** '1 h 30 min', '2.5h', '1h 5': a number behind a unit counts the next smaller one. */
const ofParts = (text: string): Seconds => {
  const { parts, rest } = partsOf(text);
  const behind = (parts.at(-1)?.place ?? UNITS.length) + 1;
  if (rest !== '' && (behind >= UNITS.length || !/^[0-5]?\d$/u.test(rest))) return 'unknown';
  const all = rest === '' ? parts : [...parts, { amount: Number(rest), place: behind }];
  if (all.length === 0) return 'unknown';
  if (new Set(all.map(({ place }) => place)).size < all.length) return 'twice';
  if (all.some(({ amount, place }) => UNITS[place] === 1 && !Number.isInteger(amount))) return 'fraction';
  return all.reduce((sum, { amount, place }) => sum + amount * (UNITS[place] ?? 1), 0);
};

const secondsOf = (text: string): Seconds => {
  if (text === '') return 'empty';
  if (/^[-\u2212]\s*[\d.,:]/u.test(text)) return 'negative';
  if (/^\+?\d+$/u.test(text)) return Number(text);
  if (/^\d*[.,]\d+$/u.test(text)) return 'fraction';
  return ofClock(text) ?? ofParts(text);
};

/**
 * The two fields 'change loop time' and 'change time left'. A number alone is whole seconds; '10:00', '1:30:00', ':45', '25m',
 * '1 hour 5 minutes', '1h30', '2.5h', '5′30″', 'half an hour' and '25 Minuten' are read too, to the nearest second.
 */
export function readSeconds(typed: string): ParsedLength {
  const read = secondsOf(plain(typed));
  if (typeof read === 'string') return { problem: PROBLEMS[read] };
  const seconds = Math.round(read);
  if (seconds < MIN_SECONDS) return { problem: PROBLEMS.short };
  return seconds > MAX_SECONDS ? { problem: PROBLEMS.long } : { length: seconds * SECOND };
}
