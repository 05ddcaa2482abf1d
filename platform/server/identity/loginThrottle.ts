import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/contract/duration.ts';
import type { CreateSharedEntries } from '../cluster/sharedEntries.ts';
import { getAddressKey } from '../http/address.ts';
import { RateLimitError } from '../http/rateLimiter.ts';

/** Counts by key. */
export interface AttemptCounter {
  /** How long the key must wait; 0 if it may continue. */
  readonly getWaitMs: (key: string) => Promise<number>;
  readonly add: (key: string) => Promise<void>;
  readonly reset: (key: string) => Promise<void>;
}

interface CounterEntry {
  readonly count: number;
  /** When the count restarts at 0. */
  readonly resetsAt: number;
  /** Until when the key must wait. */
  readonly waitsUntil: number;
}

/** Where counters are stored, and their time in milliseconds. */
export interface CounterStorage {
  readonly createEntries: CreateSharedEntries;
  /**
   * Monotonic if the counters are in this process, so that changes of the wall clock have no effect; otherwise
   * milliseconds since the epoch.
   */
  readonly clock: () => number;
}

const NO_ATTEMPTS: CounterEntry = { count: 0, resetsAt: 0, waitsUntil: 0 };

/** Creates a counter whose entries one attempt changes with `count`, a pure function. */
function createCounter(
  { createEntries, clock }: CounterStorage,
  name: string,
  count: (entry: CounterEntry, now: number) => CounterEntry,
): AttemptCounter {
  const entries = createEntries<CounterEntry>(name);
  const toCurrent = (entry: CounterEntry | undefined, now: number): CounterEntry =>
    entry && entry.resetsAt > now ? entry : NO_ATTEMPTS;
  return {
    getWaitMs: async (key) => Math.max(0, toCurrent(await entries.get(key), clock()).waitsUntil - clock()),
    add: (key) =>
      entries.update(key, (stored) => {
        const now = clock();
        const entry = count(toCurrent(stored, now), now);
        return { entry, ttlMs: entry.resetsAt - now };
      }),
    reset: entries.remove,
  };
}

/**
 * Allows `maxAttempts` attempts in a window that starts with the first one. Then the key waits for the end of the
 * window. @param name unique among all counters
 */
export function createWindowCounter(
  storage: CounterStorage,
  name: string,
  { maxAttempts, windowMs }: { readonly maxAttempts: number; readonly windowMs: number },
): AttemptCounter {
  return createCounter(storage, name, (entry, now) => {
    const resetsAt = entry.count === 0 ? now + windowMs : entry.resetsAt;
    const attempts = entry.count + 1;
    return { count: attempts, resetsAt, waitsUntil: attempts >= maxAttempts ? resetsAt : 0 };
  });
}

/**
 * Allows `freeAttempts` within a window, and then makes the key wait after each one, doubling from `minDelayMs` to
 * `maxDelayMs`. Resets after a window without an attempt that follows a wait.
 */
function createBackoffCounter(
  storage: CounterStorage,
  name: string,
  {
    freeAttempts,
    windowMs,
    minDelayMs,
    maxDelayMs,
  }: { freeAttempts: number; windowMs: number; minDelayMs: number; maxDelayMs: number },
): AttemptCounter {
  return createCounter(storage, name, (entry, now) => {
    const count = entry.count + 1;
    if (count < freeAttempts)
      return { count, resetsAt: entry.count === 0 ? now + windowMs : entry.resetsAt, waitsUntil: 0 };
    const until = now + Math.min(maxDelayMs, minDelayMs * 2 ** (count - freeAttempts));
    return { count, resetsAt: until + windowMs, waitsUntil: until };
  });
}

/** Counts with the first counter until it makes the key wait, and then with the second. */
function chainCounters(first: AttemptCounter, second: AttemptCounter): AttemptCounter {
  const mustWait = async (key: string): Promise<boolean> => (await first.getWaitMs(key)) > 0;
  return {
    getWaitMs: async (key) => ((await mustWait(key)) ? second.getWaitMs(key) : 0),
    add: async (key) => ((await mustWait(key)) ? second : first).add(key),
    reset: async (key) => {
      await first.reset(key);
      await second.reset(key);
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
  readonly assertAllowed: (attempt: LoginAttempt) => Promise<void>;
  readonly recordFailure: (attempt: LoginAttempt) => Promise<void>;
  readonly recordSuccess: (attempt: LoginAttempt) => Promise<void>;
}

function formatWait(waitMs: number): string {
  const seconds = Math.ceil(waitMs / SECOND_MS);
  if (seconds < 100) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  return minutes < 100 ? `${minutes} minutes` : `${Math.ceil(waitMs / HOUR_MS)} hours`;
}

/** @throws RateLimitError with the reason and the time to wait, if the key must wait. */
export async function assertNotThrottled(counter: AttemptCounter, key: string, reason: string): Promise<void> {
  const waitMs = await counter.getWaitMs(key);
  if (waitMs > 0)
    throw new RateLimitError(Math.ceil(waitMs / SECOND_MS), `${reason}. Try again in ${formatWait(waitMs)}`);
}

/** Trusted clients have a key of their own, so that an attacker at the same address cannot block them. */
const getThrottleKey = ({ name, address, trustedBy }: LoginAttempt): string =>
  `${trustedBy ?? getAddressKey(address)} ${name}`;

/** Creates a throttle. */
export function createLoginThrottle(storage: CounterStorage): LoginThrottle {
  const clientCounter = createBackoffCounter(storage, 'login', {
    freeAttempts: 5,
    windowMs: 15 * MINUTE_MS,
    minDelayMs: 30 * SECOND_MS,
    maxDelayMs: 15 * MINUTE_MS,
  });
  const addressCounter = createWindowCounter(storage, 'login address', { maxAttempts: 30, windowMs: 15 * MINUTE_MS });
  const newBrowserCounter = chainCounters(
    createWindowCounter(storage, 'login day', { maxAttempts: 50, windowMs: DAY_MS }),
    createWindowCounter(storage, 'login hour', { maxAttempts: 10, windowMs: HOUR_MS }),
  );
  return {
    assertAllowed: async (attempt) => {
      await assertNotThrottled(clientCounter, getThrottleKey(attempt), 'Too many wrong passwords');
      if (attempt.trustedBy !== undefined) return;
      await assertNotThrottled(
        addressCounter,
        getAddressKey(attempt.address),
        'Too many wrong passwords from your network',
      );
      await assertNotThrottled(
        newBrowserCounter,
        attempt.name,
        'Too many wrong passwords for this account from new browsers',
      );
    },
    recordFailure: async (attempt) => {
      await clientCounter.add(getThrottleKey(attempt));
      await addressCounter.add(getAddressKey(attempt.address));
      if (attempt.trustedBy === undefined) await newBrowserCounter.add(attempt.name);
    },
    recordSuccess: (attempt) => clientCounter.reset(getThrottleKey(attempt)),
  };
}

/** Counts nothing: `RATE_LIMITS=off`, for load tests. */
export const disabledLoginThrottle: LoginThrottle = {
  assertAllowed: async () => undefined,
  recordFailure: async () => undefined,
  recordSuccess: async () => undefined,
};
