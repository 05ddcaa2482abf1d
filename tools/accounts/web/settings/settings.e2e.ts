import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { log, serverinfo } from '#platform/contract/session.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { type OpenPageOptions, pressAndConfirm, waitForIdle } from '#testing/kits/browser/browser.ts';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { exportZip } from '#testing/kits/server/accountTransfer.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { mypastes, paste } from '#tools/paste/contract.ts';
import { checkaccounts, makeapppassword } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
const NEW_PASSWORD = 'another horse staple';
let owner: TestAccount;

beforeAll(async () => {
  if (site.skipReason !== undefined) return;
  owner = await site.server.createAccount('owner');
});

/** Opens the settings, and waits for the card that loads last and may move content below it. */
async function openSettings(
  account: TestAccount,
  options?: OpenPageOptions,
  open: typeof openLoggedIn = reusePage,
): Promise<Page> {
  const page = await open(site, account, '/dashboard/settings?tab=account', options);
  await page.getByRole('button', { name: 'Create app password' }).waitFor();
  return page;
}
const logIn = (account: TestAccount, password = account.password) =>
  site.server.call(log, { username: account.name, password });
const getPanel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describe.skipIf(site.skipReason)(`settings (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the three buttons open their panels by click, arrow key and address', async () => {
    const page = await reusePage(site, await site.createPerson(), '/dashboard/settings');
    await page.getByRole('button', { name: 'Scripts Settings' }).click();
    await getPanel(page, 'Scripts Settings').getByRole('heading', { name: 'Scripts' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=scripts');
    await page.keyboard.press('ArrowRight');
    await getPanel(page, 'Devices Settings').getByRole('heading', { name: 'Paired computers' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await getPanel(page, 'Main Account Settings').getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.goBack();
    await getPanel(page, 'Devices Settings').waitFor();
    await page.reload();
    await getPanel(page, 'Devices Settings').getByRole('heading', { name: 'Paired computers' }).waitFor();
  });

  test('sessions are listed, and ended one by one or all others together', async () => {
    const account = await site.createPerson();
    for (let otherPage = 0; otherPage < 3; otherPage++) await logIn(account);
    const page = await openSettings(account, {}, openLoggedIn);
    const endButtons = page.getByRole('button', { name: /^End (?!all)/ });
    await expect.poll(() => endButtons.count()).toBe(3);
    await page.getByText('this browser', { exact: true }).waitFor();
    await endButtons.first().click();
    await expect.poll(() => endButtons.count()).toBe(2);
    await pressAndConfirm(
      page.getByRole('button', { name: 'Log out everywhere else' }),
      page.getByRole('button', { name: 'Confirm Log out everywhere else' }),
    );
    await expect.poll(() => endButtons.count()).toBe(0);
    expect((await account.call(checkaccounts, {})).sessions).toHaveLength(1);
    await pressAndConfirm(
      page.getByRole('button', { name: 'Revoke all links' }),
      page.getByRole('button', { name: 'Confirm Revoke all links' }),
    );
    await page.getByText('All links were revoked').waitFor();
  });

  test('changing the password needs the current one, and errors appear below the fields', async () => {
    const account = await site.createPerson();
    await logIn(account);
    const page = await openSettings(account, {}, openLoggedIn);
    const currentPassword = page.getByLabel('Current password');
    const newPassword = page.getByLabel('New password');
    const changeButton = page.getByRole('button', { name: 'Change password', exact: true });
    await changeButton.click();
    await page.getByText('Enter your current password').waitFor();
    await currentPassword.fill('wrong password');
    await newPassword.fill(NEW_PASSWORD);
    await changeButton.click();
    await page.getByRole('alert').filter({ hasText: /wrong/i }).waitFor();
    await currentPassword.fill(account.password);
    await newPassword.fill('short');
    await changeButton.click();
    await page.getByText('This password is too short. Enter at least 8 characters').waitFor();
    await newPassword.fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Show password' }).last().click();
    await expect.poll(() => newPassword.getAttribute('type')).toBe('text');
    await changeButton.click();
    await page.getByText('Password changed. Other sessions ended: 1').waitFor();
    await expect.poll(() => newPassword.inputValue()).toBe('');
    await logIn(account, NEW_PASSWORD);
  });

  test('the data of the account is downloaded as a zip, after the password', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
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

  test('an exported zip is imported into another account, and the page says what was imported', async () => {
    const account = await site.createPerson();
    await account.call(paste, { inputValue: 'a text that moves' });
    await account.call(makeapppassword, { name: 'Phone' });
    const zip = await exportZip(account);
    const target = await site.createPerson();
    for (const options of [{}, { size: 'phone', scheme: 'dark' }] as const) {
      const page = await openSettings(target, options, openLoggedIn);
      await page
        .getByLabel('Exported zip')
        .setInputFiles({ name: 'export.zip', mimeType: 'application/zip', buffer: zip });
      const report = page.getByRole('region', { name: 'Result of the import' });
      await report
        .getByText(options.size === undefined ? 'Pastes: 1' : 'Skipped, because')
        .first()
        .waitFor();
      await report.getByText('Not imported: app passwords (1). Create new ones').waitFor();
      await report.scrollIntoViewIfNeeded();
      if (process.env['PICTURES'] !== undefined)
        await page.screenshot({
          path: `${process.env['PICTURES']}/import-${options.size ?? 'desktop'}.png`,
          fullPage: true,
        });
      await page.getByRole('button', { name: 'Hide result' }).click();
      await report.waitFor({ state: 'detached' });
    }
    expect((await target.call(mypastes, {})).pieces).toHaveLength(1);
  });

  test('only the owner sees who may sign up, invites people, and suspends accounts', async () => {
    const other = await site.createPerson();
    const otherPage = await openSettings(other);
    await otherPage.getByRole('button', { name: 'Change password' }).waitFor();
    await expect.poll(() => otherPage.getByRole('group', { name: 'Who may join' }).count()).toBe(0);

    const page = await openSettings(owner);
    const rule = page.getByRole('group', { name: 'Who may join' });
    await rule.getByRole('button', { name: 'By invitation' }).click();
    await expect.poll(async () => (await site.server.call(serverinfo, {})).signupRule).toBe('invitation');
    await page.getByLabel('For whom').fill('Grandma');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.locator('code', { hasText: '#invitation=' }).textContent();
    await page.getByText('used 0 of 1').waitFor();

    const signupPage = await reusePage(site, undefined, new URL(link ?? '').pathname + new URL(link ?? '').hash);
    await signupPage.getByText('You are invited').waitFor();
    expect(signupPage.url()).not.toContain('invitation');
    await signupPage.getByLabel('Username').fill('grandma');
    for (const label of ['password', 'confirm password'])
      await signupPage.getByLabel(label, { exact: true }).fill('correct horse staple');
    await signupPage.getByRole('button', { name: 'Sign up' }).click();
    await signupPage.waitForURL((url) => url.pathname !== '/signup');

    await page.getByRole('button', { name: 'Reload accounts' }).click();
    await page.getByRole('button', { name: /^Show all \d+ accounts$/ }).click();
    await page.getByRole('button', { name: `Suspend ${other.name}`, exact: true }).click();
    await page.getByRole('button', { name: 'Confirm Suspend' }).click();
    await page.getByRole('button', { name: `Lift suspension of ${other.name}`, exact: true }).waitFor();
    await expect(logIn(other)).rejects.toThrow('This account is suspended');
    await page.getByRole('button', { name: `Lift suspension of ${other.name}`, exact: true }).click();
    await page.getByText('The account can log in again').waitFor();
    await logIn(other);
    await rule.getByRole('button', { name: 'Open' }).click();
    await expect.poll(async () => (await site.server.call(serverinfo, {})).signupRule).toBe('open');
  });

  test('deleting the account needs name and password, and opens the home page', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    const requiredName = page.getByLabel(`Type ${account.name} to confirm`);
    await requiredName.fill('person');
    await page.getByRole('button', { name: 'Confirm Delete' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: `Type the name of your account: ${account.name}` })
      .waitFor();
    await requiredName.fill(account.name);
    await page.getByRole('button', { name: 'Confirm Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByText(`The account ${account.name} was deleted`).waitFor();
    await waitForIdle(page);
    expect(new URL(page.url()).pathname).toBe('/');
    await expect(logIn(account)).rejects.toThrow('Wrong username or password');
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('usertoken');
  });

  test('the settings work over plain HTTP', async () => {
    const page = await openSettings(await site.createPerson(), {
      plainHttp: true,
      expects: /Cross-Origin-Opener-Policy/,
    });
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    for (const tab of ['Scripts Settings', 'Devices Settings']) {
      await page.getByRole('button', { name: tab }).click();
      await getPanel(page, tab).getByRole('heading').first().waitFor();
    }
  });

  test.for(['wide', 'phone'] as const)('content below the card that loads last does not move, %s', async (size) => {
    const release = Promise.withResolvers<void>();
    const page = await reusePage(site, await site.createPerson(), '/dashboard/settings?tab=account', {
      size,
      before: (opened) =>
        opened.route(/\/AppPasswordsPanel-/, async (route) => {
          await release.promise;
          await route.continue();
        }),
    });
    const cardBelow = page.getByText('Export all data', { exact: true });
    const readTop = async (): Promise<number> => (await cardBelow.boundingBox())?.y ?? Number.NaN;
    await cardBelow.waitFor();
    const topBefore = await readTop();
    release.resolve();
    await page.getByRole('button', { name: 'Create app password' }).waitFor();
    expect(Math.abs((await readTop()) - topBefore)).toBeLessThan(3);
  });

  test.for(['wide', 'phone'] as const)('is accessible, %s, in both schemes', { tags: 'matrix' }, async (size) => {
    const account = await site.createPerson();
    await logIn(account);
    const page = await openSettings(account, { size });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Confirm Delete' }).click();
    await page.getByRole('alert').waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
  });
});
