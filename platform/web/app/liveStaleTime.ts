import type { Query } from '@tanstack/react-query';
import type { ServerEvent } from '#platform/contract/event.ts';
import { realtime } from './realtime.ts';

/** Without a connection, data is loaded again after this time. */
const DISCONNECTED_MS = 5000;

/**
 * Returns the `staleTime` of a query whose changes are announced by events: its data stays current while none of them
 * can have been missed. After a page was left, its events are not heard any more, so its data is loaded again.
 * @param currentForMs how long the data stays current at most.
 */
export function createLiveStaleTime(
  events: readonly ServerEvent[],
  currentForMs = Infinity,
): (query: Pick<Query, 'state'>) => number {
  return ({ state }) => {
    if (realtime.getConnectionState() !== 'connected') return DISCONNECTED_MS;
    const isHeard = events.every((event) => (realtime.getHeardSince(event) ?? Infinity) <= state.dataUpdatedAt);
    return isHeard ? currentForMs : 0;
  };
}
