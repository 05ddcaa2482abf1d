import type { HeldInput } from '../heldInputs.ts';
import { getCharacterByKeysym, KEYSYM } from '../keysyms.ts';
import type { Display } from './display.ts';

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
