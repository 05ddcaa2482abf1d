import type { Page } from '#platform/contract/page.ts';

/** The first run: from an account to a paired computer. */
export const pairPage: Page = {
  path: '/dashboard/settings/pair',
  title: 'Pair your computer',
  needsLogin: true,
  frame: 'bare',
};
