import { getKeysymByCharacter } from '../keysyms.ts';
import type { Keymap, KeymapLayout, KeyPress } from '../wayland/keymap.ts';

/** Dead keys by the combining mark that they put on the next letter. */
const DEAD_KEYSYM_BY_MARK: ReadonlyMap<string, number> = new Map([
  ['\u0300', 0xfe50], // grave
  ['\u0301', 0xfe51], // acute
  ['\u0302', 0xfe52], // circumflex
  ['\u0303', 0xfe53], // tilde
  ['\u0304', 0xfe54], // macron
  ['\u0306', 0xfe55], // breve
  ['\u0307', 0xfe56], // dot above
  ['\u0308', 0xfe57], // diaeresis
  ['\u030a', 0xfe58], // ring above
  ['\u030b', 0xfe59], // double acute
  ['\u030c', 0xfe5a], // caron
  ['\u0327', 0xfe5b], // cedilla
  ['\u0328', 0xfe5c], // hook to the right, below
]);
/** What dead keys type with a space after them, in all programs. */
const DEAD_KEYSYM_BY_SPACED: ReadonlyMap<string, number> = new Map([
  ['`', 0xfe50],
  ['^', 0xfe52],
  ['~', 0xfe53],
]);
const SPACE = 0x20;

/** A part of a text: first the keys of one layout, then characters that are typed by their keysyms. */
export interface TypedPart {
  /** Index of the layout. */
  readonly layout: number;
  readonly presses: readonly KeyPress[];
  readonly keysyms: readonly number[];
}

export interface LayoutPlan {
  readonly parts: readonly TypedPart[];
  /** Characters that can't be typed. */
  readonly dropped: readonly number[];
}

export interface LayoutPlanOptions {
  /** Index of the layout in use. */
  readonly current: number;
  /** Whether other layouts can be used. */
  readonly canSwitch: boolean;
  /** Whether characters that no layout has can be typed by their keysyms. */
  readonly canTypeKeysyms: boolean;
}

/** Returns the presses of a dead key and the key after it. */
function findDeadKeyPresses({ presses, pressByKeysym }: KeymapLayout, character: number): readonly KeyPress[] {
  const text = String.fromCodePoint(character);
  const [letter = '', mark = '', ...rest] = Array.from(text.normalize('NFD'));
  const spacedKeysym = DEAD_KEYSYM_BY_SPACED.get(text);
  const isComposed = mark !== '' && rest.length === 0 && (letter + mark).normalize('NFC') === text;
  const deadKeysym = spacedKeysym ?? (isComposed ? DEAD_KEYSYM_BY_MARK.get(mark) : undefined);
  const dead = deadKeysym === undefined ? undefined : pressByKeysym.get(deadKeysym);
  const next = presses.get(spacedKeysym === undefined ? (letter.codePointAt(0) ?? 0) : SPACE);
  return dead && next ? [dead, next] : [];
}

/** Returns the presses that type a character in a layout; none if it lacks it. */
function findPresses(layout: KeymapLayout | undefined, character: number): readonly KeyPress[] {
  if (!layout) return [];
  const press = layout.presses.get(character);
  return press ? [press] : findDeadKeyPresses(layout, character);
}

/**
 * Plans how the user's layouts type a text, with as few changes of the layout as possible.
 * @param characters code points.
 */
export function planLayoutTyping(
  { layouts }: Pick<Keymap, 'layouts'>,
  characters: readonly number[],
  { current, canSwitch, canTypeKeysyms }: LayoutPlanOptions,
): LayoutPlan {
  const parts: { layout: number; presses: KeyPress[]; keysyms: number[] }[] = [];
  const dropped: number[] = [];
  let layout = current;
  function startPart() {
    const part: { layout: number; presses: KeyPress[]; keysyms: number[] } = { layout, presses: [], keysyms: [] };
    parts.push(part);
    return part;
  }
  function addPresses(presses: readonly KeyPress[]): void {
    const last = parts.at(-1);
    const part = last?.layout === layout && last.keysyms.length === 0 ? last : startPart();
    part.presses.push(...presses);
  }
  for (const character of characters) {
    const candidates = canSwitch ? [layout, ...layouts.keys()] : [layout];
    const found = candidates.find((candidate) => findPresses(layouts[candidate], character).length > 0);
    const keysym = canTypeKeysyms ? getKeysymByCharacter(character) : undefined;
    if (found !== undefined) {
      layout = found;
      addPresses(findPresses(layouts[layout], character));
    } else if (keysym === undefined) dropped.push(character);
    else (parts.at(-1) ?? startPart()).keysyms.push(keysym);
  }
  return { parts, dropped };
}
