import type { Page } from '#platform/contract/page.ts';

export const pastePage: Page = {
  path: '/pastebin',
  title: 'Pastebin',
  needsLogin: false,
  card: {
    group: 'Low Effort Projects',
    title: 'Pastebin',
    description: 'Store a text here and open it on another device',
  },
};
