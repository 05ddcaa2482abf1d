import type { HeldInput } from '../heldInput.ts';
import type { Display } from './display.ts';
import { getCharacterByKeysym, KEYSYM } from './keysyms.ts';

const GROUP_SHIFT = 13;

const keycodesIn = (bits: Buffer): readonly number[] =>
  Array.from(bits.entries()).flatMap(([index, byte]) =>
    Array.from({ length: 8 }, (_, bit) => bit).flatMap((bit) => ((byte >> bit) & 1 ? [index * 8 + bit] : [])),
  );

/** The keyboard as the X server has it now; one round trip. */
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
    down: keycodesIn(keymap),
  };
}

export function sendHeldInput(display: Display, thing: HeldInput, down: boolean): void {
  const code = Number(thing.slice(1));
  if (thing.startsWith('k')) display.fakeKey(code, down);
  else display.fakeButton(code, down);
}

/** One press that types a character, and what is held meanwhile. */
export interface Stroke {
  readonly keycode: number;
  readonly shift: boolean;
  readonly level3: boolean;
}

/** What the X server says of its keyboard. */
export interface KeyboardState {
  readonly minKeycode: number;
  /** Keysyms of each keycode, from `minKeycode` on. */
  readonly rows: readonly (readonly number[])[];
  /** Keycodes of Shift, Lock, Control and Mod1 to Mod5. */
  readonly modifiers: readonly (readonly number[])[];
  /** Active layout, from 0. */
  readonly group: number;
  /** Keycodes that are down. */
  readonly down: readonly number[];
}

/** What can be typed with the user's own layout, and what is free for everything else. */
export interface Layout {
  /** By code point. */
  readonly strokes: ReadonlyMap<number, Stroke>;
  /** Keycodes by the keysym they have unshifted, in the active layout or else in the other one. */
  readonly keys: ReadonlyMap<number, number>;
  readonly shiftKey: number | undefined;
  readonly level3Key: number | undefined;
  /** Of the modifier that `level3Key` sets; 0 where there is none. */
  readonly level3Mask: number;
  /** Keys that change others while they are held: not the locks. */
  readonly modifierKeys: ReadonlySet<number>;
  /** Keycodes without any meaning. */
  readonly free: readonly number[];
}

const LOCK_ROW = 1;
const MOD5_ROW = 7;
const NUM_LOCK = 0xff7f;
const SCROLL_LOCK = 0xff14;
const MODE_SWITCH = 0xff7e;
/** ISO_Lock to ISO_Level5_Lock: keys that choose a level or a layout while they are held. */
const isChooser = (keysym: number): boolean => keysym === MODE_SWITCH || (keysym >= 0xfe01 && keysym <= 0xfe13);
/** Some servers give the first keycode no meaning and do not let it have one. */
const NEVER_FREE = 8;

interface Level {
  readonly column: number;
  readonly shift: boolean;
  readonly level3: boolean;
}

/** With one layout the map's third and fourth column repeat the first two. */
const isOneLayout = (rows: KeyboardState['rows']): boolean =>
  rows.every((row) => (row[2] ?? 0) === (row[0] ?? 0) && (row[3] ?? 0) === (row[1] ?? 0));

const plain = (column: number): readonly Level[] => [
  { column, shift: false, level3: false },
  { column: column + 1, shift: true, level3: false },
];

/** Columns with a fixed place. With several layouts that of levels 3 and 4 differs from key to key, so they are left out; a third layout has no place at all. */
const levelsOf = (rows: KeyboardState['rows'], group: number): readonly Level[] => {
  if (!isOneLayout(rows)) return group < 2 ? plain(group * 2) : [];
  return [...plain(0), { column: 4, shift: false, level3: true }, { column: 5, shift: true, level3: true }];
};

type Rows = KeyboardState['rows'];

/** Of several ways to type a character the one with the fewest modifiers is taken, then the lowest keycode. */
const strokesOf = (rows: Rows, minKeycode: number, levels: readonly Level[]): ReadonlyMap<number, Stroke> => {
  const strokes = new Map<number, Stroke>();
  for (const { column, shift, level3 } of levels) {
    for (const [index, row] of rows.entries()) {
      const character = getCharacterByKeysym(row[column] ?? 0);
      if (character !== undefined && !strokes.has(character))
        strokes.set(character, { keycode: minKeycode + index, shift, level3 });
    }
  }
  return strokes;
};

/** Unshifted keysyms of the active layout first, then those of the other one. */
const keysIn = (rows: Rows, minKeycode: number, group: number): ReadonlyMap<number, number> => {
  const keys = new Map<number, number>();
  for (const column of group === 1 ? [2, 0] : [0, 2]) {
    for (const [index, row] of rows.entries()) {
      const keysym = row[column] ?? 0;
      if (keysym !== 0 && !keys.has(keysym)) keys.set(keysym, minKeycode + index);
    }
  }
  return keys;
};

const freeIn = (rows: Rows, minKeycode: number, taken: ReadonlySet<number>): readonly number[] =>
  rows.flatMap((row, index) => {
    const keycode = minKeycode + index;
    return !taken.has(keycode) && row.every((keysym) => keysym === 0) ? [keycode] : [];
  });

/** Reads the keyboard's map. `lent` keycodes are no part of the layout, and not free. */
export function readLayout(state: KeyboardState, lent: ReadonlySet<number> = new Set()): Layout {
  const { modifiers, group, minKeycode } = state;
  const rows = state.rows.map((row, index) => (lent.has(minKeycode + index) ? [] : row));
  const has = (keycode: number, keysym: number): boolean => rows[keycode - minKeycode]?.includes(keysym) ?? false;
  const keysOf = (row: number): readonly number[] => (modifiers[row] ?? []).filter((keycode) => keycode !== 0);
  const find = (row: number, ...keysyms: readonly number[]): number | undefined =>
    keysOf(row).find((keycode) => keysyms.includes(rows[keycode - minKeycode]?.[0] ?? 0)) ??
    keysOf(row).find((keycode) => keysyms.some((keysym) => has(keycode, keysym)));
  const locks = new Set([
    ...keysOf(LOCK_ROW),
    ...modifiers.flat().filter((keycode) => has(keycode, NUM_LOCK) || has(keycode, SCROLL_LOCK)),
  ]);
  const held = modifiers.flat().filter((keycode) => keycode !== 0 && !locks.has(keycode));
  const choosers = rows.flatMap((row, index) => (row.some(isChooser) ? [minKeycode + index] : []));
  const level3Key = find(MOD5_ROW, KEYSYM.level3);
  // One without a keysym does nothing.
  const isAlive = (keycode: number): boolean => rows[keycode - minKeycode]?.some((keysym) => keysym !== 0) ?? false;
  const shiftKey = find(0, KEYSYM.shift, KEYSYM.rightShift) ?? keysOf(0).find(isAlive);
  const levels = levelsOf(rows, group).filter(
    ({ shift, level3 }) => (!shift || shiftKey !== undefined) && (!level3 || level3Key !== undefined),
  );
  return {
    strokes: strokesOf(rows, minKeycode, levels),
    keys: keysIn(rows, minKeycode, group),
    shiftKey,
    level3Key,
    level3Mask: level3Key === undefined ? 0 : 1 << MOD5_ROW,
    modifierKeys: new Set([...held, ...choosers]),
    // A key without a meaning is a modifier all the same where it is listed as one.
    free: freeIn(rows, minKeycode, new Set([NEVER_FREE, ...lent, ...modifiers.flat()])),
  };
}
