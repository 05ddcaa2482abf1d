import type { MouseButton, MouseDriver } from '../drivers.ts';
import type { HeldInputs } from '../heldInputs.ts';
import {
  BUTTON_BY_NUMBER,
  BUTTONS,
  HORIZONTAL,
  MAX_WHEEL_STEPS,
  PIXELS_PER_STEP,
  toHeldInput,
  VERTICAL,
} from '../wayland/pointer.ts';
import type { FakeInput } from './fakeInput.ts';

export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** @param getScreenSize returns the size of all screens together; undefined if it is unknown. */
export function createKdePointer(
  input: FakeInput,
  heldInputs: HeldInputs,
  getScreenSize: () => ScreenSize | undefined,
): MouseDriver {
  function turnWheel(axis: number, steps: number): void {
    const count = Math.max(-MAX_WHEEL_STEPS, Math.min(MAX_WHEEL_STEPS, steps));
    if (count !== 0) input.send('axis', axis, count * PIXELS_PER_STEP);
  }
  function setButton(button: MouseButton, down: boolean): void {
    if (down) heldInputs.add([toHeldInput(button)]);
    input.send('button', BUTTONS[button], down ? 1 : 0);
    if (!down) heldInputs.remove([toHeldInput(button)]);
  }
  return {
    ability: { able: true },
    move: (dx, dy) => input.send('pointer_motion', dx, dy),
    centre: () => {
      const size = getScreenSize();
      if (size) input.send('pointer_motion_absolute', Math.floor(size.width / 2), Math.floor(size.height / 2));
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
  };
}
