const ROUNDS = 5;
/** The two clocks of this computer drifting apart by more means that it slept, or that its clock was set. */
const DRIFT_MS = 500;

/** The server's clock, as measured from here. */
export interface ServerClock {
  /** Milliseconds since the epoch; measures first where it has to. */
  readonly now: () => Promise<number>;
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
  const measured = (): Promise<Measured> => {
    const own = (measuring ??= measure());
    own.catch(() => {
      if (measuring === own) measuring = undefined;
    });
    return own;
  };
  const isStale = ({ wall, steady }: Measured): boolean =>
    Math.abs(Date.now() - wall - (performance.now() - steady)) > DRIFT_MS;

  return {
    now: async () => {
      let known = await measured();
      if (isStale(known)) {
        measuring = undefined;
        known = await measured();
      }
      return Date.now() + known.offset;
    },
    restart: () => {
      measuring = undefined;
    },
  };
};
