import type { Page } from '#platform/contract/page.ts';

export const examplePage: Page = {
  path: '/example',
  title: 'Example',
  needsLogin: true,
  card: {
    group: 'Low Effort Projects',
    title: 'Example',
    description: 'Write short notes and read them on every device',
  },
};
