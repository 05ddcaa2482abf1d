import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/contract/duration.ts';
import { getAddressKey } from '../http/address.ts';
import { RateLimitError } from '../http/rateLimiter.ts';

/** Counts by key, in memory. Times are monotonic milliseconds, so changes of the wall clock have no effect. */
export interface AttemptCounter {
  /** How long the key must wait; 0 if it may go on. */
  readonly getWaitMs: (key: string) => number;
  readonly add: (key: string) => void;
  readonly reset: (key: string) => void;
}

/** Maximum number of keys. The oldest ones are removed, so that attackers cannot fill the memory. */
const MAX_KEYS = 50_000;

interface CounterEntry {
  readonly count: number;
  /** When the count restarts at 0. */
  readonly resetsAt: number;
  /** Until when the key must wait. */
  readonly waitsUntil: number;
}

const createCounterEntries = (clock: () => number) => {
  const entries = new Map<string, CounterEntry>();
  return {
    getEntry: (key: string): CounterEntry => {
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

/**
 * Allows `times` attempts within `lasts` milliseconds from the first one. Then the key waits for the end of the window.
 */
export function createWindowCounter(times: number, lasts: number, clock: () => number): AttemptCounter {
  const entries = createCounterEntries(clock);
  return {
    getWaitMs: (key) => {
      const { count, resetsAt } = entries.getEntry(key);
      return count >= times ? resetsAt - clock() : 0;
    },
    add: (key) => {
      const { count, resetsAt } = entries.getEntry(key);
      entries.put(key, { count: count + 1, resetsAt: count === 0 ? clock() + lasts : resetsAt, waitsUntil: 0 });
    },
    reset: entries.forget,
  };
}

/**
 * Allows `free` attempts within `lasts`, and then waits after each one, doubling from `first` to `longest`.
 * Resets after `lasts` without an attempt after a wait.
 */
export function createBackoffCounter(
  { free, lasts, first, longest }: { free: number; lasts: number; first: number; longest: number },
  clock: () => number,
): AttemptCounter {
  const entries = createCounterEntries(clock);
  return {
    getWaitMs: (key) => Math.max(0, entries.getEntry(key).waitsUntil - clock()),
    add: (key) => {
      const entry = entries.getEntry(key);
      const count = entry.count + 1;
      if (count < free) {
        entries.put(key, { count, resetsAt: entry.count === 0 ? clock() + lasts : entry.resetsAt, waitsUntil: 0 });
        return;
      }
      const until = clock() + Math.min(longest, first * 2 ** (count - free));
      entries.put(key, { count, resetsAt: until + lasts, waitsUntil: until });
    },
    reset: entries.forget,
  };
}

/** Uses `one` until it is full, and then `then`. */
export function chainCounters(first: AttemptCounter, second: AttemptCounter): AttemptCounter {
  return {
    getWaitMs: (key) => (first.getWaitMs(key) > 0 ? second.getWaitMs(key) : 0),
    add: (key) => (first.getWaitMs(key) > 0 ? second : first).add(key),
    reset: (key) => {
      first.reset(key);
      second.reset(key);
    },
  };
}

/** One attempt to use a password. */
export interface LoginAttempt {
  /** The folded name, whether or not the account exists: unknown names are throttled the same. */
  readonly name: string;
  readonly address: string;
  /** Why the client is trusted, if it is: a known browser or an open session of this account. */
  readonly trustedBy: string | undefined;
}

/**
 * Slows down password guessing. Only failed logins count, not sessions or tokens
 * (docs/adr/0023-throttle-without-lockout.md).
 */
export interface LoginThrottle {
  /** @throws RateLimitError while the client must wait. */
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

/** @throws RateLimitError with the reason and the time to wait, if the key must wait. */
export function assertNotThrottled(counter: AttemptCounter, key: string, reason: string): void {
  const waitMs = counter.getWaitMs(key);
  if (waitMs > 0)
    throw new RateLimitError(Math.ceil(waitMs / SECOND_MS), `${reason}. Try again in ${formatWait(waitMs)}`);
}

/** Trusted clients have a key of their own, so that an attacker at the same address cannot block them. */
const getThrottleKey = ({ name, address, trustedBy }: LoginAttempt): string =>
  `${trustedBy ?? getAddressKey(address)} ${name}`;

/** Creates a throttle. `clock` is monotonic, in milliseconds. */
export function createLoginThrottle(clock: () => number): LoginThrottle {
  const pairs = createBackoffCounter(
    { free: 5, lasts: 15 * MINUTE_MS, first: 30 * SECOND_MS, longest: 15 * MINUTE_MS },
    clock,
  );
  const addresses = createWindowCounter(30, 15 * MINUTE_MS, clock);
  const unauthenticatedByAccount = chainCounters(
    createWindowCounter(50, DAY_MS, clock),
    createWindowCounter(10, HOUR_MS, clock),
  );
  return {
    assertAllowed: (attempt) => {
      assertNotThrottled(pairs, getThrottleKey(attempt), 'Too many wrong passwords');
      if (attempt.trustedBy !== undefined) return;
      assertNotThrottled(addresses, getAddressKey(attempt.address), 'Too many wrong passwords from your network');
      assertNotThrottled(
        unauthenticatedByAccount,
        attempt.name,
        'Too many wrong passwords for this account from new browsers',
      );
    },
    recordFailure: (attempt) => {
      pairs.add(getThrottleKey(attempt));
      addresses.add(getAddressKey(attempt.address));
      if (attempt.trustedBy === undefined) unauthenticatedByAccount.add(attempt.name);
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
