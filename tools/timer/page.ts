import type { Page } from '#platform/contract/page.ts';

export const timerPage: Page = {
  path: '/stopwatch',
  title: 'Timer',
  needsLogin: false,
  isLocal: true,
  key: 'w',
  card: {
    group: 'Low Effort Projects',
    title: 'Stopwatch / timer',
    description: 'A countdown that repeats, with an alarm sound',
  },
};

export const timerHelpPage: Page = {
  path: '/stopwatch/minify',
  title: 'Timer in a small window',
  needsLogin: false,
  isLocal: true,
};
