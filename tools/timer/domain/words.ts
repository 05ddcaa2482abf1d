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
