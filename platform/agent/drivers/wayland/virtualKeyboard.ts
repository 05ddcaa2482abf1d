import { openLibc } from '../native/libc.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';
import type { Keymap, ModifierMask } from './keymap.ts';
import { openSeatKeymap, US_KEYMAP, XKB_FORMAT } from './seatKeymap.ts';

/** The kernel's code of the left Shift key, which does nothing alone. */
export const SHIFT_CODE = 42;

/** A keyboard of our own beside the real ones. The compositor releases its keys when the connection ends. */
export interface VirtualKeyboard {
  /** Returns the keymap of the real keyboard that was used last. */
  readonly getKeymap: () => Keymap;
  /** Returns whether this keyboard has the keymap. */
  readonly hasKeymapText: (text: string) => boolean;
  /** Sets the keymap of this keyboard. Programs get it with the next key. */
  readonly setKeymapText: (text: string) => void;
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
  manager: WaylandObject<'zwp_virtual_keyboard_manager_v1'>,
): Promise<VirtualKeyboard> {
  const libc = openLibc();
  const seatKeymap = await openSeatKeymap(connection);
  const keyboard = connection.create('zwp_virtual_keyboard_v1');
  manager.send('create_virtual_keyboard', seatKeymap.seat, keyboard);
  let ownKeymapText = '';
  const hasKeymapText = (text: string): boolean => text === ownKeymapText;
  function setKeymapText(text: string): void {
    if (hasKeymapText(text)) return;
    ownKeymapText = text;
    const content = Buffer.from(`${text}\0`);
    keyboard.send('keymap', XKB_FORMAT, libc.createMemoryFile(content), content.length);
  }
  const sendKey = (code: number, down: boolean): void => keyboard.send('key', getEventTime(), code, down ? 1 : 0);
  const realKeymapText = seatKeymap.getText();
  setKeymapText(realKeymapText ?? US_KEYMAP);
  // A seat without a keyboard gets this keymap, with everything that it includes, once this keyboard is used.
  if (realKeymapText === undefined) for (const down of [true, false]) sendKey(SHIFT_CODE, down);
  await connection.sync();
  // Some compositors switch to a new keyboard, and to a keymap of their own, before it has this one.
  if (realKeymapText !== undefined) seatKeymap.setText(realKeymapText);
  return {
    getKeymap: seatKeymap.getKeymap,
    hasKeymapText,
    setKeymapText,
    sendKey,
    setModifiers: (modifiers, group) => keyboard.send('modifiers', modifiers, 0, 0, group),
  };
}
