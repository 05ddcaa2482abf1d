import type { Page } from 'playwright-core';
import { lineOf, type OpenBrowser, type OpenOptions } from './browser.ts';
import type { TestAccount, TestServer } from './server.ts';

interface Site {
  readonly browser: OpenBrowser;
  readonly server: TestServer;
}

/** A page that is signed in by the stored token, as after 'Stay logged in'. */
export const openSignedIn = (
  { browser, server }: Site,
  { token }: TestAccount,
  path: string,
  options: OpenOptions = {},
): Promise<Page> => browser.open(server.origin, path, { token, ...options });

/** The same, with its line standing. */
export const openWithLine = async (
  site: Site,
  account: TestAccount,
  path: string,
  options: OpenOptions = {},
): Promise<Page> => {
  let line: Promise<void> | undefined;
  const page = await openSignedIn(site, account, path, {
    ...options,
    before: async (blank) => {
      line = lineOf(blank);
      await options.before?.(blank);
    },
  });
  await line;
  return page;
};
