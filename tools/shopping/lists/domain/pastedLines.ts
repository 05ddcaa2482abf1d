import { amountOf, nameWithMeasure, nameWithoutMeasure } from './amounts.ts';
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
export interface LineContext {
  /** The emoji of a known name, which is also never taken apart: 'Omega 3' is no three. */
  readonly emojiOf?: (name: string) => string | undefined;
  /** How many items the list still takes. */
  readonly room?: number;
}

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;
/** A line longer than this, in UTF-16, holds a name over its limit whatever is taken off it, and is not read at all: that could take long. */
const MAX_LINE_LENGTH = 2 * LIMITS.name + 100;

/** A line that shows nothing: white space, control signs, signs without a width. */
const SHOWS = /[^\s\p{Cc}\p{Cf}]/u;

/** '- ', '* ', '• ', also '-milk', but not '-5'. */
const BULLET = /^(?:[-*+–—]\s+|[-–—](?=\p{L})|[•‣◦▪▫●○·∙⁃]\s*)/u;
/** '1. ', '2) ', '(3) '; a point without a space is a decimal one. */
const NUMBERING = /^(?:\d{1,3}[.)]|\(\d{1,3}\))\s+/u;
const BOX = /^(?:\[(?<open>\s?)\]|\[(?<ticked>[xX✓✔])\]|(?<openSign>[☐□])|(?<tickedSign>[☑☒✓✔✅])\uFE0F?)\s*/u;

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
  const amount = emojiOf(text) === undefined ? amountOf(text) : undefined;
  const measured = amount && nameWithMeasure(amount).replaceAll('\t', ' ');
  // The brackets may be what makes a name too long: then the line stays as it was typed.
  const fits = measured !== undefined && Array.from(measured).length <= LIMITS.name;
  const name = fits ? measured : text.replaceAll('\t', ' ');
  const emoji = emojiOf(name) ?? emojiOf(nameWithoutMeasure(name)) ?? NEW_ITEM.emoji;
  return { name, emoji, ...standing(fits ? amount?.count : undefined, box) };
};

/** Turns white space and control characters into spaces or tabs, and lone surrogates into U+FFFD. */
const plain = (line: string): string =>
  line
    .toWellFormed()
    .trim()
    .replaceAll(/[\s\p{Cc}]+/gu, (space) => (space.includes('\t') ? '\t' : ' '))
    .trim();

/**
 * Items from a pasted text, one for each line that shows anything, in their order: amounts ('2 x milk', 'milk 2'), bullets, numbering and
 * boxes are read and taken off, everything else stays in the name. An item counts in whole numbers and has no unit, so what is measured
 * ('500 g flour', '½ cucumber') is one item with its measure behind its name. What breaks a limit of lists is told in `left` and becomes no item.
 */
export function readLines(
  text: string,
  { emojiOf = () => undefined, room = LIMITS.items }: LineContext = {},
): ReadLines {
  const items: Item[] = [];
  const left: LeftLine[] = [];
  for (const line of text.split(LINE_END)) {
    if (!SHOWS.test(line)) continue;
    const written = plain(line);
    const item = written.length > MAX_LINE_LENGTH ? undefined : itemOf(written, emojiOf);
    if (!item || Array.from(item.name).length > LIMITS.name)
      left.push({ line, why: `The name of an item has at most ${LIMITS.name} characters` });
    else if (items.length >= room) left.push({ line, why: `A list has at most ${LIMITS.items} items` });
    else items.push(item);
  }
  return { items, left };
}
