import { END_OF_DAY, SNAP, type Minute, type TimeSpan } from './slot.ts';

/** A slot on its day; days are numbered in a row, the next is one more. */
export interface PlacedSlot extends TimeSpan {
  readonly day: number;
}

const clamp = (minute: Minute, from: Minute, until: Minute): Minute => Math.max(from, Math.min(minute, until));

/** The nearest minute that moves go to. May lie outside the day. */
export function snap(minute: Minute): Minute {
  return Math.round(minute / SNAP) * SNAP;
}

/** The next minute of the 5-minute grid that lies earlier (-1) or later (1): 09:02 goes to 09:00 or to 09:05. */
const stepped = (minute: Minute, direction: -1 | 1): Minute =>
  direction < 0 ? Math.ceil(minute / SNAP - 1) * SNAP : Math.floor(minute / SNAP + 1) * SNAP;

/**
 * Begins at `start`, as long as before. At the edges of the day it stops. A place that is no number (a drawing without height)
 * changes nothing; so it is for all that follows here.
 */
export function moveTo(slot: TimeSpan, start: Minute): TimeSpan {
  if (Number.isNaN(start)) return { start: slot.start, end: slot.end };
  const length = slot.end - slot.start;
  const from = clamp(snap(start), 0, END_OF_DAY - length);
  return { start: from, end: from + length };
}

/** To another day, with the time it is dropped at. */
export function moveToDay(slot: TimeSpan, day: number, start: Minute = NaN): PlacedSlot {
  return {
    day,
    ...moveTo(slot, start),
  };
}

/** Its beginning goes to `to`, not past its end. */
export function stretchStart(slot: TimeSpan, to: Minute): TimeSpan {
  return Number.isNaN(to)
    ? { start: slot.start, end: slot.end }
    : { start: clamp(snap(to), 0, Math.max(0, slot.end - SNAP)), end: slot.end };
}

/** Its end goes to `to`, not before its beginning. */
export function stretchEnd(slot: TimeSpan, to: Minute): TimeSpan {
  return Number.isNaN(to)
    ? { start: slot.start, end: slot.end }
    : { start: slot.start, end: clamp(snap(to), Math.min(END_OF_DAY, slot.start + SNAP), END_OF_DAY) };
}

/** A new slot drawn from where the pointer went down to where it is, upwards or downwards; undefined where neither is a time. */
export function drawn(down: Minute, now: Minute): TimeSpan | undefined {
  if (Number.isNaN(down) || Number.isNaN(now)) return undefined;
  const first = clamp(Math.floor(Math.min(down, now) / SNAP) * SNAP, 0, END_OF_DAY - SNAP);
  return { start: first, end: clamp(Math.ceil(Math.max(down, now) / SNAP) * SNAP, first + SNAP, END_OF_DAY) };
}

export interface Press {
  /** As KeyboardEvent has it. */
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

const VERTICAL: ReadonlyMap<string, -1 | 1> = new Map([
  ['ArrowUp', -1],
  ['ArrowDown', 1],
]);
const SIDEWAYS: ReadonlyMap<string, -1 | 1> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
]);

/**
 * Arrows move a slot by a step or a day, Shift with up and down moves its end, Shift and Alt its beginning. Undefined for a key that
 * does nothing of the kind; at an edge the slot comes back as it is.
 */
export function pressed({ day, start, end }: PlacedSlot, { key, shiftKey, altKey }: Press): PlacedSlot | undefined {
  const across = SIDEWAYS.get(key);
  if (across !== undefined) return shiftKey || altKey ? undefined : { day: day + across, start, end };
  const direction = VERTICAL.get(key);
  if (direction === undefined || (altKey && !shiftKey)) return undefined;
  const slot = { start, end };
  if (!shiftKey) return { day, ...moveTo(slot, stepped(start, direction)) };
  if (altKey) return { day, ...stretchStart(slot, stepped(start, direction)) };
  return { day, ...stretchEnd(slot, stepped(end, direction)) };
}
