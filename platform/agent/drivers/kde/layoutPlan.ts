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

/** A part of a text that one layout types. */
export interface LayoutPart {
  /** Index of the layout. */
  readonly layout: number;
  readonly presses: readonly KeyPress[];
}

export interface LayoutPlan {
  readonly parts: readonly LayoutPart[];
  /** Characters that no layout has. */
  readonly dropped: readonly number[];
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
 * @param current index of the layout in use.
 * @param canSwitch whether other layouts can be used.
 */
export function planLayoutTyping(
  { layouts }: Pick<Keymap, 'layouts'>,
  characters: readonly number[],
  { current, canSwitch }: { readonly current: number; readonly canSwitch: boolean },
): LayoutPlan {
  const parts: { layout: number; presses: KeyPress[] }[] = [];
  const dropped: number[] = [];
  let layout = current;
  for (const character of characters) {
    const candidates = canSwitch ? [layout, ...layouts.keys()] : [layout];
    const found = candidates.find((candidate) => findPresses(layouts[candidate], character).length > 0);
    if (found === undefined) {
      dropped.push(character);
      continue;
    }
    layout = found;
    let part = parts.at(-1);
    if (part?.layout !== layout) {
      part = { layout, presses: [] };
      parts.push(part);
    }
    part.presses.push(...findPresses(layouts[layout], character));
  }
  return { parts, dropped };
}
