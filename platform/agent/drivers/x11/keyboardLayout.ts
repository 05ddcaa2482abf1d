import x11 from 'x11';
import type { HeldInput } from './desktop.ts';
import type { Display } from './display.ts';

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

const GROUP_SHIFT = 13;

const parseKeymap = (bits: Buffer): readonly number[] =>
  Array.from(bits.entries()).flatMap(([index, byte]) =>
    Array.from({ length: 8 }, (_, bit) => bit).flatMap((bit) => ((byte >> bit) & 1 ? [index * 8 + bit] : [])),
  );

/** Reads the current keyboard from the X server, in one round trip. */
export async function readKeyboard({ x, root, request, minKeycode, maxKeycode }: Display): Promise<KeyboardState> {
  const [rows, modifiers, pointer, keymap] = await Promise.all([
    request<KeyboardState['rows']>((done) => x.GetKeyboardMapping(minKeycode, maxKeycode - minKeycode + 1, done)),
    request<KeyboardState['modifiers']>((done) => x.GetModifierMapping(done)),
    request<{ readonly keyMask: number }>((done) => x.QueryPointer(root, done)),
    request<Buffer>((done) => x.QueryKeymap(done)),
  ]);
  return {
    minKeycode,
    rows,
    modifiers,
    group: (pointer.keyMask >> GROUP_SHIFT) & 3,
    down: parseKeymap(keymap),
  };
}

export function sendHeldInput(display: Display, input: HeldInput, down: boolean): void {
  const code = Number(input.slice(1));
  if (input.startsWith('k')) display.fakeKey(code, down);
  else display.fakeButton(code, down);
}

/** One key press that types a character, with the modifiers it needs. */
export interface Stroke {
  readonly keycode: number;
  readonly shift: boolean;
  readonly level3: boolean;
}

/** The X server's description of its keyboard. */
export interface KeyboardState {
  readonly minKeycode: number;
  /** Keysyms of each keycode, from `minKeycode` on. */
  readonly rows: readonly (readonly number[])[];
  /** Keycodes of Shift, Lock, Control and Mod1 to Mod5. */
  readonly modifiers: readonly (readonly number[])[];
  /** Index of the active layout, from 0. */
  readonly group: number;
  /** Keycodes that are down. */
  readonly down: readonly number[];
}

/** What the user's own layout can type, and which keycodes are free. */
export interface Layout {
  /** How to type each character, by code point. */
  readonly strokes: ReadonlyMap<number, Stroke>;
  /** Keycodes by their unshifted keysym, in the active layout or else in the other one. */
  readonly keys: ReadonlyMap<number, number>;
  readonly shiftKey: number | undefined;
  readonly level3Key: number | undefined;
  /** Mask of the modifier that `level3Key` sets; 0 if there is none. */
  readonly level3Mask: number;
  /** Keys that change others while they are held; locks are not included. */
  readonly modifierKeys: ReadonlySet<number>;
  /** Keycodes without a keysym. */
  readonly free: readonly number[];
}

const LOCK_ROW = 1;
const MOD5_ROW = 7;
const MODE_SWITCH = 0xff7e;
/** Returns whether a key selects a level or a layout while it is held (ISO_Lock to ISO_Level5_Lock). */
const isLevelSelector = (keysym: number): boolean => keysym === MODE_SWITCH || (keysym >= 0xfe01 && keysym <= 0xfe13);
/** The first keycode, for which some servers allow no keysym. */
const UNUSABLE_KEYCODE = 8;

interface Level {
  readonly column: number;
  readonly shift: boolean;
  readonly level3: boolean;
}

type Rows = KeyboardState['rows'];

/** Returns whether there is only one layout: the third and fourth column of the map then repeat the first two. */
const hasOneLayout = (rows: Rows): boolean =>
  rows.every((row) => (row[2] ?? 0) === (row[0] ?? 0) && (row[3] ?? 0) === (row[1] ?? 0));

/** Lists the levels of two columns: without and with Shift. */
const listShiftLevels = (column: number): readonly Level[] => [
  { column, shift: false, level3: false },
  { column: column + 1, shift: true, level3: false },
];

/**
 * Returns the columns with a fixed meaning. With several layouts the columns of levels 3 and 4 differ by key, and a
 * third layout has none.
 */
function listLevels(rows: Rows, group: number): readonly Level[] {
  if (!hasOneLayout(rows)) return group < 2 ? listShiftLevels(group * 2) : [];
  return [...listShiftLevels(0), { column: 4, shift: false, level3: true }, { column: 5, shift: true, level3: true }];
}

/** Prefers the stroke with the fewest modifiers, then the one with the lowest keycode. */
function mapStrokes(rows: Rows, minKeycode: number, levels: readonly Level[]): ReadonlyMap<number, Stroke> {
  const strokes = new Map<number, Stroke>();
  for (const { column, shift, level3 } of levels) {
    for (const [index, row] of rows.entries()) {
      const character = getCharacterByKeysym(row[column] ?? 0);
      if (character !== undefined && !strokes.has(character))
        strokes.set(character, { keycode: minKeycode + index, shift, level3 });
    }
  }
  return strokes;
}

/** Unshifted keysyms of the active layout take precedence over those of the other one. */
function mapKeys(rows: Rows, minKeycode: number, group: number): ReadonlyMap<number, number> {
  const keys = new Map<number, number>();
  for (const column of group === 1 ? [2, 0] : [0, 2]) {
    for (const [index, row] of rows.entries()) {
      const keysym = row[column] ?? 0;
      if (keysym !== 0 && !keys.has(keysym)) keys.set(keysym, minKeycode + index);
    }
  }
  return keys;
}

const listFreeKeycodes = (rows: Rows, minKeycode: number, excluded: ReadonlySet<number>): readonly number[] =>
  rows.flatMap((row, index) => {
    const keycode = minKeycode + index;
    return !excluded.has(keycode) && row.every((keysym) => keysym === 0) ? [keycode] : [];
  });

/** Reads the keyboard map. `lent` keycodes are neither part of the layout nor free. */
export function readLayout(state: KeyboardState, lent: ReadonlySet<number> = new Set()): Layout {
  const { modifiers, group, minKeycode } = state;
  const rows = state.rows.map((row, index) => (lent.has(minKeycode + index) ? [] : row));
  const hasKeysym = (keycode: number, keysym: number): boolean => rows[keycode - minKeycode]?.includes(keysym) ?? false;
  const listModifierKeys = (row: number): readonly number[] =>
    (modifiers[row] ?? []).filter((keycode) => keycode !== 0);
  const findModifierKey = (row: number, ...keysyms: readonly number[]): number | undefined =>
    listModifierKeys(row).find((keycode) => keysyms.includes(rows[keycode - minKeycode]?.[0] ?? 0)) ??
    listModifierKeys(row).find((keycode) => keysyms.some((keysym) => hasKeysym(keycode, keysym)));
  const locks = new Set([
    ...listModifierKeys(LOCK_ROW),
    ...modifiers
      .flat()
      .filter((keycode) => hasKeysym(keycode, KEYSYM.numLock) || hasKeysym(keycode, KEYSYM.scrollLock)),
  ]);
  const holdKeys = modifiers.flat().filter((keycode) => keycode !== 0 && !locks.has(keycode));
  const levelSelectors = rows.flatMap((row, index) => (row.some(isLevelSelector) ? [minKeycode + index] : []));
  const level3Key = findModifierKey(MOD5_ROW, KEYSYM.level3);
  // A key without a keysym does nothing.
  const isUsable = (keycode: number): boolean => rows[keycode - minKeycode]?.some((keysym) => keysym !== 0) ?? false;
  const shiftKey = findModifierKey(0, KEYSYM.shift, KEYSYM.rightShift) ?? listModifierKeys(0).find(isUsable);
  const levels = listLevels(rows, group).filter(
    ({ shift, level3 }) => (!shift || shiftKey !== undefined) && (!level3 || level3Key !== undefined),
  );
  return {
    strokes: mapStrokes(rows, minKeycode, levels),
    keys: mapKeys(rows, minKeycode, group),
    shiftKey,
    level3Key,
    level3Mask: level3Key === undefined ? 0 : 1 << MOD5_ROW,
    modifierKeys: new Set([...holdKeys, ...levelSelectors]),
    // A key that is listed as a modifier acts as one even without a keysym.
    free: listFreeKeycodes(rows, minKeycode, new Set([UNUSABLE_KEYCODE, ...lent, ...modifiers.flat()])),
  };
}
