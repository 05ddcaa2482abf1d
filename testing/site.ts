import { afterAll, beforeAll } from 'vitest';
import { startBrowser, type OpenBrowser } from './browser.ts';
import { lacks } from './machine.ts';
import { startServer, type TestServer } from './server.ts';

/** One server and one Chromium for all tests of a file. */
export interface TestSite {
  /** Why there is none here: for `describe.skipIf(site.lack)` and the name of the group. */
  readonly lack: string | undefined;
  readonly server: TestServer;
  readonly browser: OpenBrowser;
}

/** Starts both before the file's tests and closes them behind. Hooks that need the site are registered after this. */
export const serveSite = (options: Parameters<typeof startServer>[0] = {}): TestSite => {
  const lack = lacks('chromium');
  let running: { readonly server: TestServer; readonly browser: OpenBrowser } | undefined;
  beforeAll(async () => {
    if (lack === undefined) running = { server: await startServer(options), browser: await startBrowser() };
  });
  afterAll(async () => {
    await running?.browser[Symbol.asyncDispose]();
    await running?.server[Symbol.asyncDispose]();
  });
  const started = () => {
    if (!running) throw new Error('the site is there within the tests only');
    return running;
  };
  return {
    lack,
    get server() {
      return started().server;
    },
    get browser() {
      return started().browser;
    },
  };
};
