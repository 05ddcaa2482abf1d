import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_COST_PER_FRAME, queueRender, takeTasks } from './frameQueue.ts';

const costs = fc.array(fc.nat({ max: 6 }), { maxLength: 12 });
const toQueue = (name: string, allCosts: readonly number[]) =>
  new Map(allCosts.map((cost, index) => [`${name}${index}`, cost] as const));
const sumCosts = (allCosts: Iterable<number>): number =>
  [...allCosts].reduce((total, cost) => total + Math.max(1, cost), 0);

test('a frame takes at least one task, and more only within the budget', () => {
  fc.assert(
    fc.property(costs, costs, fc.integer({ min: 1, max: 12 }), (first, second, budget) => {
      const queues = [toQueue('a', first), toQueue('b', second)];
      const allCosts = new Map(queues.flatMap((queue) => [...queue]));
      const takenTasks = [...takeTasks(queues, budget)];
      expect(takenTasks.length > 0).toBe(allCosts.size > 0);
      const spent = sumCosts(takenTasks.map((task) => allCosts.get(task) ?? 0));
      expect(takenTasks.length <= 1 || spent <= budget).toBe(true);
      expect(queues.reduce((left, queue) => left + queue.size, takenTasks.length)).toBe(allCosts.size);
    }),
  );
});

test('every task is taken in order, after as many frames as needed', () => {
  fc.assert(
    fc.property(costs, (allCosts) => {
      const queue = toQueue('a', allCosts);
      const expected = [...queue.keys()];
      const takenTasks: string[] = [];
      while (queue.size > 0) takenTasks.push(...takeTasks([queue], 8));
      expect(takenTasks).toEqual(expected);
    }),
  );
});

test('the more urgent queue comes first, and tasks added meanwhile still fit into the frame', () => {
  const urgent = new Map([['first', 2]]);
  const other = new Map([['last', 2]]);
  const takenTasks: string[] = [];
  for (const task of takeTasks([urgent, other], 10)) {
    if (task === 'first') urgent.set('added', 2);
    takenTasks.push(task);
  }
  expect(takenTasks).toEqual(['first', 'added', 'last']);
});

let callbacks: (() => void)[] = [];
function runNextFrame(): void {
  const frameCallbacks = callbacks;
  callbacks = [];
  for (const callback of frameCallbacks) callback();
  vi.runAllTimers();
}

const forceLayout = vi.fn();

const fullCost = MAX_COST_PER_FRAME;

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
    const finishedTasks: string[] = [];
    queueRender(() => finishedTasks.push('offscreen'), { urgency: 'offscreen', cost: fullCost });
    queueRender(() => finishedTasks.push('near'), { urgency: 'near', cost: fullCost });
    queueRender(() => finishedTasks.push('half'), { urgency: 'visible', cost: fullCost / 2 });
    queueRender(() => finishedTasks.push('other half'), { urgency: 'visible', cost: fullCost / 2 });
    runNextFrame();
    expect(finishedTasks).toEqual(['half', 'other half']);
    runNextFrame();
    runNextFrame();
    expect(finishedTasks).toEqual(['half', 'other half', 'near', 'offscreen']);
  });

  test('lays out finished tasks before the next frame', () => {
    const finishedTasks: string[] = [];
    forceLayout.mockImplementation(() => finishedTasks.push('laid out'));
    queueRender(() => finishedTasks.push('a name'), { urgency: 'visible', cost: 1 });
    queueRender(() => finishedTasks.push('another'), { urgency: 'visible', cost: 1 });
    runNextFrame();
    expect(finishedTasks).toEqual(['a name', 'another', 'laid out']);
  });

  test('does not run cancelled tasks', () => {
    const finishedTasks: string[] = [];
    const cancel = queueRender(() => finishedTasks.push('cancelled'), { urgency: 'visible', cost: fullCost });
    cancel();
    runNextFrame();
    expect(finishedTasks).toEqual([]);
  });

  test('unmounts distant content during an endless scroll too', () => {
    let mountedCount = 0;
    let maxMountedCount = 0;
    for (let picture = 0; picture < 100; picture += 1) {
      queueRender(() => undefined, { urgency: 'visible', cost: fullCost });
      if (picture % 10 === 0) {
        mountedCount += 1;
        queueRender(() => (mountedCount -= 1), { urgency: 'offscreen', cost: 4 * fullCost });
      }
      maxMountedCount = Math.max(maxMountedCount, mountedCount);
      runNextFrame();
    }
    expect(maxMountedCount).toBeLessThanOrEqual(2);
  });
});
