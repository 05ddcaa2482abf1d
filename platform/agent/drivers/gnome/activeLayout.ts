import { getCharacterByKeysym, getKeysymByCharacter } from '../keysyms.ts';
import { createNoSuchKeyRefusal } from '../typing.ts';
import { findShortcutCodes } from '../wayland/keyCodes.ts';
import type { Keymap, KeyPress } from '../wayland/keymap.ts';

/** For a keysym on a higher level of its key, the desktop does not press the modifiers. */
const LAST_KEYSYM_LEVEL = 2;

/** The user's keymap, and the index of the layout in use. */
export interface ActiveLayout {
  readonly keymap: Keymap;
  readonly group: number;
}

/** @throws Refusal if the keyboard lacks the key. */
export function findCodesOfKey({ keymap, group }: ActiveLayout, key: string): readonly number[] {
  const codes = findShortcutCodes(keymap, key, group);
  if (!codes) throw createNoSuchKeyRefusal(key);
  return codes;
}

/** @throws Refusal if the keyboard lacks one of the keys. */
export function findCodes(layout: ActiveLayout, keys: readonly string[]): readonly number[] {
  return [...new Set(keys.flatMap((key) => findCodesOfKey(layout, key)))];
}

export const findPress = ({ keymap, group }: ActiveLayout, character: number): KeyPress | undefined =>
  keymap.layouts[group]?.presses.get(character);

/** Returns the keysym of a character in a layout, which may be one from before Unicode. */
export function findKeysym({ keymap, group }: ActiveLayout, character: number): number {
  const keysyms = [...(keymap.layouts[group]?.pressByKeysym.keys() ?? [])];
  return keysyms.find((keysym) => getCharacterByKeysym(keysym) === character) ?? getKeysymByCharacter(character) ?? 0;
}

/** Returns whether the desktop can type a keysym. It uses the first key that has it, on any level. */
export function isTypedByDesktop({ keymap, group }: ActiveLayout, keysym: number): boolean {
  const found = [...keymap.keys.values()]
    .map(({ code, groups }) => ({ code, level: groups[group % groups.length]?.indexOf(keysym) ?? -1 }))
    .filter(({ level }) => level >= 0)
    .toSorted((one, other) => one.code - other.code);
  return found[0] !== undefined && found[0].level <= LAST_KEYSYM_LEVEL;
}
