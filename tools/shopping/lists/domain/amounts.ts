import { LIMITS } from './list.ts';
import { markUnits, MARKED_PATTERNS, removeMarks, replaceNumberWords } from './units.ts';

/**
 * A name without its amount. `count`: desired number. `measure`: what a number measures ('500 g') or counts ('tins').
 */
export interface Amount {
  readonly name: string;
  readonly count?: number | undefined;
  readonly measure?: string | undefined;
}

const { unit: UNIT, containers: CONTAINERS, singularContainer: SINGULAR_CONTAINER, dozen: DOZEN } = MARKED_PATTERNS;
/** Words between an amount and its name. */
const OF = String.raw`(?:of\s+|de\s+|du\s+|di\s+|d['’])?`;

/** A count that an item can have. Larger numbers are rather part numbers than amounts. */
const COUNT = String.raw`[1-9]\d*`;
const FRACTION = String.raw`(?:[1-9]\s?[/⁄]\s?(?:1\d|[2-9])(?!\d)|[¼-¾⅐-⅞])`;
/** '500', '1.5', '1,5', '.5', '1,000', '1 000'. */
const DECIMAL = String.raw`(?:\d{1,3}(?:\s0\d\d)+|\d+(?:[.,]\d+)*|[.,]\d+)`;
/** A number, also '½', '1/2', '1 1/2', '1½', '1 and 1/2', '2-3', '2 to 3', '~500', 'about 500'. */
const MIXED = String.raw`\d{1,3}(?:\s?[¼-¾⅐-⅞]|\s?(?:\s|and\s|und\s|&|\+)\s?${FRACTION})`;
const ONE = `(?:${MIXED}|${FRACTION}|${DECIMAL})`;
const ABOUT = String.raw`(?:[~≈±]\s?|(?:ca|c|approx|circa|about|around|roughly|etwa|ungefähr|rund|mind|min|max)\.?\s)?`;
const TO = String.raw`(?:\s?[-–—]\s?|\s(?:to|or|bis|oder)\s)`;
const NUMBER = `${ABOUT}${ONE}(?:${TO}${ONE})?`;
/**
 * Without a unit, only numbers that can't be counts are moved behind the name: a half, one and a half, two to three.
 */
const UNCOUNTABLE = String.raw`(?:${MIXED}|${FRACTION}|\d{0,2}[.,](?:5|25|75)|[1-9]\d?${TO}[1-9]\d?)`;

const ONE_MEASURE = String.raw`${NUMBER}[\s-]?${UNIT}`;
/** '500 g', '200 g/7 oz', '1 lb 8 oz', '1 cup (240 ml)'. */
const MEASURE = String.raw`${ONE_MEASURE}(?:\s?(?:[/+=&–-]\s?|and\s|plus\s|und\s)?${ONE_MEASURE}|\s?\(${ONE_MEASURE}\)){0,2}`;
const CONTAINER = String.raw`(?:${CONTAINERS}|${SINGULAR_CONTAINER})`;
/** The size of a container: '400 g tin', '2-litre bottle'. */
const SIZED = String.raw`${MEASURE}(?:[\s-]${CONTAINER})?`;

/** Words after a number that is a property: '100 W bulb', '3 ply tissue', '12 year old whisky', '2 in 1 shampoo'. */
const PROPERTY_PATTERNS = [
  /^(?:mm|cm|m|metres?|meters?|inch|inches|in|ft|foot|feet|w|watts?|v|volts?|mah|ah|gb|tb|mb|mp|mhz|hz|hp|lumens?|%|percent|prozent|ply|lagig|packs?|pk|years?|yrs?|months?|mths?|weeks?|days?|hours?|hrs?|mins?|minutes?|jahre?|monate?|tage?|stunden|for|a|way|in|und|and|or|person|player|pieces? set|star|sterne|speed|door|pin|phase|stroke|takt|octane|oktan|gsm|k?cal|kwh?|zoll|fach|teilig|tlg|degrees?|grad|°c?)(?:[.,]|\s|-|$)/iu,
  // '3 bean salad', '7 grain bread', '5 spice powder', but '3 cheese slices'.
  /^(?:beans?|grains?|seeds?|spice|cheese|berry|fruit|korn|käse|layer|fold|season|seasons)\s(?:.*\s)?\S*[^s\s]$/iu,
];
/** Words before a number that make it part of the name: 'vitamin B 12', 'nappies size 5', 'sun cream SPF 30'. */
const NUMBERED_NAME_PATTERNS = [
  /(?:^|\s)\p{Lu}$/u,
  /(?:^|\s)(?:size|gr|größe|no|nr|number|nummer|type|typ|grade|part|teil|band|stage|stufe|level|age|factor|spf|lsf|omega|vol|volume|chapter|season|model|version|series|serie|din|euro|super)\.?$/iu,
  // Products with a number in their name.
  /(?:^|\s)(?:for|in|of|and|und|catch|windows|wd|office|android|ios|macos|ubuntu|debian|xbox|playstation|ps|iphone|ipad|galaxy|pixel|switch|kindle|gopro|fifa|formula|studio|route|heinz|chanel|aptamil|hipp|kendamil|milupa|beba|humana|pampers|huggies|co?enzyme|fanta|area|ryzen|rtx|gtx|airpods)$/iu,
];
const NUMBER_IN_NAME =
  /^(?:7[\s-]?up|(?:405|550|630|812|997) (?:\p{L}*mehl|flour)|3 musketeers|5 gum|5 alive|8 o['’]?\s?clock|100 grand|4 seasons|5 spice|99 flakes?|9 lives)(?!\p{L})/iu;
/** 5G is a mobile network, not five grams. */
const NETWORK = /(?:^|\s)[2-6]G(?:\s|$)/u;

/** Separates a name from the amount after it. */
const APART = String.raw`(?:\s*[:;,=]\s*|\s+(?:[-–—]|à)\s+|\s+)`;
/** 'x', '×', the asterisk, and similar characters. */
const BY = '[x×✕✖*х]';
const NAME = String.raw`(?<name>.*\p{L}.*)`;
const NAME_BEFORE = String.raw`(?<name>.*\p{L}.*?)`;

/** Numbers with an x or in brackets: they are amounts, however large they are. */
const TIMES_PATTERNS = [
  // '2 x milk', '2x milk', '2*milk', but not the size in '2xl shirts' or '2x4 timber'.
  new RegExp(
    String.raw`^(?<count>${COUNT})\s?(?:[x×х](?:\s+|(?=[^\p{L}\p{N}])|(?=${MEASURE}\s))|[✕✖*]\s*)(?<name>\D.*|${NUMBER}.+)$`,
    'iu',
  ),
  // 'cola 6 x 330 ml', 'tomatoes (2 x 400g tins)'
  new RegExp(String.raw`^(?<name>.+?)${APART}(?<count>${COUNT})\s?${BY}\s?(?<measure>${SIZED})$`, 'iu'),
  new RegExp(String.raw`^(?<name>.+?)\s*\((?<count>${COUNT})\s?${BY}\s?(?<measure>${SIZED})\)$`, 'iu'),
  // 'x2 milk'
  new RegExp(String.raw`^${BY}(?<count>${COUNT})\s+(?<name>.+)$`, 'iu'),
  // 'milk x2', 'milk x 2', 'milk ×2', 'milk*2'
  new RegExp(String.raw`^(?<name>.+?)(?:\s+${BY}|\s*[×✕✖*])\s?(?<count>${COUNT})$`, 'iu'),
  // 'milk 2x'
  new RegExp(String.raw`^(?<name>.+?)\s+(?<count>${COUNT})\s?${BY}$`, 'iu'),
  // 'milk (2)', 'milk (x2)', 'milk [2]'
  new RegExp(String.raw`^(?<name>.+?)\s*\(${BY}?\s?(?<count>${COUNT})\s?${BY}?\)$`, 'iu'),
  new RegExp(String.raw`^(?<name>.+?)\s*\[(?<count>${COUNT})\]$`, 'iu'),
] as const;
const MEASURE_PATTERNS = [
  // '400 g tin tomatoes', '500 g flour', '500g of flour', '1 1/2 cups flour'
  new RegExp(String.raw`^(?<measure>${MEASURE}[\s-]${CONTAINER})\s+${OF}${NAME}$`, 'iu'),
  new RegExp(String.raw`^(?<measure>${MEASURE})\s+${OF}${NAME}$`, 'iu'),
  // '½ tin coconut milk', '2-3 tins of tomatoes'
  new RegExp(String.raw`^(?<measure>${UNCOUNTABLE}\s?${CONTAINER})\s+${OF}${NAME}$`, 'iu'),
  // 'pasta 500g', 'milk, 2 l', 'milk (2 l)'
  new RegExp(String.raw`^${NAME_BEFORE}(?:${APART}(?<measure>${SIZED})|\s*[([](?<inside>${SIZED})[)\]])$`, 'iu'),
] as const;
const CONTAINER_PATTERNS = [
  // '2 400g tins tomatoes', '1 (400g) can beans', '12 330ml cola'
  new RegExp(
    String.raw`^(?<count>[1-9]\d{0,2})\s(?!0\d)(?<measure>\(${MEASURE}\)(?:[\s-]${CONTAINER})?|${DECIMAL}(?:[\s-]?${UNIT})[\s-]${CONTAINER}|${DECIMAL}-?${UNIT})\s+${OF}${NAME}$`,
    'iu',
  ),
  // '2 tins (400g) tomatoes', '2 tins tomatoes', '6pcs eggs'
  new RegExp(
    String.raw`^(?<count>[1-9]\d{0,2})\s?(?<holder>${CONTAINER})\s+(?:à\s|a\s(?=\d))?\(?(?<measure>${MEASURE})(?:\seach)?\)?\s+${OF}${NAME}$`,
    'iu',
  ),
  new RegExp(String.raw`^(?<count>[1-9]\d{0,2})\s?(?<measure>${CONTAINERS})\s+${OF}${NAME}$`, 'iu'),
  new RegExp(String.raw`^(?<count>[1-9]\d{0,2})\s(?<measure>${SINGULAR_CONTAINER})\s+of\s+${NAME}$`, 'iu'),
  // '1 pack butter', '1 jar pesto', but not '1 tin opener'
  new RegExp(
    String.raw`^(?<count>1)\s(?<measure>\uE002(?:pack|packet|package|bunch|loaf|tin|can|bottle|jar|punnet|carton|tub|bag|box|sachet)\uE002)\s+(?!(?:openers?|foil|brush|brushes|clips?|lids?|cutters?|racks?|holders?|stand|warmers?|files?|tops?|stoppers?|labels?|liners?|whistle|bank|crusher)(?:\s|$))${NAME}$`,
    'iu',
  ),
  // '1 Tube Senf': a container that English writes in lower case and with 'of'.
  /^(?<count>[1-9]\d?)\s(?<measure>\uE002(?:Tube|Pack|Packet|Sack|Block)\uE002)\s(?<name>[\uE000-\uE003]?\p{Lu}.*)$/u,
  // 'tomatoes 2 tins', 'tomatoes (2 tins)', 'bread, 1 loaf'
  new RegExp(
    String.raw`^${NAME_BEFORE}(?:${APART}|\s*\()(?<count>[1-9]\d{0,2})\s?(?<measure>${CONTAINERS}|(?<=\s1\s|\(1\s)${SINGULAR_CONTAINER})\)?$`,
    'iu',
  ),
] as const;
const DOZENS = String.raw`(?:(?<dozens>${ONE})\s?)?${DOZEN}`;
const DOZEN_PATTERNS = [
  new RegExp(String.raw`^${DOZENS}\s+${OF}${NAME}$`, 'iu'),
  new RegExp(String.raw`^${NAME_BEFORE}(?:${APART}${DOZENS}|\s*\(${DOZENS.replace('dozens', 'inside')}\))$`, 'iu'),
];
const WORD_START = String.raw`(?<=^|[\s(])`;
const WORD_END = String.raw`(?=[\s)]|$)`;
/** Rewrites products to the forms that the patterns know: '2 x 400g tins', '2 dozen'. */
const PRODUCT_REWRITES: readonly (readonly [RegExp, string])[] = [
  // '2 tins x 400g'
  [
    new RegExp(String.raw`${WORD_START}(${COUNT})\s?(${CONTAINER})\s?${BY}\s?(${MEASURE})${WORD_END}`, 'iu'),
    '$1 x $3 $2',
  ],
  // '400g x 2 tins'
  [
    new RegExp(String.raw`${WORD_START}(${MEASURE})\s?${BY}\s?(${COUNT})\s?(${CONTAINER})${WORD_END}`, 'iu'),
    '$2 x $1 $3',
  ],
  // '2 x tins 400g beans'
  [new RegExp(String.raw`^(${COUNT})\s?${BY}\s?(${CONTAINER})\s+(?=${MEASURE}\s)`, 'iu'), '$1 $2 '],
  // '2 packs x 6 eggs'
  [new RegExp(String.raw`^(${COUNT}\s?${CONTAINER})\s?${BY}\s+(?=.*\p{L})`, 'iu'), '$1 of '],
  // '1.5 l x 6 water'
  [new RegExp(String.raw`^(${MEASURE})\s?${BY}\s?(${COUNT})\s+(?=\D)`, 'iu'), '$2 x $1 '],
  // 'eggs x half a dozen', 'eggs, a dozen'
  [new RegExp(String.raw`(?<=\s)half\s(?:an?\s)?(?=${DOZEN})`, 'iu'), '½ '],
  [new RegExp(String.raw`(?<=\s)(?:an?|one)\s(?=${DOZEN})`, 'iu'), '1 '],
  // '2 x 1 dozen eggs'
  [new RegExp(String.raw`${WORD_START}(${COUNT})\s?${BY}\s?(?:1\s?)?(${DOZEN})`, 'iu'), '$1 $2'],
  // 'eggs x 1 dozen', 'eggs (x 2 dozen)'
  [new RegExp(String.raw`(?<=[\s(]|^)(?<!\d\s?)${BY}\s?((?:${ONE}\s?)?${DOZEN})`, 'iu'), '$1'],
  // '2 dozen x eggs'
  [new RegExp(String.raw`(${DOZEN})\s?${BY}(?=\s)`, 'iu'), '$1'],
];
const normalizeProducts = (text: string): string =>
  PRODUCT_REWRITES.reduce((rewritten, [pattern, replacement]) => rewritten.replace(pattern, replacement), text);

/** '½ cucumber', '1 1/2 onions', '2-3 onions' */
const PART_BEFORE = new RegExp(
  String.raw`^(?<measure>${UNCOUNTABLE})\s?(?<=[\s¼-¾⅐-⅞])${OF}(?:(?<=of\s)an?\s)?(?<name>[\uE000-\uE003]?\p{L}.*)$`,
  'iu',
);
/** 'cucumber ½' */
const PART_AFTER = new RegExp(String.raw`^${NAME_BEFORE}${APART}(?<measure>(?:\d{1,2}\s?)?${FRACTION})$`, 'iu');
/** '2 eggs'. A number of four digits is rather a year or a part number than an amount. */
const BARE_BEFORE = /^(?<count>[1-9]\d{0,2})\s+(?<name>.*\p{L}.*)$/u;
/** 'milk 2'. After a space only, a large number belongs to the name: 'Mehl 405', 'Nutella 750'. */
const BARE_AFTER = /^(?<name>.*\p{L}.*?)\s+(?<count>[1-9]|[1-4]\d|50)$/u;
/** 'milk: 2', 'milk - 2', 'milk, 2', 'milk:2', and columns of a table. */
const LISTED_AFTER =
  /^(?<name>.*\p{L}.*?)(?:(?:\s*[:;,=]|\s+[-–—])\s+|\t|(?<=[\p{L}\uE000-\uE003])[:;,=])(?<count>[1-9]\d{0,2})$/u;

/** '2 x tins of beans', after its count was removed. */
const COUNTED_CONTAINER_PATTERN = new RegExp(String.raw`^(?<measure>${CONTAINERS})\s+${OF}(?!for\s)${NAME}$`, 'iu');
/** '500 ml' alone does not mean 500 items, and '2 dozen' has no name. */
const MEASURE_ALONE = new RegExp(`^(?:${SIZED}|${DOZENS})$`, 'iu');
/** Matches a text that is not a name but the rest of an amount. */
const REST_OF_AMOUNT = new RegExp(`^${BY}?$`, 'iu');
const BEFORE_UNIT = /(?<=[\d¼-¾⅐-⅞])\s?(?=\uE000)/gu;
const TRAILING_AMOUNT = new RegExp(
  String.raw`^(?<name>.*\S)\s\((?<measure>${SIZED}|${UNCOUNTABLE}(?:\s?${CONTAINER})?|${CONTAINER})\)$`,
  'iu',
);
/** A number that is more than a count: with a unit, a fraction, a range, or in words. */
const MEASURE_HINT =
  /^(?:an?|half|quarter|one|two|three|ein\p{L}*|halb\p{L}*|zwei|drei|anderthalb)\s|[¼-¾⅐-⅞]|\d[\s\p{Pd}]?[\p{L}(㎎㎏㎖㎗]|\d\s?[/⁄.,–-]\s?\d/iu;
/** Most names have no amount and are not parsed further. */
const AMOUNT_HINT = /[\d¼-¾⅐-⅞]|\uE003/u;

/** Normalizes an amount: '500g' becomes '500 g', and '200 g (7 oz)' loses its inner brackets. */
const normalizeMeasure = (measure: string): string =>
  measure
    .replace(/^\((.*?)\)/u, '$1')
    .replace(/\s?\((.*)\)/u, '/$1')
    .replaceAll(BEFORE_UNIT, ' ');

function matchPatterns(text: string, patterns: readonly RegExp[]): Amount | undefined {
  const groups = patterns.map((pattern) => pattern.exec(text)?.groups).find((match) => match !== undefined);
  if (!groups) return undefined;
  const name = (groups['name'] ?? '').replace(/\s+à$/u, '').trim();
  const count = groups['count'] === undefined ? undefined : Number(groups['count']);
  if (REST_OF_AMOUNT.test(name) || (count ?? 1) > LIMITS.quantity) return undefined;
  const measure = groups['measure'] ?? groups['inside'];
  const parts = [measure === undefined ? undefined : normalizeMeasure(measure), groups['holder']];
  const measureText = parts.filter((part) => part !== undefined).join(' ');
  return { name, count, measure: measureText === '' ? undefined : measureText };
}

const FRACTION_SIGNS: Readonly<Record<string, number>> = { '½': 0.5, '⅓': 1 / 3, '⅔': 2 / 3, '¼': 0.25, '¾': 0.75 };
/** Parses '2', '1/2', '1½' and '1,5'; returns NaN for other notations. */
function parseNumber(text: string): number {
  const [, whole = '', numerator = '', denominator = '', sign = ''] =
    /^(\d+(?:[.,]\d+)?(?!\s?[/⁄]))?\s?(?:([1-9])\s?[/⁄]\s?(\d+)|([½⅓⅔¼¾]))?$/u.exec(text) ?? [];
  if (whole + numerator + sign === '') return NaN;
  const ratio = numerator === '' ? 0 : Number(numerator) / Number(denominator);
  return Number(whole.replace(',', '.')) + (sign === '' ? ratio : (FRACTION_SIGNS[sign] ?? NaN));
}

/** '2 dozen eggs', 'dozen eggs', 'eggs (½ dozen)': a dozen is twelve. */
function parseDozens(text: string): Amount | undefined {
  const groups = DOZEN_PATTERNS.map((pattern) => pattern.exec(text)?.groups).find((match) => match !== undefined);
  if (!groups) return undefined;
  const count = Math.round(12 * parseNumber(groups['dozens'] ?? groups['inside'] ?? '1') * 1000) / 1000;
  const isCount = Number.isInteger(count) && count >= 1 && count <= LIMITS.quantity;
  return isCount ? { name: (groups['name'] ?? '').trim(), count } : undefined;
}

const isNumberInName = ({ name }: Amount): boolean =>
  NUMBERED_NAME_PATTERNS.some((pattern) => pattern.test(removeMarks(name)));

function parseBareNumber(text: string): Amount | undefined {
  if (NUMBER_IN_NAME.test(removeMarks(text))) return undefined;
  const before = matchPatterns(text, [PART_BEFORE, BARE_BEFORE]);
  if (before) return PROPERTY_PATTERNS.some((pattern) => pattern.test(removeMarks(before.name))) ? undefined : before;
  const after = matchPatterns(text, [PART_AFTER, LISTED_AFTER, BARE_AFTER]);
  return after && !isNumberInName(after) ? after : undefined;
}

/** Combines a count with a measure inside of it, or the reverse: '2 x 500 g flour', '500 g flour 2'. */
function combineAmounts(outer: Amount, inner: Amount | undefined): Amount {
  const measures = [outer.measure, inner?.measure].filter((measure) => measure !== undefined);
  const counts = [outer.count, inner?.count].filter((count) => count !== undefined);
  return inner && measures.length < 2 && counts.length < 2
    ? { name: inner.name, count: counts[0], measure: measures[0] }
    : outer;
}

/** Combines a container with its size, which comes first: '1 Dose Tomaten (400 g)'. */
const combineWithSize = (container: Amount, inner: Amount | undefined): Amount =>
  /^[\uE001\uE002]/u.test(container.measure ?? '') &&
  inner?.measure !== undefined &&
  !/[\uE001\uE002]/u.test(inner.measure)
    ? { name: inner.name, count: container.count, measure: `${inner.measure} ${container.measure}` }
    : combineAmounts(container, inner);

function parseAmount(markedText: string): Amount | undefined {
  const text = normalizeProducts(markedText);
  if (MEASURE_ALONE.test(text)) return undefined;
  const times = matchPatterns(text, TIMES_PATTERNS);
  if (times)
    return combineAmounts(
      times,
      matchPatterns(times.name, [...MEASURE_PATTERNS, PART_BEFORE, COUNTED_CONTAINER_PATTERN]),
    );
  const dozens = parseDozens(text);
  if (dozens) return dozens;
  const container = matchPatterns(text, CONTAINER_PATTERNS);
  if (container) return combineWithSize(container, matchPatterns(container.name, MEASURE_PATTERNS));
  const measured = NETWORK.test(removeMarks(text)) ? undefined : matchPatterns(text, MEASURE_PATTERNS);
  if (measured) return combineAmounts(measured, parseBareNumber(measured.name));
  return parseBareNumber(text);
}

/** Converts full-width digits and units, as East Asian keyboards type them. */
const normalizeDigits = (text: string): string =>
  text.replaceAll(/[０-９][０-９．，／]*[ａ-ｚＡ-Ｚ]*/gu, (number) => number.normalize('NFKC'));

/** Splits a text into amount and name; undefined if it has no amount. */
export function splitAmount(input: string): Amount | undefined {
  const text = markUnits(normalizeDigits(input));
  const textWithDigits = replaceNumberWords(text);
  const amountInWords = textWithDigits === undefined ? undefined : parseAmount(textWithDigits);
  const amount = amountInWords ?? (AMOUNT_HINT.test(text) ? parseAmount(text) : undefined);
  if (!amount) return undefined;
  const { name, count, measure } = amount;
  return { name: removeMarks(name).trim(), count, measure: measure === undefined ? undefined : removeMarks(measure) };
}

/** Appends the measure to the name, as items only store whole numbers: 'flour (500 g)'. */
export function appendMeasure({ name, measure }: Amount): string {
  return measure === undefined ? name : `${name} (${measure})`;
}

/** Splits 'flour (500 g)', '500 g flour' and 'flour 500g' into 'flour' and '500 g'. Other names are not split. */
export function splitMeasure(name: string): Amount {
  if (name.endsWith(')')) {
    const groups = TRAILING_AMOUNT.exec(markUnits(name))?.groups;
    if (groups) return { name: removeMarks(groups['name'] ?? ''), measure: removeMarks(groups['measure'] ?? '') };
  }
  const amount = MEASURE_HINT.test(name) ? splitAmount(name) : undefined;
  // One bunch is a measure, two bunches are a count.
  const isOne = amount?.count === undefined || (amount.count === 1 && amount.measure !== undefined);
  return amount && isOne ? { name: amount.name, measure: amount.measure } : { name };
}

/** Removes the measure of a name: 'flour (500 g)' becomes 'flour'. */
export function removeMeasure(name: string): string {
  return name.endsWith(')') ? splitMeasure(name).name : name;
}
