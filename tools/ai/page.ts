import type { Page } from '#platform/contract/page.ts';

export const promptPage: Page = {
  path: '/qai',
  title: 'AI prompt',
  needsLogin: false,
  card: {
    group: 'Unfinished / broken',
    title: 'AI prompt',
    description: 'Ask an AI and read the answer as it arrives',
  },
};
