import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stageOf, watched, type Watched } from './readiness.ts';

const SECOND = 1000;

test('a file that grows, or is written anew, is waited for; one that stood still for ten seconds is asked for its length', () => {
  let file: Watched | undefined;
  for (let second = 0; second < 60; second += 5) {
    file = watched(file, { size: second, mtimeMs: second }, second * SECOND);
    expect(stageOf(file, second * SECOND)).toBe('wait');
  }
  for (const [second, stage] of [
    [60, 'wait'],
    [64, 'wait'],
    [65, 'ask'],
    [654, 'ask'],
    [655, 'save'],
  ] as const) {
    file = watched(file, { size: 55, mtimeMs: 55 }, second * SECOND);
    expect(stageOf(file, second * SECOND)).toBe(stage);
  }
  file = watched(file, { size: 55, mtimeMs: 56 }, 700 * SECOND);
  expect(stageOf(file, 700 * SECOND)).toBe('wait');
});

test('an empty file is never asked for its length, and given up on after ten minutes like any other', () => {
  const file = watched(undefined, { size: 0, mtimeMs: 0 }, 0);
  expect([9, 10, 599, 600].map((second) => stageOf(file, second * SECOND))).toEqual(['wait', 'wait', 'wait', 'save']);
});

test('however often it is looked at, a file is taken only after ten seconds without a change', () => {
  const steps = fc.array(fc.record({ wait: fc.nat(20_000), grows: fc.boolean() }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (looks) => {
      let now = 0;
      let size = 1;
      let changed = 0;
      let file = watched(undefined, { size, mtimeMs: 0 }, now);
      for (const { wait, grows } of looks) {
        now += wait;
        if (grows) {
          size += 1;
          changed = now;
        }
        file = watched(file, { size, mtimeMs: 0 }, now);
        expect(stageOf(file, now) === 'wait').toBe(now - changed < 10_000);
      }
    }),
  );
});
