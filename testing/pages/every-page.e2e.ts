import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { pages } from '../../apps/server/pages.ts';
import { findBarriers, findBarriersInBoth } from '../kits/browser/axe.ts';
import { navigate, PHONE_VIEWPORT, waitForIdle, type OpenPageOptions } from '../kits/browser/browser.ts';
import { startTestSite } from '../kits/browser/site.ts';
import type { TestAccount } from '../kits/server/server.ts';

const site = startTestSite();
/** Browser messages about the unknown address and the missing picture. */
const EXPECTED = /404 \(Not Found\).*\/(nowhere|images\/none)/;
const all = [...pages, '/test#components', '/nowhere'];
/** Pages per window: opened one after another they load the site once, and no test takes minutes. */
const PAGES_PER_WINDOW = 8;
const groups = Array.from({ length: Math.ceil(all.length / PAGES_PER_WINDOW) }, (_, at) => {
  const paths = all.slice(at * PAGES_PER_WINDOW, (at + 1) * PAGES_PER_WINDOW);
  return { paths, named: paths.join(', ') };
});

/** Intentionally blank, including its title. */
const BLANK = '/backy';

const listBarriers = async (path: string, page: Page, find: typeof findBarriers): Promise<readonly string[]> =>
  path === BLANK ? [] : (await find(page)).map((each) => `${path} ${each}`);

async function isWiderThan(page: Page, width: number): Promise<boolean> {
  const before = page.viewportSize() ?? PHONE_VIEWPORT;
  await page.setViewportSize({ width, height: 700 });
  await waitForIdle(page);
  const isWider = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main')].some(
      (part) => part.scrollWidth > part.clientWidth,
    ),
  );
  await page.setViewportSize(before);
  return isWider;
}

/** Loads a page by its address, as the first of a visit. */
async function load(page: Page, path: string): Promise<void> {
  // A changed fragment alone would not load the page.
  if (new URL(page.url()).pathname === path.split('#', 1)[0]) await page.goto('about:blank');
  await page.goto(path);
}

/** Follows a link, and waits until the new page is shown: all titles are different. */
async function follow(page: Page, path: string): Promise<void> {
  const left = await page.title();
  await navigate(page, path);
  await page.waitForFunction((title) => document.title !== title, left);
}

describe.skipIf(site.skipReason)(`every page${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`, () => {
  let owner: TestAccount;
  beforeAll(async () => {
    owner = await site.server.createAccount('owner');
  });

  /** Goes to the pages in turn, waits for each, and checks it. */
  async function visit(
    paths: readonly string[],
    {
      by,
      isLoggedIn,
      ...options
    }: OpenPageOptions & { readonly by: 'address' | 'links'; readonly isLoggedIn: boolean },
    look: (path: string, page: Page) => Promise<void>,
  ): Promise<void> {
    const token = isLoggedIn ? { token: owner.token } : {};
    const page = await site.browser.openPage(site.server.origin, 'about:blank', {
      ...options,
      ...token,
      expects: EXPECTED,
    });
    for (const [at, path] of paths.entries()) {
      await (by === 'address' || at === 0 ? load(page, path) : follow(page, path));
      await page
        .locator(path === BLANK ? 'main' : 'h1')
        .first()
        .waitFor({ state: 'attached' });
      await waitForIdle(page);
      await look(path, page);
    }
  }

  describe('opens logged in, respects the CSP and has no axe violations, in a wide window and both schemes', () => {
    test.each(groups)('$named', async ({ paths }) => {
      const barriers: string[] = [];
      await visit(paths, { size: 'wide', by: 'links', isLoggedIn: true }, async (path, page) => {
        barriers.push(...(await listBarriers(path, page, findBarriersInBoth)));
      });
      expect(barriers).toEqual([]);
    });
  });

  describe('opens logged in on a phone over plain HTTP, has no axe violations in both schemes, and fits the smallest phone', () => {
    test.each(groups)('$named', async ({ paths }) => {
      const barriers: string[] = [];
      const wider: string[] = [];
      await visit(paths, { size: 'phone', plainHttp: true, by: 'links', isLoggedIn: true }, async (path, page) => {
        barriers.push(...(await listBarriers(path, page, findBarriersInBoth)));
        if (await isWiderThan(page, 320)) wider.push(path);
      });
      expect({ barriers, wider }).toEqual({ barriers: [], wider: [] });
    });
  });

  describe('opens for a visitor on a phone over plain HTTP, without a secure context', () => {
    test.for(groups)('$named', { tags: 'matrix' }, async ({ paths }) => {
      const barriers: string[] = [];
      await visit(paths, { size: 'phone', plainHttp: true, by: 'address', isLoggedIn: false }, async (path, page) => {
        barriers.push(...(await listBarriers(path, page, findBarriers)));
      });
      expect(barriers).toEqual([]);
    });
  });
});
