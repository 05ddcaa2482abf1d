import { splitAmount, nameWithMeasure, nameWithoutMeasure } from './amounts.ts';
import { LIMITS, NEW_ITEM, STATES, type Item } from './list.ts';

/** A pasted line that did not become an item, with the reason for the user. It stays in the text field. */
export interface UnparsedLine {
  readonly line: string;
  readonly why: string;
}

export interface ReadLines {
  readonly items: readonly Item[];
  readonly left: readonly UnparsedLine[];
}

/** What the page knows about the list and its names. */
export interface LineContext {
  /** Emoji of a known name. Known names are not split either: 'Omega 3' does not mean three. */
  readonly findEmoji?: (name: string) => string | undefined;
  /** How many more items fit into the list. */
  readonly room?: number;
}

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;
/**
 * In UTF-16 units. A longer line has a name over the limit in any case; it is skipped because parsing could be slow.
 */
const MAX_LINE_LENGTH = 2 * LIMITS.name + 100;

/** Matches lines with visible characters: not just white space, control or zero-width characters. */
const SHOWS = /[^\s\p{Cc}\p{Cf}]/u;

/** '- ', '* ', '• ', also '-milk', but not '-5'. */
const BULLET = /^(?:[-*+–—]\s+|[-–—](?=\p{L})|[•‣◦▪▫●○·∙⁃]\s*)/u;
/** '1. ', '2) ', '(3) '; a point without a space is a decimal point. */
const NUMBERING = /^(?:\d{1,3}[.)]|\(\d{1,3}\))\s+/u;
const BOX = /^(?:\[(?<open>\s?)\]|\[(?<ticked>[xX✓✔])\]|(?<openSign>[☐□])|(?<tickedSign>[☑☒✓✔✅])\uFE0F?)\s*/u;

/** Removes a marker from the start of a text, unless nothing would be left. */
const removeMark = (mark: RegExp, text: string): string => {
  const rest = text.replace(mark, '');
  return SHOWS.test(rest) ? rest.trim() : text;
};

const getBox = (text: string): 'open' | 'ticked' | undefined => {
  const groups = BOX.exec(text)?.groups;
  if (!groups || removeMark(BOX, text) === text) return undefined;
  return groups['ticked'] === undefined && groups['tickedSign'] === undefined ? 'open' : 'ticked';
};

/** A box alone makes a checkbox; with an amount it says whether all of it is already there. */
const toAmounts = (count: number | undefined, box: 'open' | 'ticked' | undefined): Omit<Item, 'name' | 'emoji'> => {
  const desired = count ?? 1;
  if (box === undefined) return { desired, actual: 0, state: STATES.counted };
  if (count !== undefined) return { desired, actual: box === 'ticked' ? count : 0, state: STATES.counted };
  return { desired, actual: 0, state: box === 'ticked' ? STATES.tick : STATES.question };
};

const toItem = (line: string, findEmoji: (name: string) => string | undefined): Item => {
  const listed = removeMark(NUMBERING, removeMark(BULLET, line));
  const box = getBox(listed);
  const text = removeMark(BOX, listed);
  const amount = findEmoji(text) === undefined ? splitAmount(text) : undefined;
  const measured = amount && nameWithMeasure(amount).replaceAll('\t', ' ');
  // The brackets can make a name too long; then the line stays as it was typed.
  const fits = measured !== undefined && Array.from(measured).length <= LIMITS.name;
  const name = fits ? measured : text.replaceAll('\t', ' ');
  const emoji = findEmoji(name) ?? findEmoji(nameWithoutMeasure(name)) ?? NEW_ITEM.emoji;
  return { name, emoji, ...toAmounts(fits ? amount?.count : undefined, box) };
};

/** Turns white space and control characters into spaces or tabs, and lone surrogates into U+FFFD. */
const cleanLine = (line: string): string =>
  line
    .toWellFormed()
    .trim()
    .replaceAll(/[\s\p{Cc}]+/gu, (space) => (space.includes('\t') ? '\t' : ' '))
    .trim();

/**
 * Reads one item from each visible line. Amounts ('2 x milk'), bullets, numbers and boxes are removed from the name;
 * measures ('500 g flour') go behind it, as items count in whole numbers. Lines that break a limit go to `left`.
 */
export function readLines(
  text: string,
  { findEmoji = () => undefined, room = LIMITS.items }: LineContext = {},
): ReadLines {
  const items: Item[] = [];
  const left: UnparsedLine[] = [];
  for (const line of text.split(LINE_END)) {
    if (!SHOWS.test(line)) continue;
    const cleaned = cleanLine(line);
    const item = cleaned.length > MAX_LINE_LENGTH ? undefined : toItem(cleaned, findEmoji);
    if (!item || Array.from(item.name).length > LIMITS.name)
      left.push({ line, why: `The item name is too long. Enter at most ${LIMITS.name} characters` });
    else if (items.length >= room)
      left.push({ line, why: `A list can have at most ${LIMITS.items.toLocaleString('en')} items` });
    else items.push(item);
  }
  return { items, left };
}
