import { describe, expect, test } from 'vitest';
import { navigate } from '#testing/kits/browser/browser.ts';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { pageList } from '../../server/pages.ts';

const { getOfflineText } = await loadWithWindow(() => import('./ShellFrame.tsx'));

const site = startTestSite();
const SAVED_OFFLINE_TEXT = 'Offline. Changes are stored in this browser and sent when the connection is back';
const UNSAVED_OFFLINE_TEXT = 'Offline. The server cannot be reached, so your changes may not be saved';

describe.skipIf(site.skipReason)(`the status strip (${site.skipReason ?? 'in Chromium'})`, () => {
  test('offline, every page says whether its changes are saved', async () => {
    const page = await openLoggedIn(site, await site.server.createAccount('owner'), '/shopplanner', {
      expects: /ERR_|Failed to load|WebSocket/,
    });
    await page.getByRole('button', { name: 'Create' }).first().waitFor();
    await page.route(/\/(api|healthz)/, (route) => route.abort());
    await page.evaluate(() => dispatchEvent(new Event('offline')));
    const storingPages = pageList.filter(({ keepsChanges }) => keepsChanges === true);
    expect(storingPages.map(({ path }) => path)).toContain('/shopplanner');
    for (const listedPage of pageList) {
      if (listedPage.frame === 'bare') continue;
      // With the same text on two pages, the second check could pass too early.
      const text = getOfflineText(listedPage);
      await navigate(page, text === SAVED_OFFLINE_TEXT ? '/timetable' : '/shopplanner');
      await page
        .getByText(text === SAVED_OFFLINE_TEXT ? UNSAVED_OFFLINE_TEXT : SAVED_OFFLINE_TEXT, { exact: true })
        .waitFor();
      await navigate(page, listedPage.path);
      await page.getByText(text, { exact: true }).waitFor();
    }
  });

  test.each([1280, 690, 390])(
    'at a width of %i px, no notice covers Search in the calendar, with or without a strip',
    async (width) => {
      const page = await openLoggedIn(site, await site.server.createAccount(`searcher ${width}`), '/calendar', {
        expects: /ERR_|Failed to load|WebSocket/,
      });
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      const searchButton = page.getByRole('search').getByRole('button', { name: 'Search' });
      const notices = page.getByRole('region', { name: 'Notices' });
      async function getGap(): Promise<number> {
        const [above, below] = await Promise.all([
          searchButton.evaluate((element) => element.getBoundingClientRect().bottom),
          notices.evaluate((element) => element.getBoundingClientRect().top),
        ]);
        return below - above;
      }
      await searchButton.waitFor();
      expect(await getGap()).toBeGreaterThanOrEqual(0);
      await page.route(/\/(api|healthz)/, (route) => route.abort());
      await page.evaluate(() => dispatchEvent(new Event('offline')));
      await page.getByText(/^Offline\./).waitFor();
      await expect.poll(getGap).toBeGreaterThanOrEqual(0);
    },
  );
});
