import { describe, expect, test } from 'vitest';
import { openConnected } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';

const site = startTestSite();
const FAILURES = 2;

describe.skipIf(site.skipReason)(`the socket of a page (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a page whose socket code failed to load connects automatically later', async () => {
    let requestCount = 0;
    await openConnected(site, await site.server.createAccount('anna'), '/messages', {
      expects: /ERR_FAILED/,
      // Socket.IO, which is not part of the first load.
      before: (page) =>
        page.route('**/assets/esm-*.js', (route) => {
          requestCount += 1;
          return requestCount <= FAILURES ? route.abort() : route.continue();
        }),
    });
    expect(requestCount).toBeGreaterThan(FAILURES);
  });
});
