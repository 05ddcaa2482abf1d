/** Events of one kind that one receiver may have without having acknowledged them (reliability.md section 4). */
export const WINDOW = 8;

export interface AckWindow<Data> {
  readonly offer: (data: Data) => void;
  /** A heartbeat is about to be asked for: what was sent until now stands before it on the line. */
  readonly mark: () => void;
  /** The heartbeat came back: the receiver has read all that stood before it, also where it acknowledges nothing by itself. */
  readonly confirm: () => void;
}

/**
 * Newest wins: at most 8 events unacknowledged, behind them one slot that holds the newest. A receiver that does not
 * know acknowledgements is carried on by the heartbeats; one that has stalled answers neither.
 *
 * @param deliver sends, and calls `taken` when the receiver acknowledges; `isSilent` where so far it has not, and may never
 * @param lost is told of each event that a newer one has replaced
 */
export const makeWindow = <Data>(
  deliver: (data: Data, taken: () => void, isSilent: boolean) => void,
  lost: () => void = () => undefined,
): AckWindow<Data> => {
  const open = new Set<number>();
  let waiting: { readonly data: Data } | undefined;
  let sent = 0;
  let marked = 0;
  let isSilent = false;

  const next = (): void => {
    if (waiting === undefined || open.size >= WINDOW) return;
    const { data } = waiting;
    waiting = undefined;
    send(data);
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
  return {
    offer: (data) => {
      if (open.size < WINDOW) return send(data);
      if (waiting !== undefined) lost();
      waiting = { data };
    },
    mark: () => {
      marked = sent;
    },
    confirm: () => {
      for (const one of open) if (one <= marked) isSilent = open.delete(one);
      next();
    },
  };
};
