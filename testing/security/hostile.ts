import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { navigate, waitForIdle, type OpenPageOptions } from '../kits/browser/browser.ts';
import { openLoggedIn } from '../kits/browser/openLoggedIn.ts';
import type { TestSite } from '../kits/browser/site.ts';
import type { TestAccount } from '../kits/server/server.ts';

/** Texts that must not run, make requests or break the layout wherever they are shown. Short enough for messages. */
export const HOSTILE_TEXTS: readonly string[] = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload=window.hacked=1><iframe srcdoc="<script>parent.hacked=1</script>">',
  "javascript:window.hacked=1//' onmouseover='window.hacked=1",
  '[press me](javascript:window.hacked=1) ![x](http://elsewhere.invalid/x.png) <http://elsewhere.invalid>',
  '{{constructor.constructor("window.hacked=1")()}} ${window.hacked=1}',
  `\u202e${'gnol'.repeat(10)}\u202c \u0007\u001b[31m`,
  'W'.repeat(200),
  'a\u0301'.repeat(100),
  '</textarea></title></style><style>*{display:none!important}</style><meta http-equiv=refresh content=0;url=/backy>',
  '__proto__',
];
/** Names of devices are shorter, and contain no control characters. */
export const HOSTILE_NAME = '"><img src=x onerror=window.hacked=1>';

/** Checks that no text ran or broke the layout of the page. */
export async function expectUntouched(page: Page): Promise<void> {
  await waitForIdle(page);
  const pageState = await page.evaluate(() => ({
    hacked: 'hacked' in window,
    path: location.pathname,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    isShown: getComputedStyle(document.querySelector('h1') ?? document.body).display !== 'none',
  }));
  expect(pageState).toEqual({ hacked: false, path: pageState.path, overflow: 0, isShown: true });
  expect(pageState.path).not.toBe('/backy');
}

/** Navigates to another page of the site, and waits until its heading is shown. */
export async function goToPage(page: Page, path: string, title: string): Promise<void> {
  await navigate(page, path);
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor({ state: 'attached' });
}

/**
 * Creates a function that opens pages which fail the test if a text runs,
 * makes a request or exceeds the window's width.
 */
export function createGuardedOpen(site: TestSite) {
  return async (owner: TestAccount, path: string, options: OpenPageOptions): Promise<Page> => {
    const strays: string[] = [];
    async function watch(page: Page): Promise<void> {
      page.on('dialog', (dialog) => {
        strays.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(site.server.origin)) strays.push(`request: ${request.url()}`);
      });
    }
    const page = await openLoggedIn(site, owner, path, { ...options, before: watch });
    onTestFinished(() => expect(strays).toEqual([]));
    await page.locator('h1').first().waitFor({ state: 'attached' });
    return page;
  };
}
