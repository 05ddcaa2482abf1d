import type { Page } from 'playwright-core';
import type { TestAccount, TestServer } from '../server/server.ts';
import { waitForConnection, type TestBrowser, type OpenPageOptions } from './browser.ts';

interface Site {
  readonly browser: TestBrowser;
  readonly server: TestServer;
}

/** Opens a page that is logged in with a stored token, as after 'Stay logged in'. */
export function openLoggedIn(
  { browser, server }: Site,
  { token }: TestAccount,
  path: string,
  options: OpenPageOptions = {},
): Promise<Page> {
  return browser.openPage(server.origin, path, { token, ...options });
}

/** Like `openLoggedIn`, and waits until the page is connected. */
export async function openConnected(
  site: Site,
  account: TestAccount,
  path: string,
  options: OpenPageOptions = {},
): Promise<Page> {
  let line: Promise<void> | undefined;
  const page = await openLoggedIn(site, account, path, {
    ...options,
    before: async (blank) => {
      line = waitForConnection(blank);
      await options.before?.(blank);
    },
  });
  await line;
  return page;
}
