const ROUNDS = 5;
/** The two clocks of this computer drifting apart by more means that it slept, or that its clock was set. */
const DRIFT_MS = 500;

/** The server's clock, as measured from here. */
export interface ServerClock {
  /** Milliseconds since the epoch; measures first where it has to. */
  readonly now: () => Promise<number>;
  /** The same at once; undefined where it would have to be measured, which is begun then. */
  readonly known: () => number | undefined;
  /** The line is new: measure again. */
  readonly restart: () => void;
}

interface Measured {
  /** Server's clock minus ours. */
  readonly offset: number;
  readonly wall: number;
  readonly steady: number;
}

/** `ask` gives the server's clock. Of five rounds the quickest counts, as its error is the smallest. */
export const makeServerClock = (ask: () => Promise<number>): ServerClock => {
  const measure = async (): Promise<Measured> => {
    let best = { trip: Number.POSITIVE_INFINITY, offset: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const asked = performance.now();
      const server = await ask();
      const trip = performance.now() - asked;
      if (trip < best.trip) best = { trip, offset: server + trip / 2 - Date.now() };
    }
    return { offset: best.offset, wall: Date.now(), steady: performance.now() };
  };

  let measuring: Promise<Measured> | undefined;
  let latest: Measured | undefined;
  const remember = async (own: Promise<Measured>): Promise<void> => {
    try {
      const found = await own;
      if (measuring === own) latest = found;
    } catch {
      // Who waits for it is told; whoever asks next measures anew.
      if (measuring === own) measuring = undefined;
    }
  };
  const measured = (): Promise<Measured> => {
    if (!measuring) {
      measuring = measure();
      void remember(measuring);
    }
    return measuring;
  };
  const isStale = ({ wall, steady }: Measured): boolean =>
    Math.abs(Date.now() - wall - (performance.now() - steady)) > DRIFT_MS;

  const forget = (): void => {
    measuring = undefined;
    latest = undefined;
  };

  return {
    now: async () => {
      let known = await measured();
      if (isStale(known)) {
        forget();
        known = await measured();
      }
      return Date.now() + known.offset;
    },
    known: () => {
      if (latest && !isStale(latest)) return Date.now() + latest.offset;
      if (latest) forget();
      measured().catch(() => undefined); // asked for again at the next event
      return undefined;
    },
    restart: forget,
  };
};
