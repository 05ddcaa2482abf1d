import { readSync } from 'node:fs';
import { openLibc } from '../native/libc.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';
import { isPersonalKeymap, parseKeymap, type Keymap } from './keymap.ts';

/** wl_seat's capabilities. */
const POINTER_CAPABILITY = 1;
const KEYBOARD_CAPABILITY = 2;
const MAX_KEYMAP_BYTES = 1024 * 1024;
/** The only format of keymaps: text for libxkbcommon. */
export const XKB_FORMAT = 1;
/** Used until the compositor sends the keymap of a real keyboard. */
export const US_KEYMAP = `xkb_keymap {
  xkb_keycodes { include "evdev+aliases(qwerty)" };
  xkb_types { include "complete" };
  xkb_compatibility { include "complete" };
  xkb_symbols { include "pc+us+inet(evdev)" };
};`;

/** The keymap of a seat, without those that are set while a text is typed. */
export interface SeatKeymap {
  readonly seat: WaylandObject<'wl_seat'>;
  /** Whether the seat has a keyboard and a pointer, which may also be our own. */
  readonly hasInputDevices: () => boolean;
  /** Returns what the compositor has sent. */
  readonly getText: () => string | undefined;
  /** Replaces what the compositor has sent, until it sends another one. */
  readonly setText: (text: string) => void;
  /** Returns the keymap of the real keyboard that was used last. */
  readonly getKeymap: () => Keymap;
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
 * Follows the keymap of the seat.
 * @throws if there is no seat.
 */
export async function openSeatKeymap(connection: WaylandConnection): Promise<SeatKeymap> {
  let seatKeymapText: string | undefined;
  let parsed: Keymap | undefined;
  let hasPointer = false;
  let seatKeyboard: WaylandObject<'wl_keyboard'> | undefined;
  const seat = connection.bind('wl_seat', 5, {
    capabilities: (capabilities) => {
      hasPointer = (capabilities & POINTER_CAPABILITY) !== 0;
      const hasKeyboard = (capabilities & KEYBOARD_CAPABILITY) !== 0;
      if (!hasKeyboard) {
        seatKeyboard?.send('release');
        seatKeyboard = undefined;
      }
      if (!hasKeyboard || seatKeyboard) return;
      seatKeyboard = connection.create('wl_keyboard', {
        keymap: (format, descriptor, size) => {
          const text = readKeymapFile(descriptor, size);
          if (format === XKB_FORMAT && isPersonalKeymap(text)) seatKeymapText = text;
        },
      });
      seat?.send('get_keyboard', seatKeyboard);
    },
  });
  if (!seat) throw new Error('the compositor has no seat');
  await connection.sync();
  // The keymap comes after the capabilities.
  await connection.sync();
  return {
    seat,
    hasInputDevices: () => seatKeyboard !== undefined && hasPointer,
    getText: () => seatKeymapText,
    setText: (text) => void (seatKeymapText = text),
    getKeymap: () => {
      const text = seatKeymapText ?? US_KEYMAP;
      if (parsed?.text !== text) parsed = parseKeymap(text);
      return parsed;
    },
  };
}
