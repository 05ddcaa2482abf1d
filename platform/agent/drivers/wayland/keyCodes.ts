// Which keys to press. Codes are those of the kernel.
import { getEvdevCode, getKeysymByHotkey, KEYSYM } from '../keysyms.ts';
import { getUsCode, type Keymap, type ModifierMask } from './keymap.ts';

export const CAPS_LOCK_KEYSYM = 0xffe5;
/** Both keys of Shift, Ctrl and Alt. The release of a key with a logo would open KDE's menu. */
export const MODIFIER_CODES = [42, 54, 29, 97, 56, 100] as const;
const SHIFT_MASK = 1;
const SHIFT_CODE = 42;
const ALT_GR_CODE = 100;

/**
 * Returns the key that has a keysym without modifiers; undefined if there is none.
 * @param preferred the key to use if several have it.
 */
export function findKeyCode(keymap: Keymap, keysym: number, preferred?: number): number | undefined {
  const preferredKey = preferred === undefined ? undefined : keymap.keys.get(preferred);
  return preferredKey?.groups[0]?.[0] === keysym ? preferred : keymap.keyByKeysym.get(keysym)?.code;
}

/** Lists the keys to hold for these modifiers: Shift, and the one for the third level. */
export function listModifierCodes(keymap: Keymap, modifiers: ModifierMask): readonly number[] {
  const codes: number[] = [];
  if (modifiers & ~SHIFT_MASK) codes.push(findKeyCode(keymap, KEYSYM.level3, ALT_GR_CODE) ?? ALT_GR_CODE);
  if (modifiers & SHIFT_MASK) codes.push(findKeyCode(keymap, KEYSYM.shift, SHIFT_CODE) ?? SHIFT_CODE);
  return codes;
}

/**
 * Returns the keys to press for a key of a shortcut, in the layout that is in use; undefined if it does not exist.
 * @param layout index of the layout in use.
 */
export function findShortcutCodes(keymap: Keymap, key: string, layout: number): readonly number[] | undefined {
  const keysym = getKeysymByHotkey(key);
  if (keysym === undefined) return undefined;
  const current = keymap.layouts[layout];
  const character = Array.from(key).length === 1 ? key.codePointAt(0) : undefined;
  const press =
    current?.pressByKeysym.get(keysym) ?? (character === undefined ? undefined : current?.presses.get(character));
  if (press) return [...listModifierCodes(keymap, press.modifiers), press.code];
  const evdevCode = getEvdevCode(key);
  const code =
    findKeyCode(keymap, keysym, evdevCode) ??
    evdevCode ??
    (character === undefined ? undefined : getUsCode(key.toLowerCase()));
  return code === undefined ? undefined : [code];
}
