import type { Page } from 'playwright-core';
import type { OpenBrowser, OpenOptions } from './browser.ts';
import type { TestAccount, TestServer } from './server.ts';

/** A page that is signed in by the stored token, as after 'Stay logged in'. */
export const openSignedIn = (
  { browser, server }: { readonly browser: OpenBrowser; readonly server: TestServer },
  { token }: TestAccount,
  path: string,
  options: OpenOptions = {},
): Promise<Page> => browser.open(server.origin, path, { token, ...options });
