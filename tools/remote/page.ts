import type { Page } from '#platform/contract/page.ts';

export const dashboardPage: Page = {
  path: '/dashboard',
  title: 'Dashboard',
  needsLogin: true,
  key: 'd',
  offlineText: 'Offline. Your text stays here until you send it again',
  card: {
    group: 'High Effort Projects',
    title: 'Remote access',
    description: 'Type, press keys and move the mouse on your computers from here',
  },
};

/** Opened full screen from the mouse panel, or from a phone's home screen. */
export const touchpadPage: Page = { path: '/dashboard/touchpad', title: 'Touchpad', needsLogin: true, frame: 'bare' };

export const aboutPage: Page = { path: '/dashboard/about', title: 'About', needsLogin: false };
