import { spawnSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { countOpening, parseStat, sampleCost, takeCost } from './cost.ts';

test('processor time is that of a process and its ended children, whatever its name is', () => {
  const line = '4711 (a) name (x) S 12 4711 4711 0 -1 4194560 9 8 7 6 150 50 25 75 20 0 1 0 99 0 0';
  expect(parseStat(line)).toEqual({ parent: 12, seconds: 3 });
});

test('the time of a child counts once, and page openings count until they are taken', () => {
  takeCost();
  spawnSync(process.execPath, ['-e', 'for (const end = Date.now() + 300; Date.now() < end; );']);
  sampleCost();
  countOpening();
  countOpening();
  const cost = takeCost();
  expect(cost.coreSeconds).toBeGreaterThan(0.05);
  expect(cost.openings).toBe(2);
  const next = takeCost();
  expect(next.coreSeconds).toBeLessThan(cost.coreSeconds);
  expect(next.openings).toBe(0);
});

test('a file whose test resets modules is not charged for previous files', async () => {
  const before = globalThis.pegboardTestCost;
  expect(before?.measured).toBeGreaterThan(0);
  vi.resetModules();
  await import('./cost.ts');
  expect(globalThis.pegboardTestCost).toBe(before);
});
