import { getAddressKey } from '../http/address.ts';
import { RateLimitError } from '../http/rateLimiter.ts';
import {
  chainCounters,
  DAY_MS,
  createBackoffCounter,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  createWindowCounter,
  type AttemptCounter,
} from './counters.ts';

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
export const assertNotThrottled = (counter: AttemptCounter, key: string, reason: string): void => {
  const waitMs = counter.getWaitMs(key);
  if (waitMs > 0)
    throw new RateLimitError(Math.ceil(waitMs / SECOND_MS), `${reason}, try again in ${formatWait(waitMs)}`);
};

/** Who is vouched for is counted alone: not even an attacker at the same address fills that queue. */
const getThrottleKey = ({ name, address, trustedBy }: LoginAttempt): string =>
  `${trustedBy ?? getAddressKey(address)} ${name}`;

/** `clock` only goes forward, in milliseconds. */
export const createLoginThrottle = (clock: () => number): LoginThrottle => {
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
};

/** Counts nothing: `RATE_LIMITS=off`, for load tests. */
export const disabledLoginThrottle: LoginThrottle = {
  assertAllowed: () => {},
  recordFailure: () => {},
  recordSuccess: () => {},
};
