import { statuses } from '../contract/limits.ts';
import type { Status } from './slot.ts';

/** In the order in which the status button cycles. */
export const STATUSES: readonly Status[] = statuses;

export const isStatus = (text: string): text is Status => (STATUSES as readonly string[]).includes(text);

/** What a click on the status button makes of it, by the order that the server names. */
export const nextStatus = <Text extends string = Status>(status: Text, order: readonly Text[]): Text =>
  // One that is in the order no more stands at -1, and goes on with the first.
  order[(order.indexOf(status) + 1) % order.length] ?? status;
