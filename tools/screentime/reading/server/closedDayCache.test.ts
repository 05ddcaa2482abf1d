import { expect, test } from 'vitest';
import { createUsageChanges } from '../../usage/server/usageChanges.ts';
import { createClosedDayCache } from './closedDayCache.ts';

const [ANNA, BEN] = [1, 2];
const DAY = 86_400;

function start(mostBytes?: number) {
  const changes = createUsageChanges();
  const closedDays = createClosedDayCache(changes, mostBytes);
  let computedCount = 0;
  /** Returns the number of the computation that made the value. */
  const ask = async (account: number, day: number, until?: Promise<void>): Promise<number> =>
    closedDays.getOrCompute(account, { key: `day ${day}`, from: day * DAY, until: (day + 1) * DAY }, async () => {
      computedCount += 1;
      const value = computedCount;
      await until;
      return { value, bytes: 100 };
    });
  const change = (account: number, from: number, until: number): void =>
    changes.publish({ account, device: 7, from, until });
  return { ...closedDays, ask, change };
}

test('computed values are cached, for their own account only', async () => {
  const { ask, clearAccount: forget } = start();
  expect([await ask(ANNA, 1), await ask(ANNA, 1), await ask(ANNA, 2)]).toEqual([1, 1, 2]);
  expect([await ask(BEN, 1), await ask(BEN, 1)]).toEqual([3, 3]);
  forget(ANNA);
  expect([await ask(ANNA, 1), await ask(BEN, 1)]).toEqual([4, 3]);
});

test('a change invalidates only the values that it affects', async () => {
  const { ask, change } = start();
  for (const day of [1, 2, 3]) await ask(ANNA, day);
  await ask(BEN, 2);
  change(ANNA, 2 * DAY, 2 * DAY + 1);
  expect([await ask(ANNA, 1), await ask(ANNA, 2), await ask(ANNA, 3), await ask(BEN, 2)]).toEqual([1, 5, 3, 4]);
  // The first start of the next day may no longer count as an opening.
  change(ANNA, 2 * DAY - 20, 2 * DAY - 10);
  expect([await ask(ANNA, 1), await ask(ANNA, 2)]).toEqual([6, 7]);
});

test('a value whose days changed during its computation is returned once and not cached', async () => {
  const { ask, change } = start();
  const { promise, resolve } = Promise.withResolvers<void>();
  const [first, other] = [ask(ANNA, 1, promise), ask(ANNA, 2, promise)];
  change(ANNA, DAY, DAY + 5);
  resolve();
  expect([await first, await other]).toEqual([1, 2]);
  expect([await ask(ANNA, 1), await ask(ANNA, 2)]).toEqual([3, 2]);
});

test('over the size limit, the least recently used value is removed', async () => {
  const { ask } = start(300);
  for (const day of [1, 2, 3]) await ask(ANNA, day);
  await ask(ANNA, 1);
  await ask(ANNA, 4);
  expect([await ask(ANNA, 1), await ask(ANNA, 3), await ask(ANNA, 4), await ask(ANNA, 2)]).toEqual([1, 3, 4, 5]);
});
