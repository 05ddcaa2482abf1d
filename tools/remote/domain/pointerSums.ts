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

/** A finger does not move further in one step. */
const MAX_PIXELS_PER_STEP = 4000;
const MAX_WHEEL_STEPS = 100;
/** More missed presses are not made up for: only the final state counts. */
const MAX_MISSED_PRESSES = 8;

export function isDown(turns: number): boolean {
  return turns % 2 === 1;
}

const clampDifference = (from: number, to: number, limit: number): number =>
  Math.max(-limit, Math.min(limit, to - from));

/** Returns what a button does between two counts, in order: true is a press. */
export function listButtonChanges(from: number, to: number): readonly boolean[] {
  const missed = to - from;
  if (missed < 0 || missed > MAX_MISSED_PRESSES) return isDown(from) === isDown(to) ? [] : [isDown(to)];
  return Array.from({ length: missed }, (_, at) => isDown(from + at + 1));
}

/** Returns the movement between two readings of the sums. */
export function stepBetween(from: PointerSums, to: PointerSums) {
  return {
    dx: clampDifference(from.x, to.x, MAX_PIXELS_PER_STEP),
    dy: clampDifference(from.y, to.y, MAX_PIXELS_PER_STEP),
    wheelX: clampDifference(from.wheelX, to.wheelX, MAX_WHEEL_STEPS),
    wheelY: clampDifference(from.wheelY, to.wheelY, MAX_WHEEL_STEPS),
  };
}
