import type { Page } from '#platform/contract/page.ts';

export const dashboardPage: Page = {
  path: '/dashboard',
  title: 'Dashboard',
  needsLogin: true,
  key: 'd',
  card: {
    group: 'High Effort Projects',
    title: 'Remote access client',
    description: 'Type, press shortcuts and run scripts on your computer.',
  },
};

export const aboutPage: Page = { path: '/dashboard/about', title: 'About', needsLogin: false };
