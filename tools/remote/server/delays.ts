import { MAX_EVENT_AGE_MS } from '#platform/contract/event.ts';
import type { Connection } from '#platform/server/tool.ts';

/** Knows which events were long on their way, by the sender's own clock: the quickest of a socket shows how that clock stands to ours. */
export interface Delays {
  readonly isLate: (connection: Pick<Connection, 'id' | 'onClose'>, sentAt: number) => boolean;
}

interface DelayState {
  /** What the quickest one took, by the two clocks. */
  readonly least: number;
  /** All since then were late. */
  readonly lateSince: number | undefined;
}

/** All late for so long is no stall of the line: the sender's clock stood still while the phone slept. */
const CLOCK_MOVED_MS = 1000;

/** @param now milliseconds */
export const createDelays = (now: () => number): Delays => {
  const sockets = new Map<string, DelayState>();
  return {
    isLate: (connection, sentAt) => {
      const at = now();
      const took = at - sentAt;
      const seen = sockets.get(connection.id);
      if (!seen) connection.onClose(() => sockets.delete(connection.id));
      const least = Math.min(seen?.least ?? took, took);
      const isLate = took - least > MAX_EVENT_AGE_MS;
      const lateSince = isLate ? (seen?.lateSince ?? at) : undefined;
      const hasMoved = lateSince !== undefined && at - lateSince > CLOCK_MOVED_MS;
      sockets.set(connection.id, hasMoved ? { least: took, lateSince: undefined } : { least, lateSince });
      return isLate && !hasMoved;
    },
  };
};
