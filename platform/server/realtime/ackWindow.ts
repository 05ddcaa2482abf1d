/** Events of one kind that one receiver may have without having acknowledged them (reliability.md section 4). */
export const MAX_UNACKNOWLEDGED = 8;

export interface AckWindow<Data> {
  readonly send: (data: Data) => void;
  /** A heartbeat is about to be asked for: what was sent until now stands before it on the line. */
  readonly onHeartbeatSent: () => void;
  /** The heartbeat came back: the receiver has read all that stood before it, also where it acknowledges nothing by itself. */
  readonly onHeartbeatReceived: () => void;
}

/** How events that wait belong together; without a rule the newest takes the place of the one before it. */
export interface QueuePolicy<Data> {
  /** Makes one of two that wait; `undefined` where the newer alone counts. */
  readonly merge?: ((older: Data, newer: Data) => Data) | undefined;
  /** Those of one key share a place. */
  readonly key?: ((data: Data) => string) | undefined;
  /** Is told of each event that a newer one has replaced. */
  readonly lost?: () => void;
}

/**
 * Newest wins: at most 8 events unacknowledged, behind them one place (for each key) that holds the newest. A receiver that does not
 * know acknowledgements is carried on by the heartbeats; one that has stalled answers neither.
 *
 * @param deliver sends, and calls `taken` when the receiver acknowledges; `isSilent` where so far it has not, and may never
 */
export function createAckWindow<Data>(
  deliver: (data: Data, taken: () => void, isSilent: boolean) => void,
  { merge, key = () => '', lost = () => undefined }: QueuePolicy<Data> = {},
): AckWindow<Data> {
  const open = new Set<number>();
  /** The key that has waited longest comes first. */
  const waiting = new Map<string, Data>();
  let sent = 0;
  let marked = 0;
  let isSilent = false;

  const next = (): void => {
    for (const [place, data] of waiting) {
      if (open.size >= MAX_UNACKNOWLEDGED) return;
      waiting.delete(place);
      send(data);
    }
  };
  const send = (data: Data): void => {
    sent += 1;
    const mine = sent;
    open.add(mine);
    const taken = (): void => {
      isSilent = false;
      if (open.delete(mine)) next();
    };
    deliver(data, taken, isSilent);
  };
  const wait = (data: Data): void => {
    const place = key(data);
    const older = waiting.get(place);
    if (older !== undefined && merge === undefined) lost();
    waiting.set(place, older !== undefined && merge ? merge(older, data) : data);
  };
  return {
    send: (data) => {
      if (open.size < MAX_UNACKNOWLEDGED) send(data);
      else wait(data);
    },
    onHeartbeatSent: () => {
      marked = sent;
    },
    onHeartbeatReceived: () => {
      for (const one of open) if (one <= marked) isSilent = open.delete(one);
      next();
    },
  };
}
