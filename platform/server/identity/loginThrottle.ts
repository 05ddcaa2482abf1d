import { getAddressKey } from '../http/address.ts';
import { RateLimitError } from '../http/rateLimiter.ts';

/** Counts by key, in memory. Times are milliseconds of a clock that only goes forward, so a turned wall clock changes nothing. */
export interface AttemptCounter {
  /** How long the key has to wait; 0 when it may go on. */
  readonly getWaitMs: (key: string) => number;
  readonly add: (key: string) => void;
  readonly reset: (key: string) => void;
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Above it the keys counted longest ago are forgotten: memory has an end, whoever asks. */
const MAX_KEYS = 50_000;

interface CounterEntry {
  readonly count: number;
  /** When counting begins anew. */
  readonly resetsAt: number;
  /** Until when the key waits. */
  readonly waitsUntil: number;
}

const createCounterEntries = (clock: () => number) => {
  const entries = new Map<string, CounterEntry>();
  return {
    of: (key: string): CounterEntry => {
      const entry = entries.get(key);
      return entry && entry.resetsAt > clock() ? entry : { count: 0, resetsAt: 0, waitsUntil: 0 };
    },
    put: (key: string, entry: CounterEntry): void => {
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size <= MAX_KEYS) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    forget: (key: string): void => void entries.delete(key),
  };
};

/** At most `times` within `lasts`, counted from the first; then the key waits until the window ends. */
export function createWindowCounter(times: number, lasts: number, clock: () => number): AttemptCounter {
  const entries = createCounterEntries(clock);
  return {
    getWaitMs: (key) => {
      const { count, resetsAt } = entries.of(key);
      return count >= times ? resetsAt - clock() : 0;
    },
    add: (key) => {
      const { count, resetsAt } = entries.of(key);
      entries.put(key, { count: count + 1, resetsAt: count === 0 ? clock() + lasts : resetsAt, waitsUntil: 0 });
    },
    reset: entries.forget,
  };
}

/** `free` times within `lasts`; then a wait after each one, doubling from `first` to `longest`. Quiet for `lasts` behind a wait, and it begins anew. */
export function createBackoffCounter(
  { free, lasts, first, longest }: { free: number; lasts: number; first: number; longest: number },
  clock: () => number,
): AttemptCounter {
  const entries = createCounterEntries(clock);
  return {
    getWaitMs: (key) => Math.max(0, entries.of(key).waitsUntil - clock()),
    add: (key) => {
      const before = entries.of(key);
      const count = before.count + 1;
      if (count < free) {
        entries.put(key, { count, resetsAt: before.count === 0 ? clock() + lasts : before.resetsAt, waitsUntil: 0 });
        return;
      }
      const until = clock() + Math.min(longest, first * 2 ** (count - free));
      entries.put(key, { count, resetsAt: until + lasts, waitsUntil: until });
    },
    reset: entries.forget,
  };
}

/** `one` until it is full, and from then on `then` while `one` lasts. */
export function chainCounters(one: AttemptCounter, then: AttemptCounter): AttemptCounter {
  return {
    getWaitMs: (key) => (one.getWaitMs(key) > 0 ? then.getWaitMs(key) : 0),
    add: (key) => (one.getWaitMs(key) > 0 ? then : one).add(key),
    reset: (key) => {
      one.reset(key);
      then.reset(key);
    },
  };
}

/** One try of a password. */
export interface LoginAttempt {
  /** The account's folded name, whether there is one or not: unknown names are counted like known ones. */
  readonly name: string;
  readonly address: string;
  /** What vouches for the one who tries, if anything: a browser that logged in to this account before, or an open session of it. */
  readonly trustedBy: string | undefined;
}

/** Slows down guessing. Only failed tries count; sessions and tokens are not its business (reliability.md section 1). */
export interface LoginThrottle {
  /** @throws TooMany while the one who tries has to wait. */
  readonly assertAllowed: (attempt: LoginAttempt) => void;
  readonly recordFailure: (attempt: LoginAttempt) => void;
  readonly recordSuccess: (attempt: LoginAttempt) => void;
}

const formatWait = (waitMs: number): string => {
  const seconds = Math.ceil(waitMs / SECOND_MS);
  if (seconds < 100) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  return minutes < 100 ? `${minutes} minutes` : `${Math.ceil(waitMs / HOUR_MS)} hours`;
};

/** @throws TooMany with the reason and how long to wait, if the key has to. */
export function assertNotThrottled(counter: AttemptCounter, key: string, reason: string): void {
  const waitMs = counter.getWaitMs(key);
  if (waitMs > 0)
    throw new RateLimitError(Math.ceil(waitMs / SECOND_MS), `${reason}, try again in ${formatWait(waitMs)}`);
}

/** Who is vouched for is counted alone: not even an attacker at the same address fills that queue. */
const getThrottleKey = ({ name, address, trustedBy }: LoginAttempt): string =>
  `${trustedBy ?? getAddressKey(address)} ${name}`;

/** `clock` only goes forward, in milliseconds. */
export function createLoginThrottle(clock: () => number): LoginThrottle {
  const pairs = createBackoffCounter(
    { free: 5, lasts: 15 * MINUTE_MS, first: 30 * SECOND_MS, longest: 15 * MINUTE_MS },
    clock,
  );
  const addresses = createWindowCounter(30, 15 * MINUTE_MS, clock);
  const strangersOfAccount = chainCounters(
    createWindowCounter(50, DAY_MS, clock),
    createWindowCounter(10, HOUR_MS, clock),
  );
  return {
    assertAllowed: (attempt) => {
      assertNotThrottled(pairs, getThrottleKey(attempt), 'Too many wrong passwords');
      if (attempt.trustedBy !== undefined) return;
      assertNotThrottled(addresses, getAddressKey(attempt.address), 'Too many wrong passwords from your network');
      assertNotThrottled(
        strangersOfAccount,
        attempt.name,
        'Too many wrong passwords for this account from new browsers',
      );
    },
    recordFailure: (attempt) => {
      pairs.add(getThrottleKey(attempt));
      addresses.add(getAddressKey(attempt.address));
      if (attempt.trustedBy === undefined) strangersOfAccount.add(attempt.name);
    },
    recordSuccess: (attempt) => {
      pairs.reset(getThrottleKey(attempt));
    },
  };
}

/** Counts nothing: `RATE_LIMITS=off`, for load tests. */
export const disabledLoginThrottle: LoginThrottle = {
  assertAllowed: () => {},
  recordFailure: () => {},
  recordSuccess: () => {},
};
