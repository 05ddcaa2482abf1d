import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LANES_PER_FRAME, queueRender, takeJobs } from './frameQueue.ts';

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

/** Callbacks of the next frame. */
let callbacks: (() => void)[] = [];
const runNextFrame = (): void => {
  const calls = callbacks;
  callbacks = [];
  for (const call of calls) call();
  vi.runAllTimers();
};

const layOut = vi.fn();

const lanes = LANES_PER_FRAME;

describe('the frame queue', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    layOut.mockReset();
    vi.stubGlobal('document', { documentElement: { getBoundingClientRect: layOut } });
    vi.stubGlobal('requestAnimationFrame', (call: () => void) => callbacks.push(call));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('does as much per frame as there is time for, visible content first', () => {
    const ran: string[] = [];
    queueRender(() => ran.push('gone'), { urgency: 'gone', lanes });
    queueRender(() => ran.push('coming'), { urgency: 'coming', lanes });
    queueRender(() => ran.push('half'), { urgency: 'shown', lanes: lanes / 2 });
    queueRender(() => ran.push('other half'), { urgency: 'shown', lanes: lanes / 2 });
    runNextFrame();
    expect(ran).toEqual(['half', 'other half']);
    runNextFrame();
    runNextFrame();
    expect(ran).toEqual(['half', 'other half', 'coming', 'gone']);
  });

  test('lays out finished jobs before the next frame', () => {
    const ran: string[] = [];
    layOut.mockImplementation(() => ran.push('laid out'));
    queueRender(() => ran.push('a name'), { urgency: 'shown', lanes: 1 });
    queueRender(() => ran.push('another'), { urgency: 'shown', lanes: 1 });
    runNextFrame();
    expect(ran).toEqual(['a name', 'another', 'laid out']);
  });

  test('does not run cancelled jobs', () => {
    const ran: string[] = [];
    const cancel = queueRender(() => ran.push('called off'), { urgency: 'shown', lanes });
    cancel();
    runNextFrame();
    expect(ran).toEqual([]);
  });

  test('unmounts distant content during an endless scroll too', () => {
    let there = 0;
    let max = 0;
    for (let picture = 0; picture < 100; picture += 1) {
      queueRender(() => undefined, { urgency: 'shown', lanes });
      if (picture % 10 === 0) {
        there += 1;
        queueRender(() => (there -= 1), { urgency: 'gone', lanes: 4 * lanes });
      }
      max = Math.max(max, there);
      runNextFrame();
    }
    expect(max).toBeLessThanOrEqual(2);
  });
});
