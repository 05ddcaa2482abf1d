// Key codes of macOS for keys that mean the same in every layout, and the modifiers.

/** Flags of an event. */
const SHIFT_FLAG = 0x20000n;
const CONTROL_FLAG = 0x40000n;
const OPTION_FLAG = 0x80000n;
const COMMAND_FLAG = 0x100000n;
const KEYPAD_FLAG = 0x200000n;
/** Set for function keys, arrows and others that need the Fn key on small keyboards. */
const FUNCTION_FLAG = 0x800000n;

export interface MacModifier {
  readonly code: number;
  /** Flag of the events while it is held. */
  readonly flag: bigint;
  /** Its bit in the modifiers of hotkeys and of `UCKeyTranslate`. */
  readonly carbon: number;
}

const COMMAND_BIT = 0x100;
export const SHIFT_BIT = 0x200;
export const OPTION_BIT = 0x800;

export const MODIFIERS: Readonly<Record<string, MacModifier>> = {
  Ctrl: { code: 59, flag: CONTROL_FLAG, carbon: 0x1000 },
  Gui: { code: 55, flag: COMMAND_FLAG, carbon: COMMAND_BIT },
  Alt: { code: 58, flag: OPTION_FLAG, carbon: OPTION_BIT },
  Shift: { code: 56, flag: SHIFT_FLAG, carbon: SHIFT_BIT },
  AltGr: { code: 61, flag: OPTION_FLAG, carbon: OPTION_BIT },
};

/** Returns the modifier with a name of the product; undefined for other keys. */
export function getModifier(key: string): MacModifier | undefined {
  return Object.hasOwn(MODIFIERS, key) ? MODIFIERS[key] : undefined;
}

/** Returns the flags of an event, from the modifiers of hotkeys. */
export function toEventFlags(carbonModifiers: number): bigint {
  return Object.values(MODIFIERS).reduce(
    (flags, { carbon, flag }) => ((carbonModifiers & carbon) === 0 ? flags : flags | flag),
    0n,
  );
}

const codeByKey: Readonly<Record<string, number>> = {
  Enter: 36,
  Tab: 48,
  Space: 49,
  Backspace: 51,
  Esc: 53,
  Del: 117,
  Home: 115,
  End: 119,
  PageUp: 116,
  PageDown: 121,
  Left: 123,
  Right: 124,
  Down: 125,
  Up: 126,
  Menu: 110,
  // Keyboards of PCs send these for keys that Macs lack.
  Insert: 114,
  Help: 114,
  Print: 105,
  ScrollLock: 107,
  Pause: 113,
  F1: 122,
  F2: 120,
  F3: 99,
  F4: 118,
  F5: 96,
  F6: 97,
  F7: 98,
  F8: 100,
  F9: 101,
  F10: 109,
  F11: 103,
  F12: 111,
  F13: 105,
  F14: 107,
  F15: 113,
  F16: 106,
  F17: 64,
  F18: 79,
  F19: 80,
  F20: 90,
  KP_Decimal: 65,
  KP_Multiply: 67,
  KP_Add: 69,
  KP_Divide: 75,
  KP_Enter: 76,
  KP_Subtract: 78,
  KP_Equal: 81,
  KP_0: 82,
  KP_1: 83,
  KP_2: 84,
  KP_3: 85,
  KP_4: 86,
  KP_5: 87,
  KP_6: 88,
  KP_7: 89,
  KP_8: 91,
  KP_9: 92,
};
const ARROW_CODES: ReadonlySet<number> = new Set([123, 124, 125, 126]);
const FUNCTION_CODES: ReadonlySet<number> = new Set(
  Object.entries(codeByKey).flatMap(([key, code]) =>
    /^(?:F\d+|Home|End|PageUp|PageDown|Del|Insert)$/.test(key) ? [code] : [],
  ),
);
/** Codes of the keypad, which types characters that other keys type as well. */
export const KEYPAD_CODES: ReadonlySet<number> = new Set(
  Object.entries(codeByKey).flatMap(([key, code]) => (key.startsWith('KP_') ? [code] : [])),
);

/** Returns the code of a key that no layout changes, by the product's name; undefined for others. */
export function getKeyCode(key: string): number | undefined {
  return getModifier(key)?.code ?? (Object.hasOwn(codeByKey, key) ? codeByKey[key] : undefined);
}

/** Returns the flags that a keyboard sets for a key itself. Some of macOS's own shortcuts need them. */
export function getKeyFlags(code: number): bigint {
  if (ARROW_CODES.has(code)) return KEYPAD_FLAG | FUNCTION_FLAG;
  if (KEYPAD_CODES.has(code)) return KEYPAD_FLAG;
  return FUNCTION_CODES.has(code) ? FUNCTION_FLAG : 0n;
}

/** Keys that reach programs as events of their own kind, by their `NX_KEYTYPE_` numbers. */
const mediaKeyByKey: Readonly<Record<string, number>> = {
  VolumeUp: 0,
  VolumeDown: 1,
  BrightnessUp: 2,
  BrightnessDown: 3,
  Mute: 7,
  Play: 16,
  Next: 17,
  Previous: 18,
};

/** Returns the number of a media key, by the product's name; undefined for others. */
export function getMediaKey(key: string): number | undefined {
  return Object.hasOwn(mediaKeyByKey, key) ? mediaKeyByKey[key] : undefined;
}

/** The keys of the US layout by code, used if macOS reports no layout. */
const US_KEYS: readonly (readonly [first: number, characters: string])[] = [
  [0, 'asdfhgzxcv'],
  [11, 'bqweryt1234'],
  [22, '65=97-80]ou[ip'],
  [37, "lj'k;\\,/nm."],
  [50, '`'],
];

/** Translates a key by the US layout, without modifiers. */
export function translateUsKey(code: number): string {
  const run = US_KEYS.find(([first, characters]) => code >= first && code < first + characters.length);
  return run?.[1][code - run[0]] ?? '';
}
