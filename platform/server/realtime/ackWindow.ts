/** Maximum number of unacknowledged events per event name and receiver (docs/adr/0017-newest-wins-delivery.md). */
export const MAX_UNACKNOWLEDGED = 8;

/** Limits the unacknowledged events of one receiver. */
export interface AckWindow<Data> {
  readonly send: (data: Data) => void;
  /** Call before a heartbeat is sent. All earlier events precede it on the connection. */
  readonly onHeartbeatSent: () => void;
  /** Call when the heartbeat returns: the receiver has read everything before it, even without acknowledgements. */
  readonly onHeartbeatReceived: () => void;
}

/** How queued events are combined. By default, the newest replaces the one before it. */
export interface QueuePolicy<Data> {
  /** Merges two queued events; by default, only the newer one counts. */
  readonly merge?: ((older: Data, newer: Data) => Data) | undefined;
  /** Events with the same key share one place in the queue. */
  readonly key?: ((data: Data) => string) | undefined;
  /** Called for each event that a newer one has replaced. */
  readonly onReplaced?: () => void;
}

/**
 * Creates a window with newest-wins delivery: at most 8 unacknowledged events, then one queued event per key.
 * Heartbeats acknowledge too. `isSilent` means that the receiver may never call `acknowledge` itself.
 */
export function createAckWindow<Data>(
  deliver: (data: Data, acknowledge: () => void, isSilent: boolean) => void,
  { merge, key = () => '', onReplaced = () => undefined }: QueuePolicy<Data> = {},
): AckWindow<Data> {
  const unacknowledged = new Set<number>();
  /** Queued events in insertion order, so that the key that has waited longest is first. */
  const queuedByKey = new Map<string, Data>();
  let sentCount = 0;
  let sentCountAtHeartbeat = 0;
  let isSilent = false;

  function sendQueued(): void {
    for (const [eventKey, data] of queuedByKey) {
      if (unacknowledged.size >= MAX_UNACKNOWLEDGED) return;
      queuedByKey.delete(eventKey);
      send(data);
    }
  }
  function send(data: Data): void {
    sentCount += 1;
    const number = sentCount;
    unacknowledged.add(number);
    function acknowledge(): void {
      isSilent = false;
      if (unacknowledged.delete(number)) sendQueued();
    }
    deliver(data, acknowledge, isSilent);
  }
  function enqueue(data: Data): void {
    const eventKey = key(data);
    const older = queuedByKey.get(eventKey);
    if (older !== undefined && merge === undefined) onReplaced();
    queuedByKey.set(eventKey, older !== undefined && merge ? merge(older, data) : data);
  }
  return {
    send: (data) => {
      if (unacknowledged.size < MAX_UNACKNOWLEDGED) send(data);
      else enqueue(data);
    },
    onHeartbeatSent: () => {
      sentCountAtHeartbeat = sentCount;
    },
    onHeartbeatReceived: () => {
      for (const number of unacknowledged) if (number <= sentCountAtHeartbeat) isSilent = unacknowledged.delete(number);
      sendQueued();
    },
  };
}
