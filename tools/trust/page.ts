import type { Page } from '#platform/contract/page.ts';

/** How a phone or computer comes to trust the server's own https. */
export const trustPage: Page = { path: '/trust', title: 'Trust this server', needsLogin: false, frame: 'bare' };
