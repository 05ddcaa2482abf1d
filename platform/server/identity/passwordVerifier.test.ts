import { expect, test } from 'vitest';
import { RateLimitError } from '../http/rateLimiter.ts';
import { createConcurrencyLimit } from './passwordVerifier.ts';

const createGate = () => Promise.withResolvers<void>();

test('a limited number runs concurrently, the rest in order, and more than the queue holds are refused', async () => {
  const limit = createConcurrencyLimit(2, 3);
  const gates = [createGate(), createGate(), createGate(), createGate(), createGate()];
  const order: number[] = [];
  const runs = gates.map(({ promise }, index) =>
    limit.run(async () => {
      order.push(index);
      await promise;
    }, 'unauthenticated'),
  );
  await expect(limit.run(async () => order.push(99), 'unauthenticated')).rejects.toThrow(RateLimitError);
  expect(order).toEqual([0, 1]);
  for (const { resolve } of gates) resolve();
  await Promise.all(runs);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test('a full queue of visitors does not block trusted clients, who go first', async () => {
  const limit = createConcurrencyLimit(1, 2);
  const pending = createGate();
  const order: string[] = [];
  const work = (name: string) => async () => void order.push(name);
  const running = limit.run(() => pending.promise, 'unauthenticated');
  const waiting = [limit.run(work('visitor 1'), 'unauthenticated'), limit.run(work('visitor 2'), 'unauthenticated')];
  const trusted = limit.run(work('owner'), 'trusted');
  pending.resolve();
  await Promise.all([running, ...waiting, trusted]);
  expect(order).toEqual(['owner', 'visitor 1', 'visitor 2']);
});

test('work that fails releases its slot', async () => {
  const limit = createConcurrencyLimit(1, 1);
  await expect(
    limit.run(async () => {
      throw new Error('broken');
    }, 'unauthenticated'),
  ).rejects.toThrow('broken');
  expect(await limit.run(async () => 'next', 'unauthenticated')).toBe('next');
});
