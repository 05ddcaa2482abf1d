import { splitAmount, appendMeasure, removeMeasure } from './amounts.ts';
import { LIMITS, NEW_ITEM, STATES, type Item } from './list.ts';

/** A pasted line that did not become an item, with the reason for the user. It stays in the text field. */
export interface UnparsedLine {
  readonly line: string;
  readonly reason: string;
}

export interface ParsedLines {
  readonly items: readonly Item[];
  readonly unparsed: readonly UnparsedLine[];
}

/** The list into which lines are pasted, and its names. */
export interface LineContext {
  /** Emoji of a known name. Known names are not split either: 'Omega 3' does not mean three. */
  readonly findEmoji?: (name: string) => string | undefined;
  /** Number of items that still fit into the list. */
  readonly maxItems?: number;
}

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;
/** Maximum length in UTF-16 units. The name of a longer line exceeds its limit, and parsing it could be slow. */
const MAX_LINE_LENGTH = 2 * LIMITS.name + 100;

/** Matches lines with visible characters: not just white space, control or zero-width characters. */
const VISIBLE_PATTERN = /[^\s\p{Cc}\p{Cf}]/u;

/** '- ', '* ', '• ', also '-milk', but not '-5'. */
const BULLET = /^(?:[-*+–—]\s+|[-–—](?=\p{L})|[•‣◦▪▫●○·∙⁃]\s*)/u;
/** '1. ', '2) ', '(3) '; a point without a space is a decimal point. */
const NUMBERING = /^(?:\d{1,3}[.)]|\(\d{1,3}\))\s+/u;
const BOX = /^(?:\[(?<open>\s?)\]|\[(?<ticked>[xX✓✔])\]|(?<openSign>[☐□])|(?<tickedSign>[☑☒✓✔✅])\uFE0F?)\s*/u;

/** Removes a marker from the start of a text, unless nothing would be left. */
function removeMarker(marker: RegExp, text: string): string {
  const rest = text.replace(marker, '');
  return VISIBLE_PATTERN.test(rest) ? rest.trim() : text;
}

function parseBox(text: string): 'open' | 'ticked' | undefined {
  const groups = BOX.exec(text)?.groups;
  if (!groups || removeMarker(BOX, text) === text) return undefined;
  return groups['ticked'] === undefined && groups['tickedSign'] === undefined ? 'open' : 'ticked';
}

/** A box alone makes a checkbox. With an amount it says whether the whole amount is already bought. */
function toAmounts(count: number | undefined, box: 'open' | 'ticked' | undefined): Omit<Item, 'name' | 'emoji'> {
  const desired = count ?? 1;
  if (box === undefined) return { desired, actual: 0, state: STATES.counted };
  if (count !== undefined) return { desired, actual: box === 'ticked' ? count : 0, state: STATES.counted };
  return { desired, actual: 0, state: box === 'ticked' ? STATES.tick : STATES.question };
}

function toItem(line: string, findEmoji: (name: string) => string | undefined): Item {
  const lineWithoutBullet = removeMarker(NUMBERING, removeMarker(BULLET, line));
  const box = parseBox(lineWithoutBullet);
  const text = removeMarker(BOX, lineWithoutBullet);
  const amount = findEmoji(text) === undefined ? splitAmount(text) : undefined;
  const nameWithMeasure = amount && appendMeasure(amount).replaceAll('\t', ' ');
  // The brackets can make a name too long. Then the line stays as it was typed.
  const fits = nameWithMeasure !== undefined && Array.from(nameWithMeasure).length <= LIMITS.name;
  const name = fits ? nameWithMeasure : text.replaceAll('\t', ' ');
  const emoji = findEmoji(name) ?? findEmoji(removeMeasure(name)) ?? NEW_ITEM.emoji;
  return { name, emoji, ...toAmounts(fits ? amount?.count : undefined, box) };
}

/** Turns white space and control characters into spaces or tabs, and lone surrogates into U+FFFD. */
const cleanLine = (line: string): string =>
  line
    .toWellFormed()
    .trim()
    .replaceAll(/[\s\p{Cc}]+/gu, (space) => (space.includes('\t') ? '\t' : ' '))
    .trim();

/**
 * Parses one item from each visible line. Amounts ('2 x milk'), bullets, numbers and boxes are removed from the name;
 * measures ('500 g flour') go behind it, as items count in whole numbers. Lines that break a limit go to `unparsed`.
 */
export function parseLines(
  text: string,
  { findEmoji = () => undefined, maxItems = LIMITS.items }: LineContext = {},
): ParsedLines {
  const items: Item[] = [];
  const unparsed: UnparsedLine[] = [];
  for (const line of text.split(LINE_END)) {
    if (!VISIBLE_PATTERN.test(line)) continue;
    const cleaned = cleanLine(line);
    const item = cleaned.length > MAX_LINE_LENGTH ? undefined : toItem(cleaned, findEmoji);
    if (!item || Array.from(item.name).length > LIMITS.name)
      unparsed.push({ line, reason: `The item name is too long. Enter at most ${LIMITS.name} characters` });
    else if (items.length >= maxItems)
      unparsed.push({ line, reason: `A list can have at most ${LIMITS.items.toLocaleString('en')} items` });
    else items.push(item);
  }
  return { items, unparsed };
}
