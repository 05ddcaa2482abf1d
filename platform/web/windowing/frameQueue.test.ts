import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LANES_PER_FRAME } from './frameBudget.ts';
import { queueRender } from './frameQueue.ts';

/** Callbacks of the next frame. */
let callbacks: (() => void)[] = [];
const runNextFrame = (): void => {
  const calls = callbacks;
  callbacks = [];
  for (const call of calls) call();
  vi.runAllTimers();
};

const layOut = vi.fn();

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

const lanes = LANES_PER_FRAME;

describe('the frame queue', () => {
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
    let most = 0;
    for (let picture = 0; picture < 100; picture += 1) {
      queueRender(() => undefined, { urgency: 'shown', lanes });
      if (picture % 10 === 0) {
        there += 1;
        queueRender(() => (there -= 1), { urgency: 'gone', lanes: 4 * lanes });
      }
      most = Math.max(most, there);
      runNextFrame();
    }
    expect(most).toBeLessThanOrEqual(2);
  });
});
