import { addressKey } from '../address.ts';
import { TooMany } from '../limits.ts';
import {
  chained,
  DAY_MS,
  doublingCounter,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  windowCounter,
  type Counter,
} from './counters.ts';

/** One try of a password. */
export interface Attempt {
  /** The account's folded name, whether there is one or not: unknown names are counted like known ones. */
  readonly name: string;
  readonly address: string;
  /** What vouches for the one who tries, if anything: a browser that logged in to this account before, or an open session of it. */
  readonly vouched: string | undefined;
}

/** Slows down guessing. Only failed tries count; sessions and tokens are not its business (reliability.md section 1). */
export interface Throttle {
  /** @throws TooMany while the one who tries has to wait. */
  readonly check: (attempt: Attempt) => void;
  readonly failed: (attempt: Attempt) => void;
  readonly succeeded: (attempt: Attempt) => void;
}

const spoken = (waitMs: number): string => {
  const seconds = Math.ceil(waitMs / SECOND_MS);
  if (seconds < 100) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  return minutes < 100 ? `${minutes} minutes` : `${Math.ceil(waitMs / HOUR_MS)} hours`;
};

/** @throws TooMany with the reason and how long to wait, if the key has to. */
export const refuseWaiting = (counter: Counter, key: string, reason: string): void => {
  const waitMs = counter.wait(key);
  if (waitMs > 0) throw new TooMany(Math.ceil(waitMs / SECOND_MS), `${reason}, try again in ${spoken(waitMs)}`);
};

/** Who is vouched for is counted alone: not even an attacker at the same address fills that queue. */
const pairOf = ({ name, address, vouched }: Attempt): string => `${vouched ?? addressKey(address)} ${name}`;

/** `clock` only goes forward, in milliseconds. */
export const makeThrottle = (clock: () => number): Throttle => {
  const pairs = doublingCounter(
    { free: 5, lasts: 15 * MINUTE_MS, first: 30 * SECOND_MS, longest: 15 * MINUTE_MS },
    clock,
  );
  const addresses = windowCounter(30, 15 * MINUTE_MS, clock);
  const strangersOfAccount = chained(windowCounter(50, DAY_MS, clock), windowCounter(10, HOUR_MS, clock));
  return {
    check: (attempt) => {
      refuseWaiting(pairs, pairOf(attempt), 'Too many wrong passwords');
      if (attempt.vouched !== undefined) return;
      refuseWaiting(addresses, addressKey(attempt.address), 'Too many wrong passwords from your network');
      refuseWaiting(strangersOfAccount, attempt.name, 'Too many wrong passwords for this account from new browsers');
    },
    failed: (attempt) => {
      pairs.count(pairOf(attempt));
      addresses.count(addressKey(attempt.address));
      if (attempt.vouched === undefined) strangersOfAccount.count(attempt.name);
    },
    succeeded: (attempt) => {
      pairs.forget(pairOf(attempt));
    },
  };
};

/** Counts nothing: `RATE_LIMITS=off`, for load tests. */
export const noThrottle: Throttle = { check: () => {}, failed: () => {}, succeeded: () => {} };
