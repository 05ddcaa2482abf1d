import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { countsAsPlayed, addPlayedSeconds } = await loadWithWindow(() => import('./playbackMonitor.ts'));

test('only played time counts: no jumps, and nothing twice', () => {
  let received = 0;
  const places = [0, 0.25, 0.5, 100, 100.25, 3, 4];
  for (const [index, to] of places.entries()) received = addPlayedSeconds(received, places[index - 1] ?? 0, to);
  expect(received).toBe(0.5 + 0.25 + 1);
});

test.for([
  [89, 180, false],
  [90, 180, true],
  [239, 3600, false],
  [240, 3600, true],
  [10, 0, false],
] as const)('%i s of %i counts as played: %s', ([received, duration, is]) => {
  expect(countsAsPlayed(received, duration)).toBe(is);
});
