import { afterAll, beforeAll } from 'vitest';
import { getSkipReason } from '#testing/machine.ts';
import { startServer, type TestAccount, type TestServer } from '../server/server.ts';
import { startBrowser, type TestBrowser } from './browser.ts';

/** One server and one Chromium for all tests of a file. */
export interface TestSite {
  /** Why Chromium can't run here: for `describe.skipIf(site.skipReason)` and the name of the group. */
  readonly skipReason: string | undefined;
  readonly server: TestServer;
  readonly browser: TestBrowser;
  /** Creates an account with a name of its own. */
  readonly createPerson: () => Promise<TestAccount>;
}

type Options = Parameters<typeof startServer>[0];

/**
 * Starts a server and a browser before the tests of a file, and closes them afterwards.
 * @param options a function if they depend on earlier hooks; hooks that need the site are registered after this call
 */
export function startTestSite(options: Options | (() => Promise<Options>) = {}): TestSite {
  const isCluster = typeof options === 'object' && options.isCluster === true;
  const skipReason = getSkipReason('chromium', ...(isCluster ? (['initdb', 'redis-server'] as const) : []));
  let running: { readonly server: TestServer; readonly browser: TestBrowser } | undefined;
  beforeAll(async () => {
    if (skipReason !== undefined) return;
    const resolvedOptions = typeof options === 'function' ? await options() : options;
    running = { server: await startServer(resolvedOptions), browser: await startBrowser() };
  });
  afterAll(async () => {
    await running?.browser[Symbol.asyncDispose]();
    await running?.server[Symbol.asyncDispose]();
  });
  let personCount = 0;
  function getRunning() {
    if (!running) throw new Error('the site runs only during tests');
    return running;
  }
  return {
    skipReason,
    get server() {
      return getRunning().server;
    },
    get browser() {
      return getRunning().browser;
    },
    createPerson: () => getRunning().server.createAccount(`person ${++personCount}`),
  };
}
