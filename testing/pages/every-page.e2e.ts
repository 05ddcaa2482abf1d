import { beforeAll, describe, expect, test } from 'vitest';
import { pages } from '../../apps/server/pages.ts';
import { findBarriers } from '../axe.ts';
import { settle, type OpenOptions } from '../browser.ts';
import type { TestAccount } from '../server.ts';
import { serveSite } from '../site.ts';

const site = serveSite();
/** The browser itself says so of the address that has no page and of the picture that is not there. */
const EXPECTED = /404 \(Not Found\).*\/(nowhere|images\/none)/;
/** Some thirty pages with a look at each, on a machine that may be busy. */
const PATIENCE = 240_000;
const all = [...pages, '/test#components', '/nowhere'];

describe.skipIf(site.lack)(`every page${site.lack === undefined ? '' : `, ${site.lack}`}`, () => {
  let owner: TestAccount;
  beforeAll(async () => {
    owner = await site.server.account('owner');
  });

  const visitAll = async (
    options: OpenOptions,
    { signedIn, withAxe = true }: { readonly signedIn: boolean; readonly withAxe?: boolean },
    look: (path: string, found: readonly string[]) => void,
  ): Promise<void> => {
    const page = await site.browser.open(site.server.origin, '/', { ...options, expects: EXPECTED });
    if (signedIn)
      await page.context().addCookies([{ name: 'usertoken', value: owner.token, url: new URL('/', page.url()).href }]);
    for (const path of all) {
      // Through an address of its own: with only a fragment changed, nothing would be opened anew.
      await page.goto('about:blank');
      await page.goto(path);
      await page
        .locator(path === '/backy' ? 'main' : 'h1')
        .first()
        .waitFor({ state: 'attached' });
      await settle(page);
      if (path === '/backy') continue; // Blank on purpose, its title too.
      look(path, withAxe ? await findBarriers(page) : []);
    }
  };

  test.for<OpenOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])(
    'opens signed in, breaks no rule of its policy and has no barrier: $size $scheme',
    { timeout: PATIENCE },
    async (options) => {
      const barriers: string[] = [];
      await visitAll(options, { signedIn: true }, (path, found) =>
        barriers.push(...found.map((each) => `${path}: ${each}`)),
      );
      expect(barriers).toEqual([]);
    },
  );

  test(
    'opens for a visitor on a phone over plain http under a name, where no context is secure',
    { timeout: PATIENCE },
    async () => {
      const barriers: string[] = [];
      await visitAll({ size: 'phone', plainHttp: true }, { signedIn: false }, (path, found) =>
        barriers.push(...found.map((each) => `${path}: ${each}`)),
      );
      expect(barriers).toEqual([]);
    },
  );

  test('opens signed in over plain http under a name', { timeout: PATIENCE }, async () => {
    await visitAll({ size: 'phone', plainHttp: true }, { signedIn: true, withAxe: false }, () => undefined);
  });

  test('no page is wider than a phone', { timeout: PATIENCE }, async () => {
    const page = await site.browser.open(site.server.origin, '/', { size: 'phone', expects: EXPECTED });
    await page.context().addCookies([{ name: 'usertoken', value: owner.token, url: site.server.origin }]);
    await page.setViewportSize({ width: 320, height: 700 });
    const wider: string[] = [];
    for (const path of all) {
      await page.goto('about:blank');
      await page.goto(path);
      await settle(page);
      const isWider = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('main')].some(
          (part) => part.scrollWidth > part.clientWidth,
        ),
      );
      if (isWider) wider.push(path);
    }
    expect(wider).toEqual([]);
  });
});
