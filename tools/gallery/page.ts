import type { Page } from '#platform/contract/page.ts';

export const galleryPage: Page = {
  path: '/cw',
  title: 'Video sessions',
  needsLogin: false,
  card: { group: 'Low Effort Projects', title: 'Video sessions', description: 'Recordings by session' },
};
