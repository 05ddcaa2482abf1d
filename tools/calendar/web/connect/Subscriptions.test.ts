import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { formatAge } = await loadWithWindow(() => import('./Subscriptions.tsx'));

test.each([
  [-5, 'just now'],
  [59, 'just now'],
  [60, '1 min ago'],
  [59 * 60 + 59, '59 min ago'],
  [3600, '1 h ago'],
  [47 * 3600, '47 h ago'],
  [48 * 3600, '2 days ago'],
])('%i seconds are %s', (seconds, words) => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(formatAge(new Date(now - seconds * 1000).toISOString(), now)).toBe(words);
});
