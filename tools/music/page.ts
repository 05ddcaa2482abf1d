import type { Page } from '#platform/contract/page.ts';

export const musicPage: Page = {
  path: '/musicmusic',
  title: 'Music',
  needsLogin: true,
  key: 'l',
  opensWithoutToken: true,
  card: {
    group: 'High Effort Projects',
    title: 'Music manager',
    description: 'Download songs from video links, and play them in playlists',
  },
};
