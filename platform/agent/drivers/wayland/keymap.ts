// Keymaps as the compositor describes them (xkb_keymap text): read, planned with, and rewritten.
import { getCharacterByKeysym, getKeysymByCharacter, KEYSYM, parseKeysymName } from '../keysyms.ts';

/** Keymaps count keys from 8, as X11 does; the kernel counts them from 0 (evdev). */
const KEYCODE_OFFSET = 8;

/** The modifiers that programs see, as a mask of Shift, Lock, Control and Mod1 to Mod5. */
export type ModifierMask = number;
const MODIFIER_NAMES = ['Shift', 'Lock', 'Control', 'Mod1', 'Mod2', 'Mod3', 'Mod4', 'Mod5'] as const;
const SHIFT_MASK = 1;

/** One key press that types a character. */
export interface KeyPress {
  /** The key's number in the kernel (evdev). */
  readonly code: number;
  readonly modifiers: ModifierMask;
  /** Index of the layout to use, from 0. */
  readonly group: number;
}

interface KeymapKey {
  readonly code: number;
  /** Such as 'AD01'. */
  readonly name: string;
  /** Keysyms of each layout by level. */
  readonly groups: readonly (readonly number[])[];
}

/** What one layout of a keymap types with its first four levels. */
export interface KeymapLayout {
  /** How to type each character, by code point. */
  readonly presses: ReadonlyMap<number, KeyPress>;
  /** How to press each keysym, also those that type no character. */
  readonly pressByKeysym: ReadonlyMap<number, KeyPress>;
}

/** A keymap that was read. */
export interface Keymap {
  readonly text: string;
  /** Keys by their evdev code. */
  readonly keys: ReadonlyMap<number, KeymapKey>;
  /** The user's layouts. There is at least one. */
  readonly layouts: readonly KeymapLayout[];
  /** How to type each character of the layouts, by code point. */
  readonly presses: ReadonlyMap<number, KeyPress>;
  /** Keys without modifiers, by keysym. */
  readonly keyByKeysym: ReadonlyMap<number, KeyPress>;
  /** Returns the mask of the modifier that a key with this keysym sets; 0 if there is none. */
  readonly getModifierMask: (keysym: number) => ModifierMask;
}

const toSymbols = (list: string): readonly number[] =>
  list.split(',').map((symbol) => parseKeysymName(symbol.replaceAll(/[{}]/g, '').trim().split(/\s+/)[0] ?? ''));

/** Returns the keysyms of each layout from a key's definition. */
function parseGroups(definition: string): readonly (readonly number[])[] {
  const withoutActions = definition.replaceAll(/actions\s*\[[^\]]*\]\s*=\s*\[[^\]]*\]/g, '');
  const named = [...withoutActions.matchAll(/symbols\s*\[\w+\]\s*=\s*\[([^\]]*)\]/g)].map(([, list = '']) =>
    toSymbols(list),
  );
  if (named.length > 0) return named;
  const list = /^\s*\[([^\]]*)\]/.exec(withoutActions)?.[1];
  return list === undefined ? [] : [toSymbols(list)];
}

function parseKeys(text: string): ReadonlyMap<string, KeymapKey> {
  const codeByName = new Map<string, number>();
  for (const [, name = '', code] of text.matchAll(/^\s*<([^>\s]+)>\s*=\s*(\d+)\s*;/gm))
    codeByName.set(name, Number(code) - KEYCODE_OFFSET);
  const keys = new Map<string, KeymapKey>();
  for (const [, name = '', definition = ''] of text.matchAll(/^\s*key\s+<([^>\s]+)>\s*\{([^]*?)\};/gm)) {
    const code = codeByName.get(name);
    if (code !== undefined) keys.set(name, { code, name, groups: parseGroups(definition) });
  }
  return keys;
}

/** Returns the keysyms of a member of a modifier: a key in angle brackets, or a keysym. */
function listKeysyms(member: string, keys: ReadonlyMap<string, KeymapKey>): readonly number[] {
  const name = /^<(.+)>$/.exec(member)?.[1];
  return name === undefined ? [parseKeysymName(member)] : (keys.get(name)?.groups.flat() ?? []);
}

/** Returns each keysym's mask, from the keys that set each modifier. */
function parseModifierMasks(text: string, keys: ReadonlyMap<string, KeymapKey>): ReadonlyMap<number, ModifierMask> {
  const masks = new Map<number, ModifierMask>();
  for (const [, modifier = '', members = ''] of text.matchAll(/^\s*modifier_map\s+(\w+)\s*\{([^}]*)\}/gm)) {
    const mask = 1 << MODIFIER_NAMES.findIndex((name) => name === modifier);
    const keysyms = members.split(',').flatMap((member) => listKeysyms(member.trim(), keys));
    for (const keysym of keysyms) if (keysym !== 0 && !masks.has(keysym)) masks.set(keysym, mask);
  }
  return masks;
}

/** Keys of the main block that type characters; other codes act as keys in some programs, whatever their symbol. */
const PRINTING_CODES: readonly number[] = [
  [2, 13],
  [16, 27],
  [30, 41],
  [43, 53],
].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
/** The characters of a US keyboard on the printing keys, where programs expect the keys of shortcuts. */
const US_CHARACTERS = "1234567890-=qwertyuiop[]asdfghjkl;'`\\zxcvbnm,./";

/** Returns the code of the key that has a character on a US keyboard; undefined if none has it. */
export function getUsCode(character: string): number | undefined {
  return PRINTING_CODES[US_CHARACTERS.indexOf(character)];
}

const ENTER_CODE = 28;
const TAB_CODE = 15;
const BACKSPACE_CODE = 14;
const SPACE_CODE = 57;
const CONTROL_PRESSES: readonly (readonly [string, number])[] = [
  ['\n', ENTER_CODE],
  ['\t', TAB_CODE],
  ['\b', BACKSPACE_CODE],
  [' ', SPACE_CODE],
];
/** The key with '<' and '>' between Shift and Z, which US keyboards lack. */
const EXTRA_CODE = 86;

/** Returns the modifiers of the first four levels; undefined for the others. */
function getLevelModifiers(level: number, level3: ModifierMask): ModifierMask | undefined {
  if (level < 2) return level === 1 ? SHIFT_MASK : 0;
  return level < 4 && level3 !== 0 ? level3 | (level === 3 ? SHIFT_MASK : 0) : undefined;
}

/** Maps what one layout types, with the fewest modifiers. A key that has fewer layouts repeats them. */
function mapLayout(typingKeys: readonly KeymapKey[], group: number, level3: ModifierMask): KeymapLayout {
  const presses = new Map(
    CONTROL_PRESSES.map(([character, code]) => [character.codePointAt(0) ?? 0, { code, modifiers: 0, group }]),
  );
  const pressByKeysym = new Map<number, KeyPress>();
  for (const level of [0, 1, 2, 3]) {
    const modifiers = getLevelModifiers(level, level3);
    if (modifiers === undefined) continue;
    for (const { code, groups } of typingKeys) {
      const keysym = groups[group % groups.length]?.[level] ?? 0;
      const character = getCharacterByKeysym(keysym);
      if (keysym !== 0 && !pressByKeysym.has(keysym)) pressByKeysym.set(keysym, { code, modifiers, group });
      if (character !== undefined && !presses.has(character)) presses.set(character, { code, modifiers, group });
    }
  }
  return { presses, pressByKeysym };
}

function mapLayouts(keys: ReadonlyMap<number, KeymapKey>, level3: ModifierMask): readonly KeymapLayout[] {
  const typingKeys = [...PRINTING_CODES, EXTRA_CODE].flatMap((code) => keys.get(code) ?? []);
  const groupCount = Math.max(1, ...typingKeys.map(({ groups }) => groups.length));
  return Array.from({ length: groupCount }, (_, group) => mapLayout(typingKeys, group, level3));
}

function mapKeysyms(keys: ReadonlyMap<number, KeymapKey>): ReadonlyMap<number, KeyPress> {
  const keyByKeysym = new Map<number, KeyPress>();
  for (const { code, groups } of [...keys.values()].toSorted((one, other) => one.code - other.code))
    for (const [group, [keysym = 0]] of groups.entries())
      if (keysym !== 0 && !keyByKeysym.has(keysym)) keyByKeysym.set(keysym, { code, modifiers: 0, group });
  return keyByKeysym;
}

/** Reads a keymap. What it doesn't understand is left out. */
export function parseKeymap(text: string): Keymap {
  const keysByName = parseKeys(text);
  const masks = parseModifierMasks(text, keysByName);
  const getModifierMask = (keysym: number): ModifierMask => masks.get(keysym) ?? 0;
  const keys = new Map([...keysByName.values()].map((key) => [key.code, key]));
  const layouts = mapLayouts(keys, getModifierMask(KEYSYM.level3));
  return {
    text,
    keys,
    layouts,
    // The first layout that has a character types it.
    presses: new Map(layouts.toReversed().flatMap(({ presses }) => [...presses])),
    keyByKeysym: mapKeysyms(keys),
    getModifierMask,
  };
}

/** Name of the symbols in our own keymaps. The compositor sends them back like those of other keyboards. */
const OWN_SYMBOLS_NAME = 'pegboard';

/** Returns whether `replaceCharacters` made this keymap. */
function isOwnKeymap(text: string): boolean {
  return text.includes(`xkb_symbols "${OWN_SYMBOLS_NAME}"`);
}

/** The space bar of every real keyboard. Programs such as `wtype` give their keys other names. */
const SPACE_BAR = /<SPCE>\s*=\s*65\s*;/;

/** Returns whether a keymap is that of a real keyboard, not of a program that types. */
export function isPersonalKeymap(text: string): boolean {
  return SPACE_BAR.test(text) && !isOwnKeymap(text);
}

/** Returns the keymap's text with other characters on some keys, in all layouts. Names of keys stay. */
export function replaceCharacters({ text, keys }: Keymap, characters: ReadonlyMap<number, number>): string {
  const symbolByName = new Map<string, string>();
  for (const [code, character] of characters) {
    const name = keys.get(code)?.name;
    const keysym = getKeysymByCharacter(character);
    if (name !== undefined && keysym !== undefined) symbolByName.set(name, `0x${keysym.toString(16)}`);
  }
  const ownText = text.replace(/^(\s*xkb_symbols)\b[^{]*/m, `$1 "${OWN_SYMBOLS_NAME}" `);
  return ownText.replaceAll(/^(\s*key\s+<([^>\s]+)>\s*\{)[^]*?\};/gm, (definition, start: string, name: string) => {
    const symbol = symbolByName.get(name);
    return symbol === undefined ? definition : `${start} type= "ONE_LEVEL", symbols[1]= [ ${symbol} ] };`;
  });
}

/** A part of a text that one keymap types. */
export interface TypingPart {
  /** Characters that the layouts lack, by the evdev code of the key that types them meanwhile. */
  readonly foreign: ReadonlyMap<number, number>;
  readonly presses: readonly KeyPress[];
}

/** Returns whether a keymap can have the character. */
export function isTypable(character: number): boolean {
  return getKeysymByCharacter(character) !== undefined;
}

/**
 * Divides a text into parts. Characters of the layouts keep their own keys; the others are put on keys that the same
 * part doesn't use.
 * @param characters code points, which must be typable.
 */
export function planTyping({ presses, keys }: Keymap, characters: readonly number[]): readonly TypingPart[] {
  const codes = PRINTING_CODES.filter((code) => keys.has(code));
  const parts: { foreign: Map<number, number>; presses: KeyPress[] }[] = [];
  let part = { foreign: new Map<number, number>(), presses: [] as KeyPress[] };
  let codeByForeign = new Map<number, number>();
  let usedCodes = new Set<number>();
  function startPart(): void {
    part = { foreign: new Map(), presses: [] };
    codeByForeign = new Map();
    usedCodes = new Set();
    parts.push(part);
  }
  function findPress(character: number): KeyPress | undefined {
    const press = presses.get(character);
    if (press) return part.foreign.has(press.code) ? undefined : press;
    const code = codeByForeign.get(character) ?? codes.find((candidate) => !usedCodes.has(candidate));
    if (code === undefined) return undefined;
    codeByForeign.set(character, code);
    part.foreign.set(code, character);
    return { code, modifiers: 0, group: 0 };
  }
  if (characters.length > 0) startPart();
  for (const character of characters) {
    let press = findPress(character);
    if (!press) {
      startPart();
      press = findPress(character);
    }
    if (!press) throw new Error('the keymap has no keys that type');
    usedCodes.add(press.code);
    part.presses.push(press);
  }
  return parts;
}
