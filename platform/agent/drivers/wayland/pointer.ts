import type { MouseButton, MouseDriver } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import type { WaylandObject } from './connection.ts';
import { getEventTime } from './virtualKeyboard.ts';

/** The kernel's codes of buttons. */
export const BUTTONS: Readonly<Record<MouseButton, number>> = { left: 0x110, right: 0x111, middle: 0x112 };
export const BUTTON_BY_NUMBER = ['left', 'middle', 'right'] as const;
export const VERTICAL = 0;
export const HORIZONTAL = 1;
const WHEEL_SOURCE = 0;
/** What libinput reports for one step of a wheel, in pixels. */
export const PIXELS_PER_STEP = 15;
/** More steps in one event are not caused by a person. */
export const MAX_WHEEL_STEPS = 100;

export const toHeldInput = (button: MouseButton): HeldInput => `b${BUTTON_BY_NUMBER.indexOf(button) + 1}`;

/** Creates the mouse of a compositor with virtual pointers. */
export function createWaylandPointer(pointer: WaylandObject<'zwlr_virtual_pointer_v1'>, heldInputs: HeldInputs) {
  function turnWheel(axis: number, steps: number): void {
    const count = Math.max(-MAX_WHEEL_STEPS, Math.min(MAX_WHEEL_STEPS, steps));
    if (count === 0) return;
    pointer.send('axis_source', WHEEL_SOURCE);
    pointer.send('axis_discrete', getEventTime(), axis, count * PIXELS_PER_STEP, count);
    pointer.send('frame');
  }
  function setButton(button: MouseButton, down: boolean): void {
    if (down) heldInputs.add([toHeldInput(button)]);
    pointer.send('button', getEventTime(), BUTTONS[button], down ? 1 : 0);
    pointer.send('frame');
    if (!down) heldInputs.remove([toHeldInput(button)]);
  }
  return {
    ability: { able: true },
    move: (dx, dy) => {
      pointer.send('motion', getEventTime(), dx, dy);
      pointer.send('frame');
    },
    centre: () => {
      pointer.send('motion_absolute', getEventTime(), 1, 1, 2, 2);
      pointer.send('frame');
    },
    button: setButton,
    wheel: (dx, dy) => {
      turnWheel(VERTICAL, dy);
      turnWheel(HORIZONTAL, dx);
    },
    releaseAll: async () => {
      for (const button of BUTTON_BY_NUMBER)
        if (heldInputs.list().includes(toHeldInput(button))) setButton(button, false);
    },
  } satisfies MouseDriver;
}
