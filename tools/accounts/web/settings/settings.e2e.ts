import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { log, serverinfo } from '#platform/contract/session.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { type OpenPageOptions, pressAndConfirm, waitForIdle } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { openSignedIn } from '#testing/kits/browser/signedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { checkaccounts } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
const NEW_PASSWORD = 'another horse staple';
let owner: TestAccount;
let people = 0;

beforeAll(async () => {
  if (site.skipReason !== undefined) return;
  owner = await site.server.createAccount('owner');
});

const createUser = (): Promise<TestAccount> => site.server.createAccount(`person ${++people}`);
/** Opens the settings, and waits for the card that loads last and may move content below it. */
const settings = async (
  account: TestAccount,
  options?: OpenPageOptions,
  open: typeof openSignedIn = reusePage,
): Promise<Page> => {
  const page = await open(site, account, '/dashboard/settings?tab=account', options);
  await page.getByRole('button', { name: 'Create app password' }).waitFor();
  return page;
};
const logIn = (account: TestAccount, password = account.password) =>
  site.server.call(log, { username: account.name, password });
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describe.skipIf(site.skipReason)(`settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the three buttons open their panels by click, arrow key and address', async () => {
    const page = await reusePage(site, await createUser(), '/dashboard/settings');
    await page.getByRole('button', { name: 'Scripts Settings' }).click();
    await panel(page, 'Scripts Settings').getByRole('heading', { name: 'Scripts' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=scripts');
    await page.keyboard.press('ArrowRight');
    await panel(page, 'Devices Settings').getByRole('heading', { name: 'Paired computers' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await panel(page, 'Main Account Settings').getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.goBack();
    await panel(page, 'Devices Settings').waitFor();
    await page.reload();
    await panel(page, 'Devices Settings').getByRole('heading', { name: 'Paired computers' }).waitFor();
  });

  test('sessions are listed, and ended one by one or all others together', async () => {
    const account = await createUser();
    for (let other = 0; other < 3; other++) await logIn(account);
    const page = await settings(account, {}, openSignedIn);
    const ends = page.getByRole('button', { name: /^End (?!all)/ });
    await expect.poll(() => ends.count()).toBe(3);
    await page.getByText('this browser', { exact: true }).waitFor();
    await ends.first().click();
    await expect.poll(() => ends.count()).toBe(2);
    await pressAndConfirm(
      page.getByRole('button', { name: 'Log out everywhere else' }),
      page.getByRole('button', { name: 'Confirm Log out everywhere else' }),
    );
    await expect.poll(() => ends.count()).toBe(0);
    expect((await account.call(checkaccounts, {})).sessions).toHaveLength(1);
    await pressAndConfirm(
      page.getByRole('button', { name: 'Revoke all links' }),
      page.getByRole('button', { name: 'Confirm Revoke all links' }),
    );
    await page.getByText('All links were revoked').waitFor();
  });

  test('changing the password needs the current one, and errors appear below the fields', async () => {
    const account = await createUser();
    await logIn(account);
    const page = await settings(account, {}, openSignedIn);
    const current = page.getByLabel('Current password');
    const next = page.getByLabel('New password');
    const change = page.getByRole('button', { name: 'Change password', exact: true });
    await change.click();
    await page.getByText('Enter your current password').waitFor();
    await current.fill('wrong password');
    await next.fill(NEW_PASSWORD);
    await change.click();
    await page.getByRole('alert').filter({ hasText: /wrong/i }).waitFor();
    await current.fill(account.password);
    await next.fill('short');
    await change.click();
    await page.getByText('This password is too short. Enter at least 8 characters').waitFor();
    await next.fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Show password' }).last().click();
    await expect.poll(() => next.getAttribute('type')).toBe('text');
    await change.click();
    await page.getByText('Password changed. Other sessions ended: 1').waitFor();
    await expect.poll(() => next.inputValue()).toBe('');
    await logIn(account, NEW_PASSWORD);
  });

  test('the data of the account is downloaded as a zip, after the password', async () => {
    const account = await createUser();
    const page = await settings(account);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('Password', { exact: true }).fill('wrong password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^pegboard-${account.name}-\\d{4}-\\d\\d-\\d\\d\\.zip$`));
    const files = readZip(await readFile(await download.path()));
    expect(readJsonFromZip(files, 'accounts.json')).toMatchObject({ username: account.name });
  });

  test('only the owner can open and close sign-up', async () => {
    const other = await settings(await createUser());
    await other.getByRole('button', { name: 'Change password' }).waitFor();
    await expect.poll(() => other.getByRole('switch').count()).toBe(0);
    const page = await settings(owner);
    const signUp = page.getByRole('switch', { name: 'Open sign-up' });
    await signUp.click();
    await page.getByText('Closed').waitFor();
    await expect.poll(async () => (await site.server.call(serverinfo, {})).signupOpen).toBe(false);
    await signUp.click();
    await page.getByText('Open', { exact: true }).waitFor();
    await expect.poll(async () => (await site.server.call(serverinfo, {})).signupOpen).toBe(true);
  });

  test('deleting the account needs name and password, and opens the home page', async () => {
    const account = await createUser();
    const page = await settings(account);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    const typed = page.getByLabel(`Type ${account.name} to confirm`);
    await typed.fill('person');
    await page.getByRole('button', { name: 'Confirm Delete' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: `Type the name of your account: ${account.name}` })
      .waitFor();
    await typed.fill(account.name);
    await page.getByRole('button', { name: 'Confirm Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByText(`The account ${account.name} was deleted`).waitFor();
    await waitForIdle(page);
    expect(new URL(page.url()).pathname).toBe('/');
    await expect(logIn(account)).rejects.toThrow('Wrong username or password');
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('usertoken');
  });

  test('the settings work over plain HTTP', async () => {
    const page = await settings(await createUser(), { plainHttp: true, expects: /Cross-Origin-Opener-Policy/ });
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    for (const tab of ['Scripts Settings', 'Devices Settings']) {
      await page.getByRole('button', { name: tab }).click();
      await panel(page, tab).getByRole('heading').first().waitFor();
    }
  });

  test.for(['wide', 'phone'] as const)('content below the card that loads last does not move, %s', async (size) => {
    const released = Promise.withResolvers<void>();
    const page = await reusePage(site, await createUser(), '/dashboard/settings?tab=account', {
      size,
      before: (opened) =>
        opened.route(/\/AppPasswordsPanel-/, async (route) => {
          await released.promise;
          await route.continue();
        }),
    });
    const below = page.getByText('Export all data', { exact: true });
    const readTop = async (): Promise<number> => (await below.boundingBox())?.y ?? Number.NaN;
    await below.waitFor();
    const topBefore = await readTop();
    released.resolve();
    await page.getByRole('button', { name: 'Create app password' }).waitFor();
    expect(Math.abs((await readTop()) - topBefore)).toBeLessThan(3);
  });

  test.for(['wide', 'phone'] as const)('is accessible, %s, in both schemes', { tags: 'matrix' }, async (size) => {
    const account = await createUser();
    await logIn(account);
    const page = await settings(account, { size });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Confirm Delete' }).click();
    await page.getByRole('alert').waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
  });
});
