import type { Page } from '#platform/contract/page.ts';

/** How a phone or computer learns to trust the HTTPS certificate of this server. */
export const trustPage: Page = { path: '/trust', title: 'Trust this server', needsLogin: false, frame: 'bare' };
