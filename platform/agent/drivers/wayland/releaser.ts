import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldInput } from '../heldInputs.ts';
import { connectWayland } from './connection.ts';
import { BUTTON_BY_NUMBER, BUTTONS, toHeldInput } from './pointer.ts';
import { getEventTime, openVirtualKeyboard, SHIFT_CODE } from './virtualKeyboard.ts';

/** The compositor may handle the end of the process after the first round, and report its keys again then. */
const ROUND_COUNT = 5;
const ROUND_INTERVAL_MS = 100;

/**
 * Releases what a process held when it ended. Compositors release its keys, but not its buttons, and don't report to
 * programs that its modifiers are up.
 */
export async function releaseVirtualInputs(socketPath: string, items: Iterable<HeldInput>): Promise<void> {
  const held = [...items];
  if (held.length === 0) return;
  await using connection = await connectWayland(socketPath);
  const seat = connection.bind('wl_seat', 5);
  const pointers = connection.bind('zwlr_virtual_pointer_manager_v1', 1);
  const keyboards = connection.bind('zwp_virtual_keyboard_manager_v1', 1);
  if (!seat || !pointers || !keyboards) return;
  const pointer = connection.create('zwlr_virtual_pointer_v1');
  pointers.send('create_virtual_pointer', seat, pointer);
  const keyboard = await openVirtualKeyboard(connection, keyboards);
  for (let round = 0; round < ROUND_COUNT; round++) {
    for (const button of BUTTON_BY_NUMBER.filter((name) => held.includes(toHeldInput(name)))) {
      pointer.send('button', getEventTime(), BUTTONS[button], 0);
      pointer.send('frame');
    }
    // Programs get the modifiers of the keyboard that was used last.
    for (const down of [true, false]) keyboard.sendKey(SHIFT_CODE, down);
    await connection.sync();
    await sleep(ROUND_INTERVAL_MS);
  }
}
