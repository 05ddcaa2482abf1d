import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getSharedRedis } from '#testing/kits/server/redis.ts';
import { getSkipReason } from '#testing/machine.ts';
import { openRedis } from '../cluster/redis.ts';
import { createLocalEntries, createRedisEntries, type CreateSharedEntries } from '../cluster/sharedEntries.ts';
import { RateLimitError } from '../http/rateLimiter.ts';
import { createLoginThrottle, type LoginAttempt } from './loginThrottle.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const redisSkipReason = getSkipReason('redis-server');
const storages = [
  { name: 'this process', skips: false, createStorage: async () => createLocalEntries },
  {
    name: `Redis${redisSkipReason === undefined ? '' : ` (${redisSkipReason})`}`,
    skips: redisSkipReason !== undefined,
    createStorage: async (): Promise<CreateSharedEntries> => {
      const { url } = await getSharedRedis();
      const log = pino({ enabled: false });
      const redis = await openRedis({ url, prefix: `${randomUUID()}:`, log });
      onTestFinished(() => redis[Symbol.asyncDispose]());
      return (name) => createRedisEntries(redis, name, log);
    },
  },
];

const createAttempt = (address: string, name = 'ada', trustedBy?: string): LoginAttempt => ({
  address,
  name,
  trustedBy,
});

describe.each(storages)('with counters in $name', ({ skips, createStorage }) => {
  async function createTestThrottle() {
    let ms = 1e6;
    const throttle = createLoginThrottle({ createEntries: await createStorage(), clock: () => ms });
    return {
      ...throttle,
      advance: (seconds: number) => {
        ms += seconds * 1000;
      },
      /** Returns 0 if there is no wait. */
      getWaitSeconds: async (attempt: LoginAttempt): Promise<number> => {
        try {
          await throttle.assertAllowed(attempt);
        } catch (error) {
          if (error instanceof RateLimitError) return error.retryAfterSeconds;
          throw error;
        }
        return 0;
      },
      recordFailures: async (times: number, attempt: LoginAttempt) => {
        for (let count = 0; count < times; count += 1) await throttle.recordFailure(attempt);
      },
    };
  }

  test.skipIf(skips)(
    'an address has five attempts at an account, then waits twice as long each time, from 30 s to 15 min',
    async () => {
      const { getWaitSeconds, recordFailures, advance } = await createTestThrottle();
      const attempt = createAttempt('192.0.2.1');
      await recordFailures(4, attempt);
      expect(await getWaitSeconds(attempt)).toBe(0);
      const waits = [];
      for (let round = 0; round < 7; round += 1) {
        await recordFailures(1, attempt);
        waits.push(await getWaitSeconds(attempt));
        advance(await getWaitSeconds(attempt));
        expect(await getWaitSeconds(attempt)).toBe(0);
      }
      expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
      advance(15 * MINUTE);
      await recordFailures(4, attempt);
      expect(await getWaitSeconds(attempt)).toBe(0);
    },
  );

  test.skipIf(skips)('attempts older than 15 minutes do not count', async () => {
    const { getWaitSeconds, recordFailures, advance } = await createTestThrottle();
    await recordFailures(4, createAttempt('192.0.2.1'));
    advance(15 * MINUTE);
    await recordFailures(4, createAttempt('192.0.2.1'));
    expect(await getWaitSeconds(createAttempt('192.0.2.1'))).toBe(0);
  });

  test.skipIf(skips)('the refusal says how long to wait', async () => {
    const { assertAllowed, recordFailures } = await createTestThrottle();
    await recordFailures(5, createAttempt('192.0.2.1'));
    await expect(assertAllowed(createAttempt('192.0.2.1'))).rejects.toThrow(
      'Too many wrong passwords. Try again in 30 seconds',
    );
  });

  test.skipIf(skips)('a success only resets its own pair of address and account', async () => {
    const { getWaitSeconds, recordFailures, recordSuccess } = await createTestThrottle();
    await recordFailures(5, createAttempt('192.0.2.1'));
    await recordFailures(5, createAttempt('192.0.2.2'));
    await recordSuccess(createAttempt('192.0.2.1'));
    expect(await getWaitSeconds(createAttempt('192.0.2.1'))).toBe(0);
    expect(await getWaitSeconds(createAttempt('192.0.2.2'))).toBe(30);
    expect(await getWaitSeconds(createAttempt('192.0.2.2', 'bob'))).toBe(0);
  });

  test.skipIf(skips)('an address has 30 attempts at all accounts together in 15 minutes', async () => {
    const { getWaitSeconds, recordFailures, advance } = await createTestThrottle();
    for (let index = 0; index < 30; index += 1) await recordFailures(1, createAttempt('192.0.2.1', `name ${index}`));
    expect(await getWaitSeconds(createAttempt('192.0.2.1', 'another'))).toBe(15 * MINUTE);
    expect(await getWaitSeconds(createAttempt('192.0.2.2', 'another'))).toBe(0);
    advance(15 * MINUTE);
    expect(await getWaitSeconds(createAttempt('192.0.2.1', 'another'))).toBe(0);
  });

  test.skipIf(skips)('an IPv6 /64 network counts as one address', async () => {
    const { getWaitSeconds, recordFailures } = await createTestThrottle();
    for (let index = 0; index < 5; index += 1) await recordFailures(1, createAttempt(`2001:db8:1:2::${index}`));
    expect(await getWaitSeconds(createAttempt('2001:db8:1:2:ffff::1'))).toBe(30);
    expect(await getWaitSeconds(createAttempt('2001:db8:1:3::1'))).toBe(0);
  });

  test.skipIf(skips)('new browsers have 50 attempts at an account per day, then share ten per hour', async () => {
    const { getWaitSeconds, recordFailures, advance } = await createTestThrottle();
    for (let index = 0; index < 50; index += 1) await recordFailures(1, createAttempt(`192.0.2.${index}`));
    const newBrowser = createAttempt('198.51.100.1');
    expect(await getWaitSeconds(newBrowser)).toBe(0);
    for (let index = 0; index < 10; index += 1) await recordFailures(1, createAttempt(`203.0.113.${index}`));
    expect(await getWaitSeconds(newBrowser)).toBe(HOUR);
    expect(await getWaitSeconds(createAttempt('198.51.100.1', 'bob'))).toBe(0);
    advance(HOUR);
    expect(await getWaitSeconds(newBrowser)).toBe(0);
    for (let index = 0; index < 10; index += 1) await recordFailures(1, createAttempt(`203.0.113.1${index}`));
    expect(await getWaitSeconds(newBrowser)).toBe(HOUR);
    advance(23 * HOUR);
    await recordFailures(1, createAttempt('203.0.113.200'));
    expect(await getWaitSeconds(newBrowser)).toBe(0);
  });

  test.skipIf(skips)('a trusted client is counted separately, at any address', async () => {
    const { getWaitSeconds, recordFailures } = await createTestThrottle();
    for (let index = 0; index < 60; index += 1) await recordFailures(5, createAttempt(`192.0.2.${index % 20}`));
    expect(await getWaitSeconds(createAttempt('192.0.2.1'))).toBeGreaterThan(0);
    const knownBrowser = createAttempt('192.0.2.1', 'ada', 'browser 1');
    expect(await getWaitSeconds(knownBrowser)).toBe(0);
    await recordFailures(5, knownBrowser);
    expect(await getWaitSeconds(knownBrowser)).toBe(30);
    expect(await getWaitSeconds(createAttempt('192.0.2.1', 'ada', 'browser 2'))).toBe(0);
  });
});
