const ROUND_COUNT = 5;
/** The two clocks of this computer drifting apart by more means that it slept, or that its clock was set. */
const MAX_DRIFT_MS = 500;

/** The server's clock, as measured from here. */
export interface ServerClock {
  /** Milliseconds since the epoch; measures first where it has to. */
  readonly now: () => Promise<number>;
  /** The same at once; undefined where it would have to be measured, which is begun then. */
  readonly peek: () => number | undefined;
  /** The line is new: measure again. */
  readonly reset: () => void;
}

interface ClockMeasurement {
  /** Server's clock minus ours. */
  readonly offset: number;
  readonly wall: number;
  readonly monotonic: number;
}

/** `ask` gives the server's clock. Of five rounds the quickest counts, as its error is the smallest. */
export const createServerClock = (ask: () => Promise<number>): ServerClock => {
  const measure = async (): Promise<ClockMeasurement> => {
    let best = { trip: Number.POSITIVE_INFINITY, offset: 0 };
    for (let round = 0; round < ROUND_COUNT; round++) {
      const asked = performance.now();
      const server = await ask();
      const trip = performance.now() - asked;
      if (trip < best.trip) best = { trip, offset: server + trip / 2 - Date.now() };
    }
    return { offset: best.offset, wall: Date.now(), monotonic: performance.now() };
  };

  let measuring: Promise<ClockMeasurement> | undefined;
  let latest: ClockMeasurement | undefined;
  const remember = async (own: Promise<ClockMeasurement>): Promise<void> => {
    try {
      const found = await own;
      if (measuring === own) latest = found;
    } catch {
      // Who waits for it is told; whoever asks next measures anew.
      if (measuring === own) measuring = undefined;
    }
  };
  const measured = (): Promise<ClockMeasurement> => {
    if (!measuring) {
      measuring = measure();
      void remember(measuring);
    }
    return measuring;
  };
  const isStale = ({ wall, monotonic }: ClockMeasurement): boolean =>
    Math.abs(Date.now() - wall - (performance.now() - monotonic)) > MAX_DRIFT_MS;

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
    peek: () => {
      if (latest && !isStale(latest)) return Date.now() + latest.offset;
      if (latest) forget();
      measured().catch(() => undefined); // asked for again at the next event
      return undefined;
    },
    reset: forget,
  };
};
