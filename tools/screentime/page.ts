import type { Page } from '#platform/contract/page.ts';

export const screenTimePage: Page = {
  path: '/graphyv2',
  title: 'Screen time',
  needsLogin: true,
  key: 'u',
  opensWithoutToken: true,
  card: {
    group: 'High Effort Projects',
    title: 'Screen time',
    description: 'Hours per app and day, goals, and a breakdown of the last two weeks',
  },
};

export const graphsPage: Page = {
  path: '/graphy',
  title: 'Screen time graphs',
  within: '/graphyv2',
  needsLogin: true,
  opensWithoutToken: true,
};

export const categoriesPage: Page = {
  path: '/catsmmod',
  title: 'App category modder',
  within: '/graphyv2',
  needsLogin: true,
  opensWithoutToken: true,
  card: {
    group: 'Low Effort Projects',
    title: 'App category modder',
    description: 'Sort apps into categories, set hotkeys and name your devices',
  },
};
