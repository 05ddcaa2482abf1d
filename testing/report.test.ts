import { expect, test } from 'vitest';
import { formatCosts } from './report.ts';

test('files are sorted by work, long tests by time, and the last line sums up', () => {
  const lines = formatCosts(
    [
      { path: 'quick.test.ts', wallSeconds: 0.2, cost: { coreSeconds: 0.1, openings: 0 } },
      { path: 'broken.test.ts', wallSeconds: 1, cost: undefined },
      { path: 'pages.e2e.ts', wallSeconds: 20, cost: { coreSeconds: 31.4, openings: 30 } },
    ],
    [
      { name: 'quick.test.ts: adds', wallSeconds: 0.01 },
      { name: 'pages.e2e.ts: opens', wallSeconds: 12 },
    ],
  );
  expect(lines).toEqual([
    'The 3 slowest files:',
    '  wall s  core s   pages  file',
    '    20.0    31.4      30  pages.e2e.ts',
    '     0.2     0.1       0  quick.test.ts',
    '     1.0     0.0       0  broken.test.ts',
    'Tests of 10 s or more:',
    '    12.0  pages.e2e.ts: opens',
    '3 files: 32 core-seconds, 30 page openings',
  ]);
});

test('at most thirty files are listed, and all are counted', () => {
  const files = Array.from({ length: 40 }, (_, at) => ({
    path: `${at}.test.ts`,
    wallSeconds: 1,
    cost: { coreSeconds: at, openings: 1 },
  }));
  const lines = formatCosts(files, []);
  expect(lines).toHaveLength(33);
  expect(lines[2]).toContain('39.test.ts');
  expect(lines.at(-1)).toBe('40 files: 780 core-seconds, 40 page openings');
});
