import type { Page } from '#platform/contract/page.ts';

/** Checks what works on a computer, where `agent try` opens it. In the shell, its shortcuts would react to the keys. */
export const selfcheckPage: Page = {
  path: '/selfcheck',
  title: 'Check this computer',
  needsLogin: true,
  frame: 'bare',
};
