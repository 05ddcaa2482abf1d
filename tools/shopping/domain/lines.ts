import { LIMITS, NEW_ITEM, STATES, type Item } from './list.ts';

/** A pasted line that became no item, and why, as a sentence for the person. Its text stays where it was pasted. */
export interface LeftLine {
  readonly line: string;
  readonly why: string;
}

export interface ReadLines {
  readonly items: readonly Item[];
  readonly left: readonly LeftLine[];
}

/** What the page knows around the text. */
export interface Around {
  /** The emoji of a known name, which is also never taken apart: 'Omega 3' is no three. */
  readonly emojiOf?: (name: string) => string | undefined;
  /** How many items the list still takes. */
  readonly room?: number;
}

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;
/** A line longer than this, in UTF-16, holds a name over its limit whatever is taken off it, and is not read at all: that could take long. */
const LONGEST = 2 * LIMITS.name + 100;

/** A line that shows nothing: white space, control signs, signs without a width. */
const SHOWS = /[^\s\p{Cc}\p{Cf}]/u;

/** '- ', '* ', '• ', also '-milk', but not '-5'. */
const BULLET = /^(?:[-*+–—]\s+|[-–—](?=\p{L})|[•‣◦▪▫●○·∙⁃]\s*)/u;
/** '1. ', '2) ', '(3) '; a point without a space is a decimal one. */
const NUMBERING = /^(?:\d{1,3}[.)]|\(\d{1,3}\))\s+/u;
const BOX = /^(?:\[(?<open>\s?)\]|\[(?<ticked>[xX✓✔])\]|(?<openSign>[☐□])|(?<tickedSign>[☑☒✓✔✅])\uFE0F?)\s*/u;

/** What a number measures rather than counts: it stays in the name, with its number. */
const UNITS =
  'mg|g|gr|grams?|kg|kilos?|oz|ounces?|lbs?|pounds?|ml|cl|dl|l|litres?|liters?|pts?|pints?|gal|gallons?|floz|fl|tsp|tbsp|teaspoons?|tablespoons?|cups?|pinch|pinches|mm|cm|m|metres?|meters?|inch|inches|in|ft|w|v|%';
const MEASURED = new RegExp(`^(?:${UNITS})(?:[.,]|\\s|$)`, 'iu');

/** With an x or brackets a number of any size is an amount. */
const TIMES = [
  // '2 x milk', '2x milk', '2 × milk', but not '2xl shirts', which are of a size, nor '2x4 timber'.
  /^(?<count>[1-9]\d*)\s?[x×](?:\s+|(?=[^\p{L}\p{N}]))(?<name>.+)$/iu,
  // 'x2 milk'
  /^[x×](?<count>[1-9]\d*)\s+(?<name>.+)$/iu,
  // 'milk x2', 'milk x 2', 'milk ×2'
  /^(?<name>.+?)\s+[x×]\s?(?<count>[1-9]\d*)$/iu,
  // 'milk 2x'
  /^(?<name>.+?)\s+(?<count>[1-9]\d*)\s?[x×]$/iu,
  // 'milk (2)', 'milk (x2)'
  /^(?<name>.+?)\s*\([x×]?\s?(?<count>[1-9]\d*)\)$/iu,
] as const;
/** '2 eggs'. A number of four digits is a year or a part number rather than an amount. */
const BARE_BEFORE = /^(?<count>[1-9]\d{0,2})\s+(?<name>.*\p{L}.*)$/u;
/** 'milk 2', 'milk: 2', 'milk - 2', 'milk, 2'. */
const BARE_AFTER = /^(?<name>.*\p{L}.*?)(?:\s*[:;,=]|\s+[-–—])?\s+(?<count>[1-9]\d{0,2})$/u;
/** Behind these a number is a part of the name: 'vitamin B 12', 'nappies size 5', 'sun cream SPF 30'. */
const NAMES_A_NUMBER = [
  /(?:^|\s)\p{Lu}$/u,
  /(?:^|\s)(?:size|no\.?|nr\.?|number|type|grade|part|stage|level|age|factor|spf|omega|vol\.?)$/iu,
] as const;

/** No name but the rest of an amount. */
const SIGN = /^[x×]?$/iu;

interface Counted {
  readonly name: string;
  readonly count: number;
}

const countedBy = (text: string, patterns: readonly RegExp[]): Counted | undefined => {
  const groups = patterns.map((pattern) => pattern.exec(text)?.groups).find((found) => found !== undefined);
  if (!groups) return undefined;
  const [name, count] = [(groups['name'] ?? '').trim(), Number(groups['count'])];
  return SIGN.test(name) || count > LIMITS.quantity ? undefined : { name, count };
};

const counted = (text: string): Counted | undefined => {
  const times = countedBy(text, TIMES);
  if (times) return times;
  const before = countedBy(text, [BARE_BEFORE]);
  if (before) return MEASURED.test(before.name) ? undefined : before;
  const after = countedBy(text, [BARE_AFTER]);
  return after && !NAMES_A_NUMBER.some((pattern) => pattern.test(after.name)) ? after : undefined;
};

/** The text behind a mark at its beginning; all of it where nothing would be left. */
const without = (mark: RegExp, text: string): string => {
  const rest = text.replace(mark, '');
  return SHOWS.test(rest) ? rest.trim() : text;
};

const boxOf = (text: string): 'open' | 'ticked' | undefined => {
  const groups = BOX.exec(text)?.groups;
  if (!groups || without(BOX, text) === text) return undefined;
  return groups['ticked'] === undefined && groups['tickedSign'] === undefined ? 'open' : 'ticked';
};

/** A box alone makes a checkbox, a ticked or an open one; with an amount it tells whether all of it is there. */
const standing = (count: number | undefined, box: 'open' | 'ticked' | undefined): Omit<Item, 'name' | 'emoji'> => {
  const desired = count ?? 1;
  if (box === undefined) return { desired, actual: 0, state: STATES.counted };
  if (count !== undefined) return { desired, actual: box === 'ticked' ? count : 0, state: STATES.counted };
  return { desired, actual: 0, state: box === 'ticked' ? STATES.tick : STATES.question };
};

const itemOf = (line: string, emojiOf: (name: string) => string | undefined): Item => {
  const listed = without(NUMBERING, without(BULLET, line));
  const box = boxOf(listed);
  const text = without(BOX, listed);
  const amount = emojiOf(text) === undefined ? counted(text) : undefined;
  const name = amount?.name ?? text;
  return { name, emoji: emojiOf(name) ?? NEW_ITEM.emoji, ...standing(amount?.count, box) };
};

/** White space and control signs as one space each, halves of letters as the sign for what cannot be read. */
const plain = (line: string): string =>
  line
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();

/**
 * Items from a pasted text, one for each line that shows anything, in their order: amounts ('2 x milk', 'milk 2'), bullets, numbering and
 * boxes are read and taken off, everything else stays in the name. Without an amount one is desired. What breaks a limit of lists is told
 * in `left` and becomes no item.
 */
export const readLines = (text: string, { emojiOf = () => undefined, room = LIMITS.items }: Around = {}): ReadLines => {
  const items: Item[] = [];
  const left: LeftLine[] = [];
  for (const line of text.split(LINE_END)) {
    if (!SHOWS.test(line)) continue;
    const written = plain(line);
    const item = written.length > LONGEST ? undefined : itemOf(written, emojiOf);
    if (!item || Array.from(item.name).length > LIMITS.name)
      left.push({ line, why: `The name of an item has at most ${LIMITS.name} characters` });
    else if (items.length >= room) left.push({ line, why: `A list has at most ${LIMITS.items} items` });
    else items.push(item);
  }
  return { items, left };
};
