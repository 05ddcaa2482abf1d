import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { pressCopy, pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { formatBasicAuth } from '#testing/kits/planning/dav.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { apppasswords, changepassword, makeapppassword } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight();
const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';

const openSettings = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/dashboard/settings?tab=account', options);
const getCard = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'App passwords', level: 2 }) }).last();
/** Makes a calendar client's request with a password and returns the status. */
const requestCalendar = async ({ name }: TestAccount, password: string): Promise<number> =>
  (
    await fetch(`${site.server.origin}/dav/`, {
      method: 'PROPFIND',
      headers: { authorization: formatBasicAuth(name, password), depth: '0' },
    })
  ).status;

describe.skipIf(site.skipReason)(`app passwords in the settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('an app password is created, shown once, used, and revoked on the second click', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
    const appPasswords = getCard(page);
    await appPasswords.getByRole('button', { name: 'Create app password' }).click();
    await appPasswords.getByRole('alert').filter({ hasText: 'Enter a name' }).waitFor();
    await appPasswords.getByLabel('Name').fill('My phone');
    await page.keyboard.press('Enter');
    const notice = appPasswords.getByText('App password for “My phone”. It is shown only once, so copy it now');
    await notice.waitFor();
    await expect.poll(() => appPasswords.getByLabel('Name').inputValue()).toBe('');
    const password = await appPasswords.locator('code').innerText();
    expect(await requestCalendar(account, password)).toBe(207);
    await appPasswords.getByRole('button', { name: 'Reload' }).click();
    await appPasswords
      .getByRole('listitem')
      .filter({ hasText: 'last used today' })
      .filter({ hasText: '127.0.0.1' })
      .waitFor();
    await page.reload();
    await appPasswords.getByRole('listitem').filter({ hasText: 'My phone' }).waitFor();
    await expect.poll(() => appPasswords.locator('code').count()).toBe(0);
    await pressAndConfirm(
      appPasswords.getByRole('button', { name: 'Revoke My phone' }),
      appPasswords.getByRole('button', { name: 'Confirm Revoke' }),
      async () => {
        expect(await requestCalendar(account, password)).toBe(207);
      },
    );
    await page.getByRole('region', { name: 'Notices' }).getByText('App password revoked').waitFor();
    await expect.poll(() => appPasswords.getByRole('listitem').count()).toBe(0);
    expect(await requestCalendar(account, password)).toBe(401);
    await page.getByText('App password created').first().waitFor();
  });

  test('an app password for music shows the settings of a player, and only works for music', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
    const appPasswords = getCard(page);
    await appPasswords.getByLabel('Name').fill('Car');
    await appPasswords.getByRole('button', { name: 'Music' }).click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await appPasswords.getByText('In a player for OpenSubsonic or Subsonic').waitFor();
    await appPasswords.locator('code').nth(2).waitFor();
    const [password = '', server, username] = await appPasswords.locator('code').allInnerTexts();
    expect([server, username]).toEqual([site.server.origin, account.name]);
    const ping = await fetch(`${server}/rest/ping?${new URLSearchParams({ u: account.name, p: password }).toString()}`);
    expect(await ping.text()).toContain('status="ok"');
    expect(await requestCalendar(account, password)).toBe(401);
    await appPasswords.getByRole('listitem').filter({ hasText: 'Car' }).getByRole('img', { name: 'Music' }).waitFor();
  });

  test('typed text survives a reload of the list, and the password is copied completely', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const appPasswords = getCard(page);
    await appPasswords.getByLabel('Name').fill('Tablet');
    await account.call(makeapppassword, { name: 'From elsewhere' });
    await appPasswords.getByRole('button', { name: 'Reload' }).click();
    await appPasswords.getByText('From elsewhere').waitFor();
    await expect.poll(() => appPasswords.getByLabel('Name').inputValue()).toBe('Tablet');
    await appPasswords.getByRole('button', { name: 'Create app password' }).click();
    await pressCopy(appPasswords.getByRole('button', { name: 'Copy app password' }));
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect([copied, await requestCalendar(account, copied)]).toEqual([
      await appPasswords.locator('code').innerText(),
      207,
    ]);
  });

  test('app passwords end when the password changes, and the page says so', async () => {
    const account = await site.createPerson();
    await account.call(makeapppassword, { name: 'Phone' });
    const page = await openSettings(account);
    await getCard(page).getByText('All are revoked when you change your account password').waitFor();
    await account.call(changepassword, { password: account.password, newPassword: 'another horse staple' });
    await getCard(page).getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => getCard(page).getByRole('listitem').count()).toBe(0);
    expect((await account.call(apppasswords, {})).passwords).toEqual([]);
  });

  test.for(['wide', 'phone'] as const)(
    'there are no accessibility problems or overflows with unusual names, %s, in both schemes',
    { tags: 'matrix' },
    async (size) => {
      const account = await site.createPerson();
      await account.call(makeapppassword, { name: HOSTILE });
      await account.call(makeapppassword, { name: 'W'.repeat(60), kind: 'music' });
      await account.call(makeapppassword, { name: 'شخص' });
      const page = await openSettings(account, { size });
      await getCard(page).getByLabel('Name').fill('Phone');
      await getCard(page).getByRole('button', { name: 'Music' }).click();
      await getCard(page).getByRole('button', { name: 'Create app password' }).click();
      await getCard(page).getByText('In a player for OpenSubsonic or Subsonic').waitFor();
      await getCard(page).getByText('<img src=x onerror=alert(1)>').waitFor();
      await expect.poll(() => getCard(page).getByRole('listitem').count()).toBe(4);
      await getCard(page).scrollIntoViewIfNeeded();
      expect(await findBarriersInBoth(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    },
  );
});
