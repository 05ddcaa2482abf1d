// Keysyms: the numbers by which X11 and Wayland identify what keys mean.
import x11 from 'x11';

export const KEYSYM = {
  backspace: 0xff08,
  tab: 0xff09,
  enter: 0xff0d,
  level3: 0xfe03,
  shift: 0xffe1,
  rightShift: 0xffe2,
  numLock: 0xff7f,
  scrollLock: 0xff14,
} as const;

/** X keysyms of the product's keys; letters and digits are their own keysyms. */
const keysymByKey: Readonly<Record<string, number>> = {
  Ctrl: 0xffe3,
  Gui: 0xffeb,
  Alt: 0xffe9,
  Shift: KEYSYM.shift,
  Tab: KEYSYM.tab,
  Enter: KEYSYM.enter,
  Esc: 0xff1b,
  Backspace: KEYSYM.backspace,
  Del: 0xffff,
  Space: 0x20,
  Minus: 0x2d,
  Left: 0xff51,
  Up: 0xff52,
  Right: 0xff53,
  Down: 0xff54,
  Home: 0xff50,
  End: 0xff57,
  PageUp: 0xff55,
  PageDown: 0xff56,
  Play: 0x1008ff14,
  Next: 0x1008ff17,
  Previous: 0x1008ff16,
  Mute: 0x1008ff12,
  VolumeUp: 0x1008ff13,
  VolumeDown: 0x1008ff11,
};
const F1 = 0xffbe;

/** Keys that drivers press and listen for, but no panel shows. */
const keysymByHiddenKey: Readonly<Record<string, number>> = {
  Insert: 0xff63,
  Print: 0xff61,
  Pause: 0xff13,
  Menu: 0xff67,
  Help: 0xff6a,
  BrightnessUp: 0x1008ff02,
  BrightnessDown: 0x1008ff03,
  Sleep: 0x1008ff2f,
  Stop: 0x1008ff15,
  HomePage: 0x1008ff18,
  Mail: 0x1008ff19,
  Search: 0x1008ff1b,
  Calculator: 0x1008ff1d,
  Back: 0x1008ff26,
  Forward: 0x1008ff27,
  Favorites: 0x1008ff30,
  Tools: 0x1008ff81,
  MicMute: 0x1008ffb2,
  AltGr: KEYSYM.level3,
  CapsLock: 0xffe5,
  NumLock: KEYSYM.numLock,
  ScrollLock: KEYSYM.scrollLock,
};
const LAUNCH_0 = 0x1008ff40;

/** Returns the keysym of a key by the product's name; undefined for an unknown key. */
export function getKeysymByKey(key: string): number | undefined {
  if (/^[a-z0-9]$/.test(key)) return key.codePointAt(0);
  const functionKey = /^F([1-9]|1[0-2])$/.exec(key)?.[1];
  if (functionKey !== undefined) return F1 + Number(functionKey) - 1;
  return Object.hasOwn(keysymByKey, key) ? keysymByKey[key] : undefined;
}

/** Returns the keysym of any key, by its name or as the character itself; undefined for an unknown key. */
export function getKeysymByHotkey(key: string): number | undefined {
  const keysym = getKeysymByKey(key) ?? (Object.hasOwn(keysymByHiddenKey, key) ? keysymByHiddenKey[key] : undefined);
  if (keysym !== undefined) return keysym;
  const launch = /^Launch(\d)$/.exec(key)?.[1];
  if (launch !== undefined) return LAUNCH_0 + Number(launch);
  if (/^(?:KP_\w+|F\d+)$/.test(key)) return x11.keySyms[`XK_${key}`]?.code;
  const characters = Array.from(key);
  return characters.length === 1 ? getKeysymByCharacter(key.codePointAt(0) ?? 0) : undefined;
}

/** Returns whether the keys are Ctrl-Alt-F1 to F12, which the X server reserves for switching terminals. */
export function isTerminalSwitch(keys: readonly string[]): boolean {
  return keys.includes('Ctrl') && keys.includes('Alt') && keys.some((key) => /^F(?:[1-9]|1[0-2])$/.test(key));
}

const isLatin1 = (code: number): boolean => (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff);

/** Keysyms of newline, tab and backspace, which have their own keys. */
const keysymByControl = new Map<number, number>([
  [0x08, KEYSYM.backspace],
  [0x09, KEYSYM.tab],
  [0x0a, KEYSYM.enter],
]);
const controlByKeysym = new Map([...keysymByControl].map(([character, keysym]) => [keysym, character]));

/**
 * Returns the keysym that types a character.
 * Undefined if no key can type it: other control characters, lone surrogates.
 */
export function getKeysymByCharacter(codePoint: number): number | undefined {
  const controlKeysym = keysymByControl.get(codePoint);
  if (controlKeysym !== undefined) return controlKeysym;
  if (isLatin1(codePoint)) return codePoint;
  if (codePoint < 0x100 || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return undefined;
  return 0x1000000 | codePoint;
}

/** Maps keysyms older than Unicode to the character that their description has in brackets. */
function mapLegacyKeysyms(): ReadonlyMap<number, number> {
  const characterByKeysym = new Map<number, number>();
  for (const { code, description } of Object.values(x11.keySyms)) {
    const character = /^\((.)\)/su.exec(description ?? '')?.[1]?.codePointAt(0);
    if (character !== undefined && code > 0xff && code < 0xfe00) characterByKeysym.set(code, character);
  }
  return characterByKeysym;
}
let legacyKeysyms: ReadonlyMap<number, number> | undefined;

/** Returns the character that a keysym types; undefined if it types none, such as keypad and dead keys. */
export function getCharacterByKeysym(keysym: number): number | undefined {
  if (isLatin1(keysym)) return keysym;
  if (keysym >= 0x1000100 && keysym <= 0x110ffff) return keysym & 0xffffff;
  legacyKeysyms ??= mapLegacyKeysyms();
  return controlByKeysym.get(keysym) ?? legacyKeysyms.get(keysym);
}

/** Returns the keysym with a name of keymap files, such as 'adiaeresis', 'U20AC' or '0x61'; 0 if it is unknown. */
export function parseKeysymName(name: string): number {
  const unicode = /^U([0-9A-Fa-f]{4,6})$/.exec(name)?.[1];
  if (unicode !== undefined) return getKeysymByCharacter(Number.parseInt(unicode, 16)) ?? 0;
  if (/^0x[0-9A-Fa-f]+$/.test(name)) return Number.parseInt(name, 16);
  return x11.keySyms[`XK_${name}`]?.code ?? 0;
}

/** Codes of the kernel (evdev) for keys that mean the same in every layout. */
const evdevCodeByKey: Readonly<Record<string, number>> = {
  Ctrl: 29,
  Gui: 125,
  Alt: 56,
  Shift: 42,
  AltGr: 100,
  Tab: 15,
  Enter: 28,
  Esc: 1,
  Backspace: 14,
  Del: 111,
  Space: 57,
  Left: 105,
  Up: 103,
  Right: 106,
  Down: 108,
  Home: 102,
  End: 107,
  PageUp: 104,
  PageDown: 109,
  Insert: 110,
  Print: 99,
  Pause: 119,
  Menu: 127,
  Help: 138,
  Play: 164,
  Next: 163,
  Previous: 165,
  Stop: 166,
  Mute: 113,
  VolumeUp: 115,
  VolumeDown: 114,
  MicMute: 248,
  BrightnessUp: 225,
  BrightnessDown: 224,
  Sleep: 142,
  HomePage: 172,
  Mail: 155,
  Search: 217,
  Calculator: 140,
  Back: 158,
  Forward: 159,
  Favorites: 156,
  Tools: 171,
  F11: 87,
  F12: 88,
};
const EVDEV_F1 = 59;
const EVDEV_F13 = 183;

/** Returns the kernel's code of a key that no layout changes; undefined for others. */
export function getEvdevCode(key: string): number | undefined {
  if (Object.hasOwn(evdevCodeByKey, key)) return evdevCodeByKey[key];
  const functionKey = Number(/^F(\d+)$/.exec(key)?.[1]);
  if (functionKey >= 1 && functionKey <= 10) return EVDEV_F1 + functionKey - 1;
  return functionKey >= 13 && functionKey <= 24 ? EVDEV_F13 + functionKey - 13 : undefined;
}
