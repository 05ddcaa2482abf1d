import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { queueRender, LANES_PER_FRAME } from './frameQueue.ts';

/** Callbacks of the next frame. */
let asked: (() => void)[] = [];
const nextPicture = (): void => {
  const calls = asked;
  asked = [];
  for (const call of calls) call();
  vi.runAllTimers();
};

const layOut = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  layOut.mockReset();
  vi.stubGlobal('document', { documentElement: { getBoundingClientRect: layOut } });
  vi.stubGlobal('requestAnimationFrame', (call: () => void) => asked.push(call));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const lanes = LANES_PER_FRAME;

describe('the frame queue', () => {
  test('does as much per frame as there is time for, visible content first', () => {
    const done: string[] = [];
    queueRender(() => done.push('gone'), { urgency: 'gone', lanes });
    queueRender(() => done.push('coming'), { urgency: 'coming', lanes });
    queueRender(() => done.push('half'), { urgency: 'shown', lanes: lanes / 2 });
    queueRender(() => done.push('other half'), { urgency: 'shown', lanes: lanes / 2 });
    nextPicture();
    expect(done).toEqual(['half', 'other half']);
    nextPicture();
    nextPicture();
    expect(done).toEqual(['half', 'other half', 'coming', 'gone']);
  });

  test('lays out finished jobs before the next frame', () => {
    const done: string[] = [];
    layOut.mockImplementation(() => done.push('laid out'));
    queueRender(() => done.push('a name'), { urgency: 'shown', lanes: 1 });
    queueRender(() => done.push('another'), { urgency: 'shown', lanes: 1 });
    nextPicture();
    expect(done).toEqual(['a name', 'another', 'laid out']);
  });

  test('does not run cancelled jobs', () => {
    const done: string[] = [];
    const callOff = queueRender(() => done.push('called off'), { urgency: 'shown', lanes });
    callOff();
    nextPicture();
    expect(done).toEqual([]);
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
      nextPicture();
    }
    expect(most).toBeLessThanOrEqual(2);
  });
});
