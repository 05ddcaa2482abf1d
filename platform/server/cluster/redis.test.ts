import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '#testing/journeys/program.ts';
import { pollUntil } from '#testing/kits/server/killedServer.ts';
import { startRedis } from '#testing/kits/server/redis.ts';
import { getSkipReason } from '#testing/machine.ts';
import { createRateLimiter } from '../http/rateLimiter.ts';
import { createRedisChannel, openRedis, type Redis } from './redis.ts';

const skipReason = getSkipReason('redis-server');
const log = pino({ enabled: false });

/** Starts a Redis, and connects two instances to it. */
async function connectTwo() {
  const server = await startRedis();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const prefix = `${randomUUID()}:`;
  async function connect(): Promise<Redis> {
    const redis = await openRedis({ url: server.url, prefix, log });
    onTestFinished(() => redis[Symbol.asyncDispose]());
    return redis;
  }
  return { server, first: await connect(), second: await connect() };
}

describe.skipIf(skipReason !== undefined)(`on Redis${skipReason === undefined ? '' : ` (${skipReason})`}`, () => {
  test('texts arrive at all instances in order, also after Redis was killed and started again', async () => {
    const { server, first, second } = await connectTwo();
    const [sender, receiver] = [await createRedisChannel(first), await createRedisChannel(second)];
    const received: string[] = [];
    let interruptionCount = 0;
    receiver.onText((text) => void received.push(text));
    receiver.onInterruption(() => (interruptionCount += 1));
    expect(await sender.countReceivers()).toBe(2);
    for (let number = 0; number < 100; number += 1) sender.send(String(number));
    await pollUntil(
      async () => received.length,
      (length) => length === 100,
    );
    expect(received).toEqual(Array.from({ length: 100 }, (_, number) => String(number)));
    await server.kill();
    sender.send('lost');
    await server.restart();
    await pollUntil(
      async () => interruptionCount,
      (count) => count > 0,
    );
    await pollUntil(
      () => sender.countReceivers().catch(() => 0),
      (count) => count === 2,
    );
    sender.send('after');
    await pollUntil(
      async () => received.at(-1),
      (text) => text === 'after',
    );
    expect(received).toHaveLength(101);
  });

  test('rates count for all instances together, and for each alone while Redis does not answer', async () => {
    const { server, first, second } = await connectTwo();
    const [one, other] = [first, second].map((redis) => createRateLimiter({ isOn: true, redis }));
    const rate = { times: 2, seconds: 600 };
    await one?.consume('calls', 'ann', rate);
    await other?.consume('calls', 'ann', rate);
    await expect(one?.consume('calls', 'ann', rate)).rejects.toThrow('Too many requests');
    server.signal('SIGSTOP');
    await other?.consume('calls', 'ann', rate);
    await other?.consume('calls', 'ann', rate);
    await expect(other?.consume('calls', 'ann', rate)).rejects.toThrow('Too many requests');
    server.signal('SIGCONT');
    const ping = () =>
      second
        .run((client) => client.ping())
        .then(
          () => true,
          () => false,
        );
    await pollUntil(ping, (isAnswered) => isAnswered);
    await expect(other?.consume('calls', 'ann', rate)).rejects.toThrow('Too many requests');
  });

  test('a wrong password is refused with a sentence that does not show it, also later without ending the server', async () => {
    const { first } = await connectTwo();
    const port = await findFreePort();
    for (const [name, value] of [
      ['port', String(port)],
      ['requirepass', 'right'],
    ] as const)
      await first.run((client) => client.configSet(name, value));
    const connect = (password: string) => openRedis({ url: `redis://${password}127.0.0.1:${port}`, prefix: '', log });
    for (const password of ['', ':sesame@']) {
      const refusal = await connect(password).then(String, String);
      expect(refusal).toContain('Redis cannot be used');
      expect(refusal).not.toContain('sesame');
    }
    await using redis = await connect(':right@');
    const changed = await createRedisChannel(redis);
    await first.run((client) => client.configSet('requirepass', 'changed'));
    await first.run((client) => client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']));
    await pollUntil(
      () => changed.countReceivers().catch(() => undefined),
      (count) => count === undefined,
    );
    await first.run((client) => client.configSet('requirepass', 'right'));
    await pollUntil(
      () => changed.countReceivers().catch(() => undefined),
      (count) => count === 1,
    );
  });
});
