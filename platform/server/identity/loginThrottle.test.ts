import { expect, test } from 'vitest';
import { RateLimitError } from '../http/rateLimiter.ts';
import { createLoginThrottle, type LoginAttempt } from './loginThrottle.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const setUp = () => {
  let ms = 1e6;
  const throttle = createLoginThrottle(() => ms);
  return {
    ...throttle,
    pass: (seconds: number) => {
      ms += seconds * 1000;
    },
    /** Seconds to wait; 0 for none. */
    wait: (attempt: LoginAttempt): number => {
      try {
        throttle.assertAllowed(attempt);
      } catch (error) {
        if (error instanceof RateLimitError) return error.retryAfterSeconds;
        throw error;
      }
      return 0;
    },
    fail: (times: number, attempt: LoginAttempt) => {
      for (let left = times; left > 0; left -= 1) throttle.recordFailure(attempt);
    },
  };
};
const from = (address: string, name = 'ada', vouched?: string): LoginAttempt => ({ address, name, trustedBy: vouched });

test('an address has five attempts at an account, then waits twice as long each time, from 30 s to 15 min', () => {
  const { wait, fail, pass } = setUp();
  const attempt = from('192.0.2.1');
  fail(4, attempt);
  expect(wait(attempt)).toBe(0);
  const waits = [];
  for (let round = 0; round < 7; round += 1) {
    fail(1, attempt);
    waits.push(wait(attempt));
    pass(wait(attempt));
    expect(wait(attempt)).toBe(0);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
  pass(15 * MINUTE);
  fail(4, attempt);
  expect(wait(attempt)).toBe(0);
});

test('attempts older than 15 minutes do not count', () => {
  const { wait, fail, pass } = setUp();
  fail(4, from('192.0.2.1'));
  pass(15 * MINUTE);
  fail(4, from('192.0.2.1'));
  expect(wait(from('192.0.2.1'))).toBe(0);
});

test('the refusal says how long to wait', () => {
  const { assertAllowed, fail } = setUp();
  fail(5, from('192.0.2.1'));
  expect(() => assertAllowed(from('192.0.2.1'))).toThrow('Too many wrong passwords. Try again in 30 seconds');
});

test('a success only resets its own pair of address and account', () => {
  const { wait, fail, recordSuccess } = setUp();
  fail(5, from('192.0.2.1'));
  fail(5, from('192.0.2.2'));
  recordSuccess(from('192.0.2.1'));
  expect(wait(from('192.0.2.1'))).toBe(0);
  expect(wait(from('192.0.2.2'))).toBe(30);
  expect(wait(from('192.0.2.2', 'bob'))).toBe(0);
});

test('an address has 30 attempts at all accounts together in 15 minutes', () => {
  const { wait, fail, pass } = setUp();
  for (let at = 0; at < 30; at += 1) fail(1, from('192.0.2.1', `name ${at}`));
  expect(wait(from('192.0.2.1', 'another'))).toBe(15 * MINUTE);
  expect(wait(from('192.0.2.2', 'another'))).toBe(0);
  pass(15 * MINUTE);
  expect(wait(from('192.0.2.1', 'another'))).toBe(0);
});

test('an IPv6 /64 network counts as one address', () => {
  const { wait, fail } = setUp();
  for (let at = 0; at < 5; at += 1) fail(1, from(`2001:db8:1:2::${at}`));
  expect(wait(from('2001:db8:1:2:ffff::1'))).toBe(30);
  expect(wait(from('2001:db8:1:3::1'))).toBe(0);
});

test('new browsers have 50 attempts at an account per day, then share ten per hour', () => {
  const { wait, fail, pass } = setUp();
  for (let at = 0; at < 50; at += 1) fail(1, from(`192.0.2.${at}`));
  const fresh = from('198.51.100.1');
  expect(wait(fresh)).toBe(0);
  for (let at = 0; at < 10; at += 1) fail(1, from(`203.0.113.${at}`));
  expect(wait(fresh)).toBe(HOUR);
  expect(wait(from('198.51.100.1', 'bob'))).toBe(0);
  pass(HOUR);
  expect(wait(fresh)).toBe(0);
  for (let at = 0; at < 10; at += 1) fail(1, from(`203.0.113.1${at}`));
  expect(wait(fresh)).toBe(HOUR);
  pass(23 * HOUR);
  fail(1, from('203.0.113.200'));
  expect(wait(fresh)).toBe(0);
});

test('a trusted client is counted separately, at any address', () => {
  const { wait, fail } = setUp();
  for (let at = 0; at < 60; at += 1) fail(5, from(`192.0.2.${at % 20}`));
  expect(wait(from('192.0.2.1'))).toBeGreaterThan(0);
  const own = from('192.0.2.1', 'ada', 'browser 1');
  expect(wait(own)).toBe(0);
  fail(5, own);
  expect(wait(own)).toBe(30);
  expect(wait(from('192.0.2.1', 'ada', 'browser 2'))).toBe(0);
});
