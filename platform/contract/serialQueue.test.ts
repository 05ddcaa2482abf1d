import { expect, test } from 'vitest';
import { createKeyedQueue, createSerialQueue } from './serialQueue.ts';

test('a task waits for earlier tasks', async () => {
  const enqueue = createSerialQueue();
  const order: string[] = [];
  const pending = Promise.withResolvers<void>();
  const first = enqueue(async () => {
    await pending.promise;
    order.push('first');
  });
  const second = enqueue(async () => order.push('second'));
  pending.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});

test('a task waits for earlier tasks of its key, but not for those of another key', async () => {
  const enqueue = createKeyedQueue();
  const order: string[] = [];
  const pending = Promise.withResolvers<void>();
  const first = enqueue('bread', async () => {
    await pending.promise;
    order.push('first');
  });
  const second = enqueue('bread', async () => order.push('second'));
  await enqueue('milk', async () => order.push('other'));
  expect(order).toEqual(['other']);
  pending.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['other', 'first', 'second']);
});

const QUEUES = {
  'a serial queue': createSerialQueue,
  'a keyed queue': () => {
    const enqueue = createKeyedQueue();
    return <T>(task: () => Promise<T>) => enqueue(1, task);
  },
};

test.for(Object.entries(QUEUES))('%s reports a failure to its caller, and runs the next task', async ([, create]) => {
  const enqueue = create();
  const failing = enqueue(async () => {
    throw new Error('burnt');
  });
  const next = enqueue(async () => 'fresh');
  await expect(failing).rejects.toThrow('burnt');
  await expect(next).resolves.toBe('fresh');
});
