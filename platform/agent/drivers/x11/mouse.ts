import type { MouseButton } from '../drivers.ts';
import type { HeldInputs } from '../heldInput.ts';
import type { Display } from './display.ts';

const buttons = { left: 1, middle: 2, right: 3 } as const;
const wheel = { up: 4, down: 5, left: 6, right: 7 } as const;
/** More at once is no hand. */
const MAX_WHEEL_STEPS = 100;

export interface XMouse {
  readonly move: (dx: number, dy: number) => void;
  readonly centre: () => void;
  readonly button: (which: MouseButton, down: boolean) => void;
  readonly wheel: (dx: number, dy: number) => void;
}

export const openXMouse = (display: Display, holding: HeldInputs): XMouse => {
  const turn = (button: number, steps: number): void => {
    for (let step = 0; step < Math.min(Math.abs(steps), MAX_WHEEL_STEPS); step++) {
      display.fakeButton(button, true);
      display.fakeButton(button, false);
    }
  };
  return {
    move: display.fakeMove,
    centre: () => display.fakeMoveTo(Math.floor(display.width / 2), Math.floor(display.height / 2)),
    button: (which, down) => {
      const button = buttons[which];
      if (down) holding.add([`b${button}`]);
      display.fakeButton(button, down);
      if (!down) holding.remove([`b${button}`]);
    },
    wheel: (dx, dy) => {
      turn(dy > 0 ? wheel.down : wheel.up, dy);
      turn(dx > 0 ? wheel.right : wheel.left, dx);
    },
  };
};
