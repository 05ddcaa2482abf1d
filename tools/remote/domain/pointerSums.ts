/** How often each mouse button was pressed or released; it is down if the number is odd. */
export interface ButtonCounts {
  readonly left: number;
  readonly middle: number;
  readonly right: number;
}
export const mouseButtons = ['left', 'middle', 'right'] as const;
export type ButtonName = (typeof mouseButtons)[number];

/** The running sums of a touchpad. */
export interface PointerSums {
  readonly x: number;
  readonly y: number;
  readonly wheelX: number;
  readonly wheelY: number;
  readonly turns: ButtonCounts;
}

export const NO_SUMS: PointerSums = { x: 0, y: 0, wheelX: 0, wheelY: 0, turns: { left: 0, middle: 0, right: 0 } };

/** A finger does not move further between two events. */
const MAX_PIXELS_PER_EVENT = 4000;
const MAX_WHEEL_STEPS_PER_EVENT = 100;
/** After more missed changes only the final state counts. */
const MAX_MISSED_CHANGES = 8;

export function isButtonDown(turnCount: number): boolean {
  return turnCount % 2 === 1;
}

const clampDifference = (from: number, to: number, limit: number): number =>
  Math.max(-limit, Math.min(limit, to - from));

/** Returns what a button does between two counts, in order: true is a press. */
export function listButtonChanges(from: number, to: number): readonly boolean[] {
  const changeCount = to - from;
  if (changeCount < 0 || changeCount > MAX_MISSED_CHANGES)
    return isButtonDown(from) === isButtonDown(to) ? [] : [isButtonDown(to)];
  return Array.from({ length: changeCount }, (_, at) => isButtonDown(from + at + 1));
}

/** Returns the movement between two readings of the sums. */
export function getMovement(from: PointerSums, to: PointerSums) {
  return {
    dx: clampDifference(from.x, to.x, MAX_PIXELS_PER_EVENT),
    dy: clampDifference(from.y, to.y, MAX_PIXELS_PER_EVENT),
    wheelX: clampDifference(from.wheelX, to.wheelX, MAX_WHEEL_STEPS_PER_EVENT),
    wheelY: clampDifference(from.wheelY, to.wheelY, MAX_WHEEL_STEPS_PER_EVENT),
  };
}
