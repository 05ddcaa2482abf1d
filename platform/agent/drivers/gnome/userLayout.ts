// The user's keyboard layouts, as GNOME gives them to programs, and which of them is active.
import { execFile } from 'node:child_process';
import { readSync } from 'node:fs';
import { getCharacterByKeysym, getEvdevCode, getKeysymByHotkey, KEYSYM } from '../keysyms.ts';
import { openLibc } from '../native/libc.ts';
import type { WaylandConnection, WaylandObject } from '../wayland/connection.ts';
import { parseKeymap, type Keymap } from '../wayland/keymap.ts';

/** wl_seat's capability of a keyboard. */
const KEYBOARD_CAPABILITY = 2;
const MAX_KEYMAP_BYTES = 1024 * 1024;
const CONTROL_KEYSYMS = new Map([
  [0x08, KEYSYM.backspace],
  [0x09, KEYSYM.tab],
  [0x0a, KEYSYM.enter],
]);
/** Codes of the kernel. */
const SHIFT_CODE = 42;
const LEVEL3_CODE = 100;
/** Keys of the keypad and beyond type other characters in some programs. */
const LAST_MAIN_CODE = 58;
const SPACE_CODE = 57;
const EXTRA_CODE = 86;
/** The space. */
const FIRST_PRINTABLE = 0x20;
const MODIFIERS_BY_LEVEL = [[], [SHIFT_CODE], [LEVEL3_CODE], [SHIFT_CODE, LEVEL3_CODE]] as const;

/** How to type a character in the active layout. */
export interface LayoutKey {
  readonly keysym: number;
  readonly code: number;
  /** Codes of the modifiers that the key needs. */
  readonly modifiers: readonly number[];
}

/** The active layout. */
export interface Layout {
  /** By code point. */
  readonly keyByCharacter: ReadonlyMap<number, LayoutKey>;
  /** Returns the keys that a shortcut presses for a key by the product's name; undefined for an unknown one. */
  readonly findShortcutCodes: (key: string) => readonly number[] | undefined;
}

/** Where the characters and keysyms of a layout are. */
interface LayoutTables {
  readonly keyByCharacter: Map<number, LayoutKey>;
  /** Keys that need no modifier. */
  readonly codeByKeysym: Map<number, number>;
}

function addKey({ keyByCharacter, codeByKeysym }: LayoutTables, code: number, keysyms: readonly number[]): void {
  const isTyping = code <= LAST_MAIN_CODE || code === EXTRA_CODE;
  const [first = 0] = keysyms;
  if (first !== 0 && !codeByKeysym.has(first)) codeByKeysym.set(first, code);
  if (!isTyping) return;
  for (const [level, modifiers] of MODIFIERS_BY_LEVEL.entries()) {
    const keysym = keysyms[level] ?? 0;
    const character = getCharacterByKeysym(keysym) ?? 0;
    if (character >= FIRST_PRINTABLE && !keyByCharacter.has(character))
      keyByCharacter.set(character, { keysym, code, modifiers });
  }
}

/** Describes one layout of a keymap. */
export function createLayout(keymap: Keymap, group: number): Layout {
  const tables: LayoutTables = { keyByCharacter: new Map(), codeByKeysym: new Map() };
  const { keyByCharacter, codeByKeysym } = tables;
  // In the order in which the desktop looks for the key of a keysym.
  const sorted = [...keymap.keys.values()].toSorted((one, other) => one.code - other.code);
  // A key with fewer layouts has its last one in all others.
  for (const { code, groups } of sorted) addKey(tables, code, groups[group] ?? groups.at(-1) ?? []);
  keyByCharacter.set(FIRST_PRINTABLE, { keysym: FIRST_PRINTABLE, code: SPACE_CODE, modifiers: [] });
  for (const [character, keysym] of CONTROL_KEYSYMS) {
    const code = codeByKeysym.get(keysym);
    if (code !== undefined) keyByCharacter.set(character, { keysym, code, modifiers: [] });
  }
  function findShortcutCodes(key: string): readonly number[] | undefined {
    const keysym = getKeysymByHotkey(key) ?? 0;
    const plainCode = codeByKeysym.get(keysym);
    if (keysym === 0 || plainCode !== undefined) return plainCode === undefined ? undefined : [plainCode];
    const typed = Array.from(key).length === 1 ? keyByCharacter.get(key.codePointAt(0) ?? 0) : undefined;
    if (typed) return [...typed.modifiers, typed.code];
    // Programs look for shortcuts in the other layouts too, for example while a Cyrillic one is active.
    const otherCode = keymap.keyByKeysym.get(keysym)?.code ?? getEvdevCode(key);
    return otherCode === undefined ? undefined : [otherCode];
  }
  return { keyByCharacter, findShortcutCodes };
}

/** The keymap of the seat. */
export interface SeatKeymap {
  /** Whether the computer has a keyboard, which may also be our own. */
  readonly hasKeyboard: () => boolean;
  /** Returns the keymap; undefined before there is a keyboard. */
  readonly get: () => Keymap | undefined;
}

/** Reads a keymap that came as a file, and closes the file. */
function readKeymapFile(descriptor: number, size: number): string {
  try {
    const bytes = Buffer.alloc(Math.min(size, MAX_KEYMAP_BYTES));
    const count = readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, count).replace(/\0+$/, '');
  } finally {
    openLibc().close(descriptor);
  }
}

/** Follows the keymap of the seat. */
export async function followSeatKeymap(connection: WaylandConnection): Promise<SeatKeymap> {
  let text: string | undefined;
  let parsed: Keymap | undefined;
  let keyboard: WaylandObject<'wl_keyboard'> | undefined;
  const seat = connection.bind('wl_seat', 5, {
    capabilities: (capabilities) => {
      const hasKeyboard = (capabilities & KEYBOARD_CAPABILITY) !== 0;
      if (!hasKeyboard) keyboard = undefined;
      if (!hasKeyboard || keyboard) return;
      keyboard = connection.create('wl_keyboard', {
        keymap: (_format, descriptor, size) => {
          text = readKeymapFile(descriptor, size);
        },
      });
      seat?.send('get_keyboard', keyboard);
    },
  });
  await connection.sync();
  // The keymap comes after the capabilities.
  await connection.sync();
  return {
    hasKeyboard: () => keyboard !== undefined,
    get: () => {
      if (text !== undefined && parsed?.text !== text) parsed = parseKeymap(text);
      return parsed;
    },
  };
}

const SCHEMA = 'org.gnome.desktop.input-sources';
const SETTINGS_TIMEOUT_MS = 2000;
const LAYOUTS_PER_KEYMAP = 3;

/** Reads a list of input sources from GNOME's settings; empty if there is none. */
function readSources(env: NodeJS.ProcessEnv, key: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    execFile('gsettings', ['get', SCHEMA, key], { env, timeout: SETTINGS_TIMEOUT_MS }, (error, stdout) => {
      resolve(error ? [] : parseXkbSources(stdout));
    });
  });
}

/** Returns the names of the keyboard layouts in a list such as "[('xkb', 'de'), ('ibus', 'libpinyin')]". */
export function parseXkbSources(text: string): readonly string[] {
  return [...text.matchAll(/\('xkb',\s*'([^']*)'\)/g)].map(([, name = '']) => name);
}

/**
 * Returns the index of the active layout in the keymap. GNOME puts three layouts into each keymap, and a fourth one for
 * shortcuts.
 * @param recent all layouts in the order in which they were chosen.
 */
export function findLayoutGroup(sources: readonly string[], recent: readonly string[]): number {
  const active = recent.find((name) => sources.includes(name));
  const index = [...new Set(sources)].findIndex((name) => name === active);
  return Math.max(0, index) % LAYOUTS_PER_KEYMAP;
}

/** Finds the active layout in GNOME's settings: the one that was chosen last. */
export async function readLayoutGroup(env: NodeJS.ProcessEnv): Promise<number> {
  return findLayoutGroup(await readSources(env, 'sources'), await readSources(env, 'mru-sources'));
}
