import type { Page } from '#platform/contract/page.ts';

export const statusPage: Page = { path: '/sleepstatus', title: 'Chat status', needsLogin: false };
