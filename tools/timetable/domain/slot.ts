import { statuses } from '../contract/limits.ts';

/** Statuses in the order of the status button. */
export const STATUSES: readonly Status[] = statuses;

export function isStatus(text: string): text is Status {
  return (STATUSES as readonly string[]).includes(text);
}

/** Returns the next status in the server's order. */
export function getNextStatus<Text extends string = Status>(status: Text, order: readonly Text[]): Text {
  // An unknown status has the index -1 and continues with the first one.
  return order[(order.indexOf(status) + 1) % order.length] ?? status;
}

/** A slot of a day: what is planned, with start and end. */

/** Minutes of the wall clock since midnight, 0 to 1440. */
export type Minute = number;
export const END_OF_DAY: Minute = 1440;
/** Grid of moves and resizes, in minutes. */
export const GRID_MINUTES: Minute = 5;

export { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH, MAX_SLOTS_PER_DAY } from '../contract/limits.ts';

/** A time range of a day; `start` is before `end`. */
export interface TimeSpan {
  readonly start: Minute;
  readonly end: Minute;
}

export type Status = (typeof statuses)[number];
export type Rgb = readonly [number, number, number];

export interface Slot extends TimeSpan {
  readonly name: string;
  readonly description: string;
  readonly colour: Rgb;
  readonly status: Status;
}

export const NEW_SLOT: Omit<Slot, 'name' | 'colour'> = {
  description: '',
  start: 12 * 60,
  end: 15 * 60,
  status: 'Not Started',
};

/** Copies a slot as newly planned: the copy is not started. */
export function copyAsNotStarted<S extends Slot>(slot: S): S {
  return { ...slot, status: NEW_SLOT.status };
}

/**
 * Returns whether two slots of a day count as the same: equal name and times.
 * Description, colour and status may differ.
 */
export function isSameSlot(a: Slot, b: Slot): boolean {
  return a.name === b.name && a.start === b.start && a.end === b.end;
}

/** Returns the title of a slot; unnamed ones have a default. */
export function getTitle({ name }: Pick<Slot, 'name'>): string {
  return name.trim() === '' ? 'Slot' : name;
}
