/** Counts by key, in memory. Times are milliseconds of a clock that only goes forward, so a turned wall clock changes nothing. */
export interface Counter {
  /** How long the key has to wait; 0 when it may go on. */
  readonly wait: (key: string) => number;
  readonly count: (key: string) => void;
  readonly forget: (key: string) => void;
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Above it the keys counted longest ago are forgotten: memory has an end, whoever asks. */
const KEYS = 50_000;

interface Entry {
  readonly count: number;
  /** When counting begins anew. */
  readonly ends: number;
  /** Until when the key waits. */
  readonly until: number;
}

const makeEntries = (clock: () => number) => {
  const entries = new Map<string, Entry>();
  return {
    of: (key: string): Entry => {
      const entry = entries.get(key);
      return entry && entry.ends > clock() ? entry : { count: 0, ends: 0, until: 0 };
    },
    put: (key: string, entry: Entry): void => {
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size <= KEYS) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    forget: (key: string): void => void entries.delete(key),
  };
};

/** At most `times` within `lasts`, counted from the first; then the key waits until the window ends. */
export const windowCounter = (times: number, lasts: number, clock: () => number): Counter => {
  const entries = makeEntries(clock);
  return {
    wait: (key) => {
      const { count, ends } = entries.of(key);
      return count >= times ? ends - clock() : 0;
    },
    count: (key) => {
      const { count, ends } = entries.of(key);
      entries.put(key, { count: count + 1, ends: count === 0 ? clock() + lasts : ends, until: 0 });
    },
    forget: entries.forget,
  };
};

/** `free` times within `lasts`; then a wait after each one, doubling from `first` to `longest`. Quiet for `lasts` behind a wait, and it begins anew. */
export const doublingCounter = (
  { free, lasts, first, longest }: { free: number; lasts: number; first: number; longest: number },
  clock: () => number,
): Counter => {
  const entries = makeEntries(clock);
  return {
    wait: (key) => Math.max(0, entries.of(key).until - clock()),
    count: (key) => {
      const before = entries.of(key);
      const count = before.count + 1;
      if (count < free) {
        entries.put(key, { count, ends: before.count === 0 ? clock() + lasts : before.ends, until: 0 });
        return;
      }
      const until = clock() + Math.min(longest, first * 2 ** (count - free));
      entries.put(key, { count, ends: until + lasts, until });
    },
    forget: entries.forget,
  };
};

/** `one` until it is full, and from then on `then` while `one` lasts. */
export const chained = (one: Counter, then: Counter): Counter => ({
  wait: (key) => (one.wait(key) > 0 ? then.wait(key) : 0),
  count: (key) => (one.wait(key) > 0 ? then : one).count(key),
  forget: (key) => {
    one.forget(key);
    then.forget(key);
  },
});
