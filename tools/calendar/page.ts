import type { Page } from '#platform/contract/page.ts';

export const calendarPage: Page = {
  path: '/calendar',
  title: 'Calendar',
  needsLogin: true,
  key: 'c',
  card: {
    group: 'High Effort Projects',
    title: 'Calendar',
    description: 'Single, repeating and multi-day events with tags and history',
  },
};

export const calendarV2Page: Page = {
  path: '/calendarv2',
  title: 'Calendar v2',
  needsLogin: true,
  card: { group: 'Unfinished / broken', title: 'Calendar v2', description: 'A placeholder' },
};
