import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/contract/duration.ts';
import { getAddressKey } from '../http/address.ts';
import { RateLimitError } from '../http/rateLimiter.ts';

/** Counts by key, in memory. Times are monotonic milliseconds, so changes of the wall clock have no effect. */
export interface AttemptCounter {
  /** How long the key must wait; 0 if it may continue. */
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

function createCounterEntries(clock: () => number) {
  const entries = new Map<string, CounterEntry>();
  return {
    getEntry: (key: string): CounterEntry => {
      const entry = entries.get(key);
      return entry && entry.resetsAt > clock() ? entry : { count: 0, resetsAt: 0, waitsUntil: 0 };
    },
    set: (key: string, entry: CounterEntry): void => {
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size <= MAX_KEYS) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    remove: (key: string): void => void entries.delete(key),
  };
}

/**
 * Allows `maxAttempts` attempts in a window that starts with the first one. Then the key waits for the end of the
 * window.
 */
export function createWindowCounter(maxAttempts: number, windowMs: number, clock: () => number): AttemptCounter {
  const entries = createCounterEntries(clock);
  return {
    getWaitMs: (key) => {
      const { count, resetsAt } = entries.getEntry(key);
      return count >= maxAttempts ? resetsAt - clock() : 0;
    },
    add: (key) => {
      const { count, resetsAt } = entries.getEntry(key);
      entries.set(key, { count: count + 1, resetsAt: count === 0 ? clock() + windowMs : resetsAt, waitsUntil: 0 });
    },
    reset: entries.remove,
  };
}

/**
 * Allows `freeAttempts` within a window, and then makes the key wait after each one, doubling from `minDelayMs` to
 * `maxDelayMs`. Resets after a window without an attempt that follows a wait.
 */
export function createBackoffCounter(
  {
    freeAttempts,
    windowMs,
    minDelayMs,
    maxDelayMs,
  }: { freeAttempts: number; windowMs: number; minDelayMs: number; maxDelayMs: number },
  clock: () => number,
): AttemptCounter {
  const entries = createCounterEntries(clock);
  return {
    getWaitMs: (key) => Math.max(0, entries.getEntry(key).waitsUntil - clock()),
    add: (key) => {
      const entry = entries.getEntry(key);
      const count = entry.count + 1;
      if (count < freeAttempts) {
        entries.set(key, { count, resetsAt: entry.count === 0 ? clock() + windowMs : entry.resetsAt, waitsUntil: 0 });
        return;
      }
      const until = clock() + Math.min(maxDelayMs, minDelayMs * 2 ** (count - freeAttempts));
      entries.set(key, { count, resetsAt: until + windowMs, waitsUntil: until });
    },
    reset: entries.remove,
  };
}

/** Counts with the first counter until it makes the key wait, and then with the second. */
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

function formatWait(waitMs: number): string {
  const seconds = Math.ceil(waitMs / SECOND_MS);
  if (seconds < 100) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  return minutes < 100 ? `${minutes} minutes` : `${Math.ceil(waitMs / HOUR_MS)} hours`;
}

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
  const clientCounter = createBackoffCounter(
    { freeAttempts: 5, windowMs: 15 * MINUTE_MS, minDelayMs: 30 * SECOND_MS, maxDelayMs: 15 * MINUTE_MS },
    clock,
  );
  const addressCounter = createWindowCounter(30, 15 * MINUTE_MS, clock);
  const newBrowserCounter = chainCounters(
    createWindowCounter(50, DAY_MS, clock),
    createWindowCounter(10, HOUR_MS, clock),
  );
  return {
    assertAllowed: (attempt) => {
      assertNotThrottled(clientCounter, getThrottleKey(attempt), 'Too many wrong passwords');
      if (attempt.trustedBy !== undefined) return;
      assertNotThrottled(addressCounter, getAddressKey(attempt.address), 'Too many wrong passwords from your network');
      assertNotThrottled(
        newBrowserCounter,
        attempt.name,
        'Too many wrong passwords for this account from new browsers',
      );
    },
    recordFailure: (attempt) => {
      clientCounter.add(getThrottleKey(attempt));
      addressCounter.add(getAddressKey(attempt.address));
      if (attempt.trustedBy === undefined) newBrowserCounter.add(attempt.name);
    },
    recordSuccess: (attempt) => {
      clientCounter.reset(getThrottleKey(attempt));
    },
  };
}

/** Counts nothing: `RATE_LIMITS=off`, for load tests. */
export const disabledLoginThrottle: LoginThrottle = {
  assertAllowed: () => {},
  recordFailure: () => {},
  recordSuccess: () => {},
};
