import type { Page } from '#platform/contract/page.ts';

/** Checks what works on a computer. `agent try` opens it there. The frame is bare, so that no shortcut of ours reacts. */
export const selfcheckPage: Page = {
  path: '/selfcheck',
  title: 'Check this computer',
  needsLogin: true,
  frame: 'bare',
};
