import { END_OF_DAY, GRID_MINUTES, type Minute, type TimeSpan } from './slot.ts';

/** A slot on a day. Days are consecutive numbers. */
export interface PlacedSlot extends TimeSpan {
  readonly day: number;
}

const clamp = (minute: Minute, from: Minute, until: Minute): Minute => Math.max(from, Math.min(minute, until));

/** Rounds to the grid. The result can be outside of the day. */
export function snap(minute: Minute): Minute {
  return Math.round(minute / GRID_MINUTES) * GRID_MINUTES;
}

/** Returns the next grid minute before (-1) or after (1): 09:02 becomes 09:00 or 09:05. */
const stepOnGrid = (minute: Minute, direction: -1 | 1): Minute =>
  direction < 0
    ? Math.ceil(minute / GRID_MINUTES - 1) * GRID_MINUTES
    : Math.floor(minute / GRID_MINUTES + 1) * GRID_MINUTES;

/**
 * Moves a slot to `start` with the same length, limited to the day.
 * NaN (a layout without height) changes nothing; this also applies to the functions below.
 */
export function moveTo(slot: TimeSpan, start: Minute): TimeSpan {
  if (Number.isNaN(start)) return { start: slot.start, end: slot.end };
  const length = slot.end - slot.start;
  const from = clamp(snap(start), 0, END_OF_DAY - length);
  return { start: from, end: from + length };
}

/** Moves a slot to another day, at the time where it was dropped. */
export function moveToDay(slot: TimeSpan, day: number, start: Minute = NaN): PlacedSlot {
  return { day, ...moveTo(slot, start) };
}

/** Moves the start, at most to the end. */
export function moveStart(slot: TimeSpan, to: Minute): TimeSpan {
  return Number.isNaN(to)
    ? { start: slot.start, end: slot.end }
    : { start: clamp(snap(to), 0, Math.max(0, slot.end - GRID_MINUTES)), end: slot.end };
}

/** Moves the end, at least to the start. */
export function moveEnd(slot: TimeSpan, to: Minute): TimeSpan {
  return Number.isNaN(to)
    ? { start: slot.start, end: slot.end }
    : { start: slot.start, end: clamp(snap(to), Math.min(END_OF_DAY, slot.start + GRID_MINUTES), END_OF_DAY) };
}

/** Creates the span between pointer down and the current position, in either direction; undefined for NaN. */
export function createDrawnSpan(down: Minute, now: Minute): TimeSpan | undefined {
  if (Number.isNaN(down) || Number.isNaN(now)) return undefined;
  const start = clamp(Math.floor(Math.min(down, now) / GRID_MINUTES) * GRID_MINUTES, 0, END_OF_DAY - GRID_MINUTES);
  return {
    start,
    end: clamp(Math.ceil(Math.max(down, now) / GRID_MINUTES) * GRID_MINUTES, start + GRID_MINUTES, END_OF_DAY),
  };
}

export interface KeyPress {
  /** Key, as in KeyboardEvent. */
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

const VERTICAL_STEP_BY_KEY: ReadonlyMap<string, -1 | 1> = new Map([
  ['ArrowUp', -1],
  ['ArrowDown', 1],
]);
const HORIZONTAL_STEP_BY_KEY: ReadonlyMap<string, -1 | 1> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
]);

/**
 * Applies a key: arrows move by a step or a day, Shift+up/down moves the end, Shift+Alt+up/down the start.
 * Returns undefined for other keys, and the same slot at a limit.
 */
export function applyKey({ day, start, end }: PlacedSlot, { key, shiftKey, altKey }: KeyPress): PlacedSlot | undefined {
  const dayStep = HORIZONTAL_STEP_BY_KEY.get(key);
  if (dayStep !== undefined) return shiftKey || altKey ? undefined : { day: day + dayStep, start, end };
  const direction = VERTICAL_STEP_BY_KEY.get(key);
  if (direction === undefined || (altKey && !shiftKey)) return undefined;
  const slot = { start, end };
  if (!shiftKey) return { day, ...moveTo(slot, stepOnGrid(start, direction)) };
  if (altKey) return { day, ...moveStart(slot, stepOnGrid(start, direction)) };
  return { day, ...moveEnd(slot, stepOnGrid(end, direction)) };
}
