import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForDialogFocus, waitForFocus, waitForConnection, waitForIdle } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { TEST_PASSWORD, type TestAccount } from '#testing/kits/server/server.ts';
import { listDayLines, openUsagePage, getDayRow, formatTimeAgo, BROWSER_ZONE } from '#testing/kits/usage/usagePage.ts';
import { pairUsageComputer, type UsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { checkaccounts, endsessions } from '#tools/accounts/contract.ts';
import { revokedevice } from '#tools/devices/contract.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight(BROWSER_ZONE);

async function createUser(): Promise<{ readonly account: TestAccount; readonly laptop: UsageComputer }> {
  const account = await site.createPerson();
  const laptop = await pairUsageComputer(site.server, account, 'laptop');
  await laptop.reportUse(
    ['firefox', 'on', formatTimeAgo(1, '09:00'), formatTimeAgo(1, '10:00')],
    ['code', 'on', formatTimeAgo(1, '10:00'), formatTimeAgo(1, '12:15')],
  );
  return { account, laptop };
}

const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
const getEntry = (page: Page): Locator => page.getByRole('list', { name: 'Apps' }).getByRole('listitem');
const LOADING = 'loading - if takes more than a few seconds, likely server error';

/** Refuses the recent or the earlier days of this application. */
const refuse = (on: Page, application: string, isEarlier = false): Promise<unknown> =>
  on.route(
    ({ searchParams }) => searchParams.get('applicationname') === application && searchParams.has('from') === isEarlier,
    (route) => route.fulfill({ json: { message: `${application} is being counted` } }),
  );

/** Runs in the page: records whether the loading text appeared together with its surroundings, or later. */
function recordLoading(): void {
  const seen = { page: false, loading: false, isLater: false };
  Object.assign(window, { seen });
  new MutationObserver(() => {
    if (!seen.loading && document.body?.textContent?.includes('loading - if takes')) {
      seen.loading = true;
      seen.isLater = seen.page;
    }
    seen.page ||= document.querySelector('[data-scroll]') !== null;
  }).observe(document, { subtree: true, childList: true });
}
const appearedLater = (page: Page): Promise<boolean> =>
  page.evaluate(() => (window as unknown as { readonly seen: { readonly isLater: boolean } }).seen.isLater);

describe.skipIf(site.skipReason)(`what /graphyv2 says (${site.skipReason ?? 'in Chromium'})`, () => {
  test('without a token the page asks for a login, which lasts 300 days, and again when the session expires', async () => {
    const { account } = await createUser();
    const page = await site.browser.openPage(site.server.origin, '/graphyv2');
    await page.getByText('User: Not logged in').waitFor();
    await page.getByLabel('Username', { exact: true }).fill(account.name);
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    const released = Promise.withResolvers<void>();
    await page.route('**/api/log', async (route) => {
      await released.promise;
      await route.continue();
    });
    await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await button(page, 'Submit').click();
    expect(await button(page, 'Loading...').isDisabled()).toBe(true);
    released.resolve();
    await page.getByText(`User: ${account.name}`).waitFor();
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'usertoken');
    expect(((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000).toBeCloseTo(300, 0);

    const { sessions } = await account.call(checkaccounts, {});
    await account.call(endsessions, { ids: sessions.filter(({ own }) => !own).map(({ id }) => id) });
    await button(page, 'Reload').click();
    await expect.poll(() => getEntry(page).allTextContents()).toEqual(['invalid token, please re-log']);
    await button(page, 'Submit').waitFor();

    // Another user who logs in sees nothing of the first.
    const other = await site.createPerson();
    await page.getByLabel('Username', { exact: true }).fill(other.name);
    await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await button(page, 'Submit').click();
    await page.getByText('No usage recorded yet').waitFor();
    await button(page, 'Pair your computer').waitFor();
  });

  test('shows refusals and connection errors, and continues when the server responds', async () => {
    const { account } = await createUser();
    const page = await openUsagePage(site, account, {
      expects: /ERR_FAILED|ERR_INTERNET_DISCONNECTED|WebSocket/,
    });
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    const released = Promise.withResolvers<void>();
    await page.route('**/api/returnapplications?*', async (route) => {
      await released.promise;
      await route.fulfill({ json: { message: 'the list is being sorted' } });
    });
    await page.route('**/api/usagecomputers', (route) => route.fulfill({ json: { message: 'no names today' } }));
    await page.addInitScript(recordLoading);
    await page.reload();
    await page.getByText(LOADING).waitFor();
    // A fast load shows no loading state.
    expect(await appearedLater(page)).toBe(true);
    released.resolve();
    await expect.poll(() => getEntry(page).allTextContents()).toEqual(['the list is being sorted']);
    await button(page, 'Device error fetching computers').waitFor();
    await page.unroute('**/api/usagecomputers');
    // Over the first page, so that its reload after connecting is never answered.
    await page.route('**/api/returnapplications?*', (route) => route.abort());
    await button(page, 'Try again').click();
    // After two automatic retries.
    await page.getByRole('alert').filter({ hasText: 'Server error' }).waitFor();
    await page.unroute('**/api/returnapplications?*');
    await button(page, 'Reload').click();
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    await button(page, 'Device All devices').waitFor();
    // The days of all computers load without the names of the computers.
    const names = Promise.withResolvers<void>();
    await page.route('**/api/usagecomputers', async (route) => {
      await names.promise;
      await route.continue();
    });
    await page.reload();
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    names.resolve();
    await page.unrouteAll({ behavior: 'wait' });
    // Offline, loaded data stays.
    await waitForIdle(page);
    await page.context().setOffline(true);
    await button(page, 'Reload').click();
    await page
      .getByText(/^Offline/)
      .first()
      .waitFor();
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    await page.context().setOffline(false);
    await page
      .getByText(/^Offline/)
      .first()
      .waitFor({ state: 'detached' });
  });

  test('an application that failed to load is named below the days, and loads by Try again', async () => {
    const { account, laptop } = await createUser();
    await laptop.reportUse(['firefox', 'on', formatTimeAgo(21, '09:00'), formatTimeAgo(21, '10:00')]);
    const page = await openUsagePage(site, account, {
      on: ['firefox', 'code'],
      before: (blank) => Promise.all([refuse(blank, 'firefox'), refuse(blank, 'total')]),
    });
    const warning = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await expect.poll(() => listDayLines(page, 1)).toEqual(['code, 2h 15m, 10:00 to 12:15']);
    await expect.poll(() => warning.textContent()).toBe('total and 1 more could not be loaded: total is being counted');
    await button(page, /^code/).first().click();
    // Nothing else is selected, which needs no message.
    await expect.poll(() => listDayLines(page, 1)).toEqual([]);
    await expect.poll(() => getEntry(page).allTextContents()).toEqual(['total is being counted']);
    await page.unrouteAll({ behavior: 'wait' });
    await button(page, 'Try again').click();
    await expect.poll(() => listDayLines(page, 1)).toEqual(['firefox, 1h 00m, 09:00 to 10:00']);
    expect(await warning.count()).toBe(0);

    await refuse(page, 'firefox', true);
    await button(page, 'Show earlier days').click();
    await warning.getByText('firefox could not be loaded: firefox is being counted').waitFor();
    await getDayRow(page, 21).scrollIntoViewIfNeeded();
    const cursor = getDayRow(page, 21).getByRole('slider');
    await cursor.focus();
    await page.keyboard.press('Home');
    expect(await cursor.getAttribute('aria-valuetext')).toContain('Not loaded yet');
    expect(await findBarriers(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await button(page, 'Try again').click();
    await expect.poll(() => listDayLines(page, 21)).toEqual(['firefox, 1h 00m, 09:00 to 10:00']);
    expect(await warning.count()).toBe(0);
  });

  test('if all together is selected and failed to load, Try again loads it', async () => {
    const { account } = await createUser();
    const line = Promise.withResolvers<void>();
    const page = await openUsagePage(site, account, {
      before: async (blank) => {
        void waitForConnection(blank).then(line.resolve);
        await blank.route('**/api/returnspecificapplication?*', (route) =>
          route.fulfill({ json: { message: 'it is being counted' } }),
        );
      },
    });
    // When it connects, the page would reload everything automatically, and succeed.
    await line.promise;
    await waitForIdle(page);
    await expect.poll(() => getEntry(page).allTextContents()).toEqual(['it is being counted']);
    await page.unrouteAll({ behavior: 'wait' });
    await button(page, 'Try again').click();
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
  });

  test('a part that failed offline is named, the days stay, and it loads after reconnecting', async () => {
    const { account } = await createUser();
    const broken = Promise.withResolvers<void>();
    const page = await openUsagePage(site, account, {
      expects: /ERR_FAILED|ERR_INTERNET_DISCONNECTED/,
      before: (blank) =>
        blank.route(
          '**/assets/UsageDetails-*',
          async (route) => {
            await broken.promise;
            await route.abort();
          },
          { times: 1 },
        ),
    });
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    await page.context().setOffline(true);
    broken.resolve();
    const warning = page.getByRole('alert').filter({ hasText: 'Part of this page could not be loaded. It will load' });
    await warning.waitFor();
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    await page.context().setOffline(false);
    const below = page.getByRole('region', { name: 'Where the time went' });
    await button(below, 'Choose period').waitFor();
    await warning.waitFor({ state: 'detached' });
  });

  test('selections made before the account is known stay, and so do stored ones', async () => {
    const { account } = await createUser();
    const known = Promise.withResolvers<void>();
    const page = await openUsagePage(site, account, {
      on: ['firefox'],
      before: (blank) =>
        blank.route('**/api/tokenconv*', async (route) => {
          await known.promise;
          await route.continue();
        }),
    });
    const both = ['code, 2h 15m, 10:00 to 12:15', 'firefox, 1h 00m, 09:00 to 10:00'];
    await expect.poll(() => listDayLines(page, 1)).toEqual(both.slice(1));
    await button(page, /^code/).click();
    await expect.poll(() => listDayLines(page, 1)).toEqual(both);
    known.resolve();
    await page.getByText(`User: ${account.name}`).waitFor();
    await waitForIdle(page);
    expect(await listDayLines(page, 1)).toEqual(both);
    await page.reload();
    await page.getByText(`User: ${account.name}`).waitFor();
    await expect.poll(() => listDayLines(page, 1)).toEqual(both);
  });

  test('reported usage appears on every open page, and a removed computer can still be selected', async () => {
    const { account, laptop } = await createUser();
    const options = { on: ['firefox'] };
    const pages = [await openUsagePage(site, account, options), await openUsagePage(site, account, options)];
    for (const page of pages) {
      await expect.poll(() => listDayLines(page, 1)).toEqual(['firefox, 1h 00m, 09:00 to 10:00']);
      await waitForIdle(page);
    }
    await laptop.reportUse(['firefox', 'on', formatTimeAgo(1, '15:00'), formatTimeAgo(1, '15:20')]);
    for (const page of pages)
      await expect.poll(() => listDayLines(page, 1)).toEqual(['firefox, 1h 20m, 09:00 to 15:20']);
    const [page] = pages;
    await account.call(revokedevice, { id: laptop.id });
    await page?.getByRole('button', { name: 'Device All devices' }).click();
    await expect.poll(() => page?.getByRole('option').allTextContents()).toEqual(['All devices', 'laptop (removed)']);
    await page?.getByRole('option', { name: 'laptop (removed)' }).click();
    if (page) await expect.poll(() => listDayLines(page, 1)).toEqual(['firefox, 1h 20m, 09:00 to 15:20']);
  });

  test('after midnight the new day loads automatically, even without use', async () => {
    const { account } = await createUser();
    const page = await openUsagePage(site, account);
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    await waitForIdle(page);
    const requests = page.waitForRequest('**/api/returnapplications?*');
    await page.clock.setFixedTime(Date.now() + 86_400_000);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await requests;
  });

  test('on a phone the picker is a sheet; all layouts are accessible, wide and light or narrow and dark', async () => {
    const { account } = await createUser();
    const wide = await openUsagePage(site, account, { on: ['firefox', 'code'] });
    await expect.poll(() => listDayLines(wide, 1)).toHaveLength(2);
    await waitForIdle(wide);
    expect(await findBarriers(wide)).toEqual([]);
    await wide.close();
    const page = await openUsagePage(site, account, { size: 'phone', scheme: 'dark', on: ['firefox'] });
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(1);
    const isWithin = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    expect(isWithin).toBe(true);
    await button(page, /^Apps 1/).tap();
    const sheet = page.getByRole('dialog', { name: 'Apps' });
    await waitForDialogFocus(sheet);
    await button(sheet, /^code/).tap();
    expect(await findBarriers(page)).toEqual([]);
    await button(sheet, 'Close').tap();
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(2);
    await button(page, 'Hide firefox').tap();
    await expect.poll(() => listDayLines(page, 1)).toEqual(['code, 2h 15m, 10:00 to 12:15']);
    await getDayRow(page, 1).locator('canvas').tap();
    await page.locator('[data-tip]').getByText('code').waitFor();
    // Keys of an attached keyboard lead into the sheet.
    await page.keyboard.press('a');
    await waitForFocus(sheet.getByRole('textbox', { name: 'Find an app' }));
    await page.keyboard.type('fire');
    await expect.poll(() => sheet.getByRole('region').allTextContents()).toEqual([expect.stringContaining('firefox')]);
  });
});
