import type { Page } from 'playwright-core';
import type { OpenBrowser, OpenOptions } from './browser.ts';
import type { TestAccount, TestServer } from './server.ts';

/** A page that is signed in by the stored token, as after 'Stay logged in'. */
export const openSignedIn = async (
  { browser, server }: { readonly browser: OpenBrowser; readonly server: TestServer },
  account: TestAccount,
  path: string,
  options: OpenOptions = {},
): Promise<Page> => {
  const page = await browser.open(server.origin, '/dashboard/about', options);
  await page.context().addCookies([{ name: 'usertoken', value: account.token, url: new URL('/', page.url()).href }]);
  await page.goto(path);
  return page;
};
