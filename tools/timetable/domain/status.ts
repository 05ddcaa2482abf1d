import { statuses } from '../contract/limits.ts';
import type { Status } from './slot.ts';

/** In the order in which the status button cycles. */
export const STATUSES: readonly Status[] = statuses;

export const isStatus = (text: string): text is Status => (STATUSES as readonly string[]).includes(text);

const cycled = <Text extends string>(status: Text, order: readonly Text[], by: number): Text => {
  const at = order.indexOf(status);
  // One that is in the order no more goes on with the first.
  return at < 0 ? (order[0] ?? status) : (order[(at + by + order.length) % order.length] ?? status);
};

/** What a click on the status button makes of it, by the order that the server names. */
export const nextStatus = <Text extends string = Status>(status: Text, order: readonly Text[]): Text =>
  cycled(status, order, 1);

/** The way back, where a click was one too many. */
export const previousStatus = <Text extends string = Status>(status: Text, order: readonly Text[]): Text =>
  cycled(status, order, -1);
