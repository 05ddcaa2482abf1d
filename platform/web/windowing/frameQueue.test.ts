import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LANES_PER_FRAME, queueRender, takeJobs } from './frameQueue.ts';

const costs = fc.array(fc.nat({ max: 6 }), { maxLength: 12 });
const toQueue = (name: string, allCosts: readonly number[]) =>
  new Map(allCosts.map((cost, index) => [`${name}${index}`, cost] as const));
const sumCosts = (allCosts: Iterable<number>): number =>
  [...allCosts].reduce((total, cost) => total + Math.max(1, cost), 0);

test('a frame takes at least one job, and more only within the budget', () => {
  fc.assert(
    fc.property(costs, costs, fc.integer({ min: 1, max: 12 }), (first, second, budget) => {
      const queues = [toQueue('a', first), toQueue('b', second)];
      const allCosts = new Map(queues.flatMap((queue) => [...queue]));
      const takenJobs = [...takeJobs(queues, budget)];
      expect(takenJobs.length > 0).toBe(allCosts.size > 0);
      const spent = sumCosts(takenJobs.map((job) => allCosts.get(job) ?? 0));
      expect(takenJobs.length <= 1 || spent <= budget).toBe(true);
      expect(queues.reduce((left, queue) => left + queue.size, takenJobs.length)).toBe(allCosts.size);
    }),
  );
});

test('every job is taken in order, after as many frames as needed', () => {
  fc.assert(
    fc.property(costs, (allCosts) => {
      const queue = toQueue('a', allCosts);
      const expected = [...queue.keys()];
      const takenJobs: string[] = [];
      while (queue.size > 0) takenJobs.push(...takeJobs([queue], 8));
      expect(takenJobs).toEqual(expected);
    }),
  );
});

test('the more urgent queue comes first, and jobs added meanwhile still fit into the frame', () => {
  const urgent = new Map([['first', 2]]);
  const other = new Map([['last', 2]]);
  const takenJobs: string[] = [];
  for (const job of takeJobs([urgent, other], 10)) {
    if (job === 'first') urgent.set('added', 2);
    takenJobs.push(job);
  }
  expect(takenJobs).toEqual(['first', 'added', 'last']);
});

/** Callbacks of the next frame. */
let callbacks: (() => void)[] = [];
function runNextFrame(): void {
  const frameCallbacks = callbacks;
  callbacks = [];
  for (const callback of frameCallbacks) callback();
  vi.runAllTimers();
}

const forceLayout = vi.fn();

const lanes = LANES_PER_FRAME;

describe('the frame queue', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    forceLayout.mockReset();
    vi.stubGlobal('document', { documentElement: { getBoundingClientRect: forceLayout } });
    vi.stubGlobal('requestAnimationFrame', (callback: () => void) => callbacks.push(callback));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('does as much per frame as there is time for, visible content first', () => {
    const finishedJobs: string[] = [];
    queueRender(() => finishedJobs.push('gone'), { urgency: 'gone', lanes });
    queueRender(() => finishedJobs.push('coming'), { urgency: 'coming', lanes });
    queueRender(() => finishedJobs.push('half'), { urgency: 'shown', lanes: lanes / 2 });
    queueRender(() => finishedJobs.push('other half'), { urgency: 'shown', lanes: lanes / 2 });
    runNextFrame();
    expect(finishedJobs).toEqual(['half', 'other half']);
    runNextFrame();
    runNextFrame();
    expect(finishedJobs).toEqual(['half', 'other half', 'coming', 'gone']);
  });

  test('lays out finished jobs before the next frame', () => {
    const finishedJobs: string[] = [];
    forceLayout.mockImplementation(() => finishedJobs.push('laid out'));
    queueRender(() => finishedJobs.push('a name'), { urgency: 'shown', lanes: 1 });
    queueRender(() => finishedJobs.push('another'), { urgency: 'shown', lanes: 1 });
    runNextFrame();
    expect(finishedJobs).toEqual(['a name', 'another', 'laid out']);
  });

  test('does not run cancelled jobs', () => {
    const finishedJobs: string[] = [];
    const cancel = queueRender(() => finishedJobs.push('cancelled'), { urgency: 'shown', lanes });
    cancel();
    runNextFrame();
    expect(finishedJobs).toEqual([]);
  });

  test('unmounts distant content during an endless scroll too', () => {
    let mountedCount = 0;
    let maxMountedCount = 0;
    for (let picture = 0; picture < 100; picture += 1) {
      queueRender(() => undefined, { urgency: 'shown', lanes });
      if (picture % 10 === 0) {
        mountedCount += 1;
        queueRender(() => (mountedCount -= 1), { urgency: 'gone', lanes: 4 * lanes });
      }
      maxMountedCount = Math.max(maxMountedCount, mountedCount);
      runNextFrame();
    }
    expect(maxMountedCount).toBeLessThanOrEqual(2);
  });
});
