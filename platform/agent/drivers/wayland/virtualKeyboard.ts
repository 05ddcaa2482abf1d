import { readSync } from 'node:fs';
import { openLibc } from '../native/libc.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';
import { isOwnKeymap, parseKeymap, type Keymap, type ModifierMask } from './keymap.ts';

/** wl_seat's capability of a keyboard. */
const KEYBOARD_CAPABILITY = 2;
/** The only format of keymaps: text for libxkbcommon. */
const XKB_FORMAT = 1;
const MAX_KEYMAP_BYTES = 1024 * 1024;
/** The kernel's code of the left Shift key, which does nothing alone. */
export const SHIFT_CODE = 42;
/** Used until the compositor sends the keymap of a real keyboard. */
const US_KEYMAP = `xkb_keymap {
  xkb_keycodes { include "evdev+aliases(qwerty)" };
  xkb_types { include "complete" };
  xkb_compatibility { include "complete" };
  xkb_symbols { include "pc+us+inet(evdev)" };
};`;

/** A keyboard of our own beside the real ones. The compositor releases its keys when the connection ends. */
export interface VirtualKeyboard {
  /** Returns the keymap of the real keyboard that was used last. */
  readonly getKeymap: () => Keymap;
  /** Sets the keymap of this keyboard. Programs get it with the next key. Returns whether it differs. */
  readonly setKeymapText: (text: string) => boolean;
  readonly sendKey: (code: number, down: boolean) => void;
  /** Sets the modifiers that are down, and the layout, from 0. */
  readonly setModifiers: (modifiers: ModifierMask, group: number) => void;
}

/** Milliseconds for events, in the 32 bits that the protocol has. */
export function getEventTime(): number {
  return Math.floor(performance.now()) >>> 0;
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

/**
 * Creates a keyboard, and follows the keymap of the seat.
 * @param manager the compositor's `zwp_virtual_keyboard_manager_v1`.
 */
export async function openVirtualKeyboard(
  connection: WaylandConnection,
  manager: WaylandObject<'zwp_virtual_keyboard_manager_v1'>,
): Promise<VirtualKeyboard> {
  const libc = openLibc();
  /** The keymap of the seat, without those that are set while a text is typed. */
  let seatKeymapText: string | undefined;
  let parsed: Keymap | undefined;
  let seatKeyboard: WaylandObject<'wl_keyboard'> | undefined;
  const seat = connection.bind('wl_seat', 5, {
    capabilities: (capabilities) => {
      const hasKeyboard = (capabilities & KEYBOARD_CAPABILITY) !== 0;
      if (!hasKeyboard) seatKeyboard = undefined;
      if (!hasKeyboard || seatKeyboard) return;
      seatKeyboard = connection.create('wl_keyboard', {
        keymap: (_format, descriptor, size) => {
          const text = readKeymapFile(descriptor, size);
          if (!isOwnKeymap(text)) seatKeymapText = text;
        },
      });
      seat?.send('get_keyboard', seatKeyboard);
    },
  });
  if (!seat) throw new Error('the compositor has no seat');
  await connection.sync();
  // The keymap comes after the capabilities.
  await connection.sync();
  const keyboard = connection.create('zwp_virtual_keyboard_v1');
  manager.send('create_virtual_keyboard', seat, keyboard);
  let ownKeymapText = '';
  function setKeymapText(text: string): boolean {
    if (text === ownKeymapText) return false;
    ownKeymapText = text;
    const content = Buffer.from(`${text}\0`);
    keyboard.send('keymap', XKB_FORMAT, libc.createMemoryFile(content), content.length);
    return true;
  }
  const sendKey = (code: number, down: boolean): void => keyboard.send('key', getEventTime(), code, down ? 1 : 0);
  const realKeymapText = seatKeymapText;
  setKeymapText(realKeymapText ?? US_KEYMAP);
  // A seat without a keyboard gets this keymap, with everything that it includes, once this keyboard is used.
  if (realKeymapText === undefined) for (const down of [true, false]) sendKey(SHIFT_CODE, down);
  await connection.sync();
  // Some compositors switch to a new keyboard, and to a keymap of their own, before it has this one.
  seatKeymapText = realKeymapText ?? seatKeymapText;
  return {
    getKeymap: () => {
      const text = seatKeymapText ?? US_KEYMAP;
      if (parsed?.text !== text) parsed = parseKeymap(text);
      return parsed;
    },
    setKeymapText,
    sendKey,
    setModifiers: (modifiers, group) => keyboard.send('modifiers', modifiers, 0, 0, group),
  };
}
