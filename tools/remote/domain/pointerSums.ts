/** The buttons of a mouse, by how often each was pressed or let go: with an odd number it is down. */
export interface ButtonCounts {
  readonly left: number;
  readonly middle: number;
  readonly right: number;
}
export const mouseButtons = ['left', 'middle', 'right'] as const;
export type ButtonName = (typeof mouseButtons)[number];

/** Where the running sums of a touchpad stand. */
export interface Sums {
  readonly x: number;
  readonly y: number;
  readonly wheelX: number;
  readonly wheelY: number;
  readonly turns: ButtonCounts;
}

export const NO_SUMS: Sums = { x: 0, y: 0, wheelX: 0, wheelY: 0, turns: { left: 0, middle: 0, right: 0 } };

/** More in one step is no finger. */
const MAX_PIXELS_PER_STEP = 4000;
const MAX_WHEEL_STEPS = 100;
/** More presses that were missed are not made up for: only how it ended counts. */
const MAX_MISSED_PRESSES = 8;

export function isDown(turns: number): boolean {
  return turns % 2 === 1;
}

const between = (from: number, to: number, most: number): number => Math.max(-most, Math.min(most, to - from));

/** What a button does between two counts, in order: true is a press. */
export function turnsBetween(from: number, to: number): readonly boolean[] {
  const missed = to - from;
  if (missed < 0 || missed > MAX_MISSED_PRESSES) return isDown(from) === isDown(to) ? [] : [isDown(to)];
  return Array.from({ length: missed }, (_, at) => isDown(from + at + 1));
}

/** What the finger did between two readings of its sums. */
export function stepBetween(from: Sums, to: Sums) {
  return {
    dx: between(from.x, to.x, MAX_PIXELS_PER_STEP),
    dy: between(from.y, to.y, MAX_PIXELS_PER_STEP),
    wheelX: between(from.wheelX, to.wheelX, MAX_WHEEL_STEPS),
    wheelY: between(from.wheelY, to.wheelY, MAX_WHEEL_STEPS),
  };
}
