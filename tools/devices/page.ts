import type { Page } from '#platform/contract/page.ts';

/** The page that leads a new account to its first paired computer. */
export const pairPage: Page = {
  path: '/dashboard/settings/pair',
  title: 'Pair your computer',
  needsLogin: true,
  frame: 'bare',
};
