import { openLibc } from '../native/libc.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';
import type { Keymap, ModifierMask } from './keymap.ts';
import { openSeatKeymap, US_KEYMAP } from './seatKeymap.ts';

/** The only format of keymaps: text for libxkbcommon. */
const XKB_FORMAT = 1;

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

/**
 * Creates a keyboard, and follows the keymap of the seat.
 * @param manager the compositor's `zwp_virtual_keyboard_manager_v1`.
 */
export async function openVirtualKeyboard(
  connection: WaylandConnection,
  seat: WaylandObject<'wl_seat'>,
  manager: WaylandObject<'zwp_virtual_keyboard_manager_v1'>,
): Promise<VirtualKeyboard> {
  const libc = openLibc();
  const seatKeymap = await openSeatKeymap(connection, seat);
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
  const setModifiers = (modifiers: ModifierMask, group: number): void =>
    keyboard.send('modifiers', modifiers, 0, 0, group);
  if (!seatKeymap.isKnown()) {
    // A seat without a keyboard. It gets the keymap of this one, with everything that it includes, once it is used.
    setKeymapText(US_KEYMAP);
    await connection.sync();
    setModifiers(0, 0);
    await connection.sync();
  }
  return {
    getKeymap: seatKeymap.getKeymap,
    setKeymapText,
    sendKey: (code, down) => keyboard.send('key', getEventTime(), code, down ? 1 : 0),
    setModifiers,
  };
}
