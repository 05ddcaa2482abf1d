import { expect, test } from 'vitest';
import { createKeyedQueue, createSerialQueue } from './serialQueue.ts';

test('work waits for earlier work', async () => {
  const enqueue = createSerialQueue();
  const done: string[] = [];
  const pending = Promise.withResolvers<void>();
  const first = enqueue(async () => {
    await pending.promise;
    done.push('first');
  });
  const second = enqueue(async () => done.push('second'));
  pending.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(['first', 'second']);
});

test('work of one key waits for earlier work, work of another key does not', async () => {
  const enqueue = createKeyedQueue();
  const done: string[] = [];
  const pending = Promise.withResolvers<void>();
  const first = enqueue('bread', async () => {
    await pending.promise;
    done.push('first');
  });
  const second = enqueue('bread', async () => done.push('second'));
  await enqueue('milk', async () => done.push('other'));
  expect(done).toEqual(['other']);
  pending.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(['other', 'first', 'second']);
});

const QUEUES = {
  'a serial queue': createSerialQueue,
  'a keyed queue': () => {
    const enqueue = createKeyedQueue();
    return <T>(work: () => Promise<T>) => enqueue(1, work);
  },
};

test.for(Object.entries(QUEUES))('%s reports a failure to its caller, and runs the next work', async ([, create]) => {
  const enqueue = create();
  const failing = enqueue(async () => {
    throw new Error('burnt');
  });
  const next = enqueue(async () => 'fresh');
  await expect(failing).rejects.toThrow('burnt');
  await expect(next).resolves.toBe('fresh');
});
