// Virtual keys: the numbers by which Windows identifies keys, after the layout was applied.

/** A key as Windows knows it. */
export interface VirtualKey {
  readonly code: number;
  /** Whether its key is outside the main block of the keyboard, as Windows distinguishes arrows from the keypad. */
  readonly isExtended: boolean;
}

/** Extended keys are marked with this bit in the tables. */
const EXTENDED = 0x100;

const VIRTUAL_KEYS: Readonly<Record<string, number>> = {
  Ctrl: 0x11,
  Gui: 0x5b | EXTENDED,
  Alt: 0x12,
  Shift: 0x10,
  AltGr: 0xa5 | EXTENDED,
  Tab: 0x09,
  Enter: 0x0d,
  Esc: 0x1b,
  Backspace: 0x08,
  Del: 0x2e | EXTENDED,
  Space: 0x20,
  Left: 0x25 | EXTENDED,
  Up: 0x26 | EXTENDED,
  Right: 0x27 | EXTENDED,
  Down: 0x28 | EXTENDED,
  Home: 0x24 | EXTENDED,
  End: 0x23 | EXTENDED,
  PageUp: 0x21 | EXTENDED,
  PageDown: 0x22 | EXTENDED,
  Insert: 0x2d | EXTENDED,
  Print: 0x2c | EXTENDED,
  Pause: 0x13,
  Menu: 0x5d | EXTENDED,
  Help: 0x2f,
  CapsLock: 0x14,
  NumLock: 0x90 | EXTENDED,
  ScrollLock: 0x91,
  Sleep: 0x5f | EXTENDED,
  Play: 0xb3 | EXTENDED,
  Next: 0xb0 | EXTENDED,
  Previous: 0xb1 | EXTENDED,
  Stop: 0xb2 | EXTENDED,
  Mute: 0xad | EXTENDED,
  VolumeDown: 0xae | EXTENDED,
  VolumeUp: 0xaf | EXTENDED,
  Back: 0xa6 | EXTENDED,
  Forward: 0xa7 | EXTENDED,
  Search: 0xaa | EXTENDED,
  Favorites: 0xab | EXTENDED,
  HomePage: 0xac | EXTENDED,
  Mail: 0xb4 | EXTENDED,
  Tools: 0xb5 | EXTENDED,
  Calculator: 0xb7 | EXTENDED,
  KP_Add: 0x6b,
  KP_Subtract: 0x6d,
  KP_Multiply: 0x6a,
  KP_Divide: 0x6f | EXTENDED,
  KP_Decimal: 0x6e,
  KP_Enter: 0x0d | EXTENDED,
};
const FUNCTION_1 = 0x70;
const KEYPAD_0 = 0x60;

/** Keys outside the main block by their codes. 0x0d is Enter there, and not in this list. */
const EXTENDED_CODES: ReadonlySet<number> = new Set(
  Object.values(VIRTUAL_KEYS).flatMap((key) =>
    key & EXTENDED && key !== VIRTUAL_KEYS['KP_Enter'] ? [key & 0xff] : [],
  ),
);

/** Returns whether the key with this code is outside the main block. */
export function isExtendedKey(code: number): boolean {
  return EXTENDED_CODES.has(code);
}

/** Returns the virtual key of a key that no layout moves; undefined for characters and unknown keys. */
export function getVirtualKey(name: string): VirtualKey | undefined {
  const key = Object.hasOwn(VIRTUAL_KEYS, name) ? VIRTUAL_KEYS[name] : undefined;
  if (key !== undefined) return { code: key & 0xff, isExtended: (key & EXTENDED) !== 0 };
  // Windows itself assigns the codes of letters and digits to the keys of each layout.
  if (/^[a-z0-9]$/.test(name)) return { code: name.toUpperCase().charCodeAt(0), isExtended: false };
  const functionKey = Number(/^F(\d{1,2})$/.exec(name)?.[1]);
  if (functionKey >= 1 && functionKey <= 24) return { code: FUNCTION_1 + functionKey - 1, isExtended: false };
  const keypadKey = /^KP_(\d)$/.exec(name)?.[1];
  return keypadKey === undefined ? undefined : { code: KEYPAD_0 + Number(keypadKey), isExtended: false };
}

/** Keys of a layout that type a character: the key, and the modifiers that its level needs. */
export interface LayoutKey {
  readonly code: number;
  readonly modifiers: readonly ('Shift' | 'Ctrl' | 'Alt')[];
}

/** Decodes the result of `VkKeyScanEx`; undefined if the layout has no key for the character. */
export function parseKeyScan(scan: number): LayoutKey | undefined {
  if ((scan & 0xffff) === 0xffff) return undefined;
  const state = scan >> 8;
  return {
    code: scan & 0xff,
    modifiers: (['Shift', 'Ctrl', 'Alt'] as const).filter((_, bit) => state & (1 << bit)),
  };
}

/** Whether Windows accepts the shortcut only from a person at the keyboard. */
export function isReservedShortcut(keys: readonly string[]): boolean {
  const has = (...names: readonly string[]): boolean => names.every((name) => keys.includes(name));
  return has('Ctrl', 'Alt', 'Del') || has('Gui', 'l');
}
