import { expect, test } from 'vitest';
import { createSerialQueue } from './serialQueue.ts';

test('work of one key waits for earlier work, work of another key does not', async () => {
  const runInOrder = createSerialQueue();
  const done: string[] = [];
  const pending = Promise.withResolvers<void>();
  const first = runInOrder('bread', async () => {
    await pending.promise;
    done.push('first');
  });
  const second = runInOrder('bread', async () => done.push('second'));
  await runInOrder('milk', async () => done.push('other'));
  expect(done).toEqual(['other']);
  pending.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(['other', 'first', 'second']);
});

test('a failure is reported to its caller, and the next work runs', async () => {
  const runInOrder = createSerialQueue();
  const failing = runInOrder(1, async () => {
    throw new Error('burnt');
  });
  const next = runInOrder(1, async () => 'fresh');
  await expect(failing).rejects.toThrow('burnt');
  await expect(next).resolves.toBe('fresh');
});
