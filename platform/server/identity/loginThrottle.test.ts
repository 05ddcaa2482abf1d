import { expect, test } from 'vitest';
import { RateLimitError } from '../http/rateLimiter.ts';
import { createLoginThrottle, type LoginAttempt } from './loginThrottle.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

function createTestThrottle() {
  let ms = 1e6;
  const throttle = createLoginThrottle(() => ms);
  return {
    ...throttle,
    advance: (seconds: number) => {
      ms += seconds * 1000;
    },
    /** Returns 0 if there is no wait. */
    getWaitSeconds: (attempt: LoginAttempt): number => {
      try {
        throttle.assertAllowed(attempt);
      } catch (error) {
        if (error instanceof RateLimitError) return error.retryAfterSeconds;
        throw error;
      }
      return 0;
    },
    recordFailures: (times: number, attempt: LoginAttempt) => {
      for (let count = 0; count < times; count += 1) throttle.recordFailure(attempt);
    },
  };
}
const createAttempt = (address: string, name = 'ada', trustedBy?: string): LoginAttempt => ({
  address,
  name,
  trustedBy,
});

test('an address has five attempts at an account, then waits twice as long each time, from 30 s to 15 min', () => {
  const { getWaitSeconds, recordFailures, advance } = createTestThrottle();
  const attempt = createAttempt('192.0.2.1');
  recordFailures(4, attempt);
  expect(getWaitSeconds(attempt)).toBe(0);
  const waits = [];
  for (let round = 0; round < 7; round += 1) {
    recordFailures(1, attempt);
    waits.push(getWaitSeconds(attempt));
    advance(getWaitSeconds(attempt));
    expect(getWaitSeconds(attempt)).toBe(0);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
  advance(15 * MINUTE);
  recordFailures(4, attempt);
  expect(getWaitSeconds(attempt)).toBe(0);
});

test('attempts older than 15 minutes do not count', () => {
  const { getWaitSeconds, recordFailures, advance } = createTestThrottle();
  recordFailures(4, createAttempt('192.0.2.1'));
  advance(15 * MINUTE);
  recordFailures(4, createAttempt('192.0.2.1'));
  expect(getWaitSeconds(createAttempt('192.0.2.1'))).toBe(0);
});

test('the refusal says how long to wait', () => {
  const { assertAllowed, recordFailures } = createTestThrottle();
  recordFailures(5, createAttempt('192.0.2.1'));
  expect(() => assertAllowed(createAttempt('192.0.2.1'))).toThrow('Too many wrong passwords. Try again in 30 seconds');
});

test('a success only resets its own pair of address and account', () => {
  const { getWaitSeconds, recordFailures, recordSuccess } = createTestThrottle();
  recordFailures(5, createAttempt('192.0.2.1'));
  recordFailures(5, createAttempt('192.0.2.2'));
  recordSuccess(createAttempt('192.0.2.1'));
  expect(getWaitSeconds(createAttempt('192.0.2.1'))).toBe(0);
  expect(getWaitSeconds(createAttempt('192.0.2.2'))).toBe(30);
  expect(getWaitSeconds(createAttempt('192.0.2.2', 'bob'))).toBe(0);
});

test('an address has 30 attempts at all accounts together in 15 minutes', () => {
  const { getWaitSeconds, recordFailures, advance } = createTestThrottle();
  for (let index = 0; index < 30; index += 1) recordFailures(1, createAttempt('192.0.2.1', `name ${index}`));
  expect(getWaitSeconds(createAttempt('192.0.2.1', 'another'))).toBe(15 * MINUTE);
  expect(getWaitSeconds(createAttempt('192.0.2.2', 'another'))).toBe(0);
  advance(15 * MINUTE);
  expect(getWaitSeconds(createAttempt('192.0.2.1', 'another'))).toBe(0);
});

test('an IPv6 /64 network counts as one address', () => {
  const { getWaitSeconds, recordFailures } = createTestThrottle();
  for (let index = 0; index < 5; index += 1) recordFailures(1, createAttempt(`2001:db8:1:2::${index}`));
  expect(getWaitSeconds(createAttempt('2001:db8:1:2:ffff::1'))).toBe(30);
  expect(getWaitSeconds(createAttempt('2001:db8:1:3::1'))).toBe(0);
});

test('new browsers have 50 attempts at an account per day, then share ten per hour', () => {
  const { getWaitSeconds, recordFailures, advance } = createTestThrottle();
  for (let index = 0; index < 50; index += 1) recordFailures(1, createAttempt(`192.0.2.${index}`));
  const newBrowser = createAttempt('198.51.100.1');
  expect(getWaitSeconds(newBrowser)).toBe(0);
  for (let index = 0; index < 10; index += 1) recordFailures(1, createAttempt(`203.0.113.${index}`));
  expect(getWaitSeconds(newBrowser)).toBe(HOUR);
  expect(getWaitSeconds(createAttempt('198.51.100.1', 'bob'))).toBe(0);
  advance(HOUR);
  expect(getWaitSeconds(newBrowser)).toBe(0);
  for (let index = 0; index < 10; index += 1) recordFailures(1, createAttempt(`203.0.113.1${index}`));
  expect(getWaitSeconds(newBrowser)).toBe(HOUR);
  advance(23 * HOUR);
  recordFailures(1, createAttempt('203.0.113.200'));
  expect(getWaitSeconds(newBrowser)).toBe(0);
});

test('a trusted client is counted separately, at any address', () => {
  const { getWaitSeconds, recordFailures } = createTestThrottle();
  for (let index = 0; index < 60; index += 1) recordFailures(5, createAttempt(`192.0.2.${index % 20}`));
  expect(getWaitSeconds(createAttempt('192.0.2.1'))).toBeGreaterThan(0);
  const knownBrowser = createAttempt('192.0.2.1', 'ada', 'browser 1');
  expect(getWaitSeconds(knownBrowser)).toBe(0);
  recordFailures(5, knownBrowser);
  expect(getWaitSeconds(knownBrowser)).toBe(30);
  expect(getWaitSeconds(createAttempt('192.0.2.1', 'ada', 'browser 2'))).toBe(0);
});
