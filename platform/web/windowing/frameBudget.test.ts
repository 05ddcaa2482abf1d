import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeJobs } from './frameBudget.ts';

const costs = fc.array(fc.nat({ max: 6 }), { maxLength: 12 });
const toQueue = (name: string, all: readonly number[]) =>
  new Map(all.map((cost, at) => [`${name}${at}`, cost] as const));
const sum = (all: Iterable<number>): number => [...all].reduce((total, cost) => total + Math.max(1, cost), 0);

test('a frame takes at least one job, and more only within the budget', () => {
  fc.assert(
    fc.property(costs, costs, fc.integer({ min: 1, max: 12 }), (first, second, budget) => {
      const queues = [toQueue('a', first), toQueue('b', second)];
      const all = new Map(queues.flatMap((queue) => [...queue]));
      const taken = [...takeJobs(queues, budget)];
      expect(taken.length > 0).toBe(all.size > 0);
      const spent = sum(taken.map((job) => all.get(job) ?? 0));
      expect(taken.length <= 1 || spent <= budget).toBe(true);
      expect(queues.reduce((left, queue) => left + queue.size, taken.length)).toBe(all.size);
    }),
  );
});

test('every job is taken in order, after as many frames as needed', () => {
  fc.assert(
    fc.property(costs, (all) => {
      const queue = toQueue('a', all);
      const expected = [...queue.keys()];
      const taken: string[] = [];
      while (queue.size > 0) taken.push(...takeJobs([queue], 8));
      expect(taken).toEqual(expected);
    }),
  );
});

test('the more urgent queue comes first, and jobs added meanwhile still fit into the frame', () => {
  const urgent = new Map([['first', 2]]);
  const other = new Map([['last', 2]]);
  const taken: string[] = [];
  for (const job of takeJobs([urgent, other], 10)) {
    if (job === 'first') urgent.set('added', 2);
    taken.push(job);
  }
  expect(taken).toEqual(['first', 'added', 'last']);
});
