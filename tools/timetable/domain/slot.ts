import { statuses } from '../contract/limits.ts';

/** In the order in which the status button cycles. */
export const STATUSES: readonly Status[] = statuses;

export function isStatus(text: string): text is Status {
  return (STATUSES as readonly string[]).includes(text);
}

/** What a click on the status button makes of it, by the order that the server names. */
export function nextStatus<Text extends string = Status>(status: Text, order: readonly Text[]): Text {
  // One that is in the order no more stands at -1, and goes on with the first.
  return order[(order.indexOf(status) + 1) % order.length] ?? status;
}

/** A slot of a day: what is planned from when till when. */

/** Minutes of the wall clock since the day's midnight: 0 to 1440. */
export type Minute = number;
export const END_OF_DAY: Minute = 1440;
/** Moves and stretches go by this much. */
export const SNAP: Minute = 5;

export { DESCRIPTION_LIMIT, NAME_LIMIT, MAX_SLOTS_PER_DAY as SLOTS_OF_A_DAY } from '../contract/limits.ts';

/** From when till when; `start` before `end`. */
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

/** A copy of a slot as something planned anew: what was done of the original is not done of it. */
export function asNotStarted<S extends Slot>(slot: S): S {
  return { ...slot, status: NEW_SLOT.status };
}

/** Whether two slots of one day are one and the same: of one name, at the same times. Their texts, colours and statuses may differ. */
export function isSameSlot(one: Slot, other: Slot): boolean {
  return one.name === other.name && one.start === other.start && one.end === other.end;
}

/** What a slot is called where it has no name. */
export function titleOf({ name }: Pick<Slot, 'name'>): string {
  return name.trim() === '' ? 'Slot' : name;
}
