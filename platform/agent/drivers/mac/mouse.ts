import type { Ability, MouseButton, MouseDriver } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import type { EventPoster } from './events.ts';
import type { MacFrameworks } from './frameworks.ts';
import type { Point, PointerPosition } from './pointer.ts';

/** Number of a button, and the types of its events. */
interface ButtonEvents {
  readonly number: number;
  readonly down: number;
  readonly up: number;
  readonly dragged: number;
}
const BUTTONS: Readonly<Record<MouseButton, ButtonEvents>> = {
  left: { number: 0, down: 1, up: 2, dragged: 6 },
  right: { number: 1, down: 3, up: 4, dragged: 7 },
  middle: { number: 2, down: 25, up: 26, dragged: 27 },
};
const BUTTON_NAMES = ['left', 'right', 'middle'] as const satisfies readonly MouseButton[];
const MOVED = 5;

/** Clicks that follow each other within this time and distance are one double click. */
const DOUBLE_CLICK_MS = 500;
const DOUBLE_CLICK_POINTS = 4;
/** A step of a wheel scrolls this far in most programs. */
const LINES_PER_STEP = 3;

/** Returns how a file of held inputs names a button. */
const toHeldInput = (button: MouseButton): HeldInput => `b${BUTTONS[button].number + 1}`;

/** Releases a button that an earlier agent may have left pressed. */
export function releaseButton(poster: EventPoster, { x, y }: Point, heldNumber: number): void {
  const button = BUTTON_NAMES[heldNumber - 1];
  if (button === undefined) return;
  const { number, up } = BUTTONS[button];
  poster.postMouse({ type: up, x, y, button: number, flags: 0n });
}

export interface MacMouseOptions {
  readonly frameworks: Pick<MacFrameworks, 'graphics'>;
  readonly poster: EventPoster;
  readonly position: PointerPosition;
  readonly heldInputs: HeldInputs;
  readonly getAbility: () => Ability;
  /** Returns the flags of the modifiers that are held for the mouse. */
  readonly getHeldFlags: () => bigint;
  readonly now?: () => number;
}

/** Creates the mouse. Without permission nothing happens, as with other mouse drivers whose display is gone. */
export function createMacMouse(options: MacMouseOptions): MouseDriver {
  const { frameworks, poster, position, heldInputs, getAbility, getHeldFlags } = options;
  const now = options.now ?? (() => performance.now());
  const held = new Set<MouseButton>();
  let lastClick:
    | { readonly button: MouseButton; readonly point: Point; readonly time: number; readonly count: number }
    | undefined;

  function countClick(button: MouseButton, point: Point): number {
    const isSame =
      lastClick?.button === button &&
      now() - lastClick.time < DOUBLE_CLICK_MS &&
      Math.abs(point.x - lastClick.point.x) <= DOUBLE_CLICK_POINTS &&
      Math.abs(point.y - lastClick.point.y) <= DOUBLE_CLICK_POINTS;
    const count = isSame ? (lastClick?.count ?? 0) + 1 : 1;
    lastClick = { button, point, time: now(), count };
    return count;
  }
  function moveTo(target: Point, dx: number, dy: number): void {
    // Programs expect a drag while a button is held, and macOS doesn't turn moves into drags.
    const [dragging] = held;
    const { dragged, number } = BUTTONS[dragging ?? 'left'];
    poster.postMouse({
      ...target,
      type: dragging === undefined ? MOVED : dragged,
      button: number,
      flags: getHeldFlags(),
      dx,
      dy,
    });
    position.set(target);
  }
  function setButton(which: MouseButton, down: boolean): void {
    if (held.has(which) === down) return;
    const { number, down: downType, up } = BUTTONS[which];
    const point = position.get();
    if (down) heldInputs.add([toHeldInput(which)]);
    const clickCount = down ? countClick(which, point) : (lastClick?.count ?? 1);
    poster.postMouse({ ...point, type: down ? downType : up, button: number, flags: getHeldFlags(), clickCount });
    position.set(point);
    if (down) {
      held.add(which);
      return;
    }
    held.delete(which);
    heldInputs.remove([toHeldInput(which)]);
  }
  const whenAble = (act: () => void): void => {
    if (getAbility().able) act();
  };
  return {
    get ability() {
      return getAbility();
    },
    move: (dx, dy) => whenAble(() => moveTo(position.getTarget(dx, dy), dx, dy)),
    centre: () =>
      whenAble(() => {
        const centre = position.getCentre();
        frameworks.graphics.CGWarpMouseCursorPosition(centre.x, centre.y);
        // Programs learn of the new position by an event.
        moveTo(centre, 0, 0);
      }),
    button: (which, down) => whenAble(() => setButton(which, down)),
    wheel: (dx, dy) => whenAble(() => poster.postWheel(dx * LINES_PER_STEP, dy * LINES_PER_STEP, getHeldFlags())),
    releaseAll: async () => {
      for (const button of held) setButton(button, false);
    },
  };
}
