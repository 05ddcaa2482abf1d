import type { Page } from '#platform/contract/page.ts';

export const mixerPage: Page = {
  path: '/mixer',
  title: 'Mixer',
  needsLogin: true,
  key: 'm',
  opensWithoutToken: true,
  card: {
    group: 'Low Effort Projects',
    title: 'Sound mixer',
    description: 'A volume slider for every app that plays sound',
  },
};
