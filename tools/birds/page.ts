import type { Page } from '#platform/contract/page.ts';

export const birdsPage: Page = {
  path: '/birb',
  title: 'Bird tracker',
  needsLogin: false,
  card: {
    group: 'Unfinished / broken',
    title: 'Bird tracker',
    description: 'Birds and feeders, stored only until you close the page',
  },
};
