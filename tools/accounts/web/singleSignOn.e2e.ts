import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startOpenIdProvider, type TestOpenIdProvider } from '#testing/kits/server/openIdProvider.ts';
import { TEST_PASSWORD } from '#testing/kits/server/server.ts';

let provider: TestOpenIdProvider;
const site = startTestSite(async () => {
  provider = await startOpenIdProvider();
  return { rateLimits: false, singleSignOn: provider.options };
});
beforeAll(async () => {
  if (site.skipReason === undefined) await site.server.createAccount('owner');
});
afterAll(() => provider?.[Symbol.asyncDispose]());

/** Opens a page under a name, so that the provider at an IP address is another site. */
function openPage(path: string, options?: OpenPageOptions): Promise<Page> {
  const origin = site.server.origin.replace('127.0.0.1', 'localhost');
  provider.register(`${origin}/login`);
  return site.browser.openPage(origin, path, options);
}
const startLogin = (page: Page) => page.getByRole('button', { name: 'Log in with Authelia' }).click();

describe.skipIf(site.skipReason)(`single sign-on (${site.skipReason ?? 'in Chromium'})`, () => {
  test.for(['wide', 'phone'] as const)('somebody new gets an account, and is known from then on, %s', async (size) => {
    provider.setPerson({ subject: size, name: `grete ${size}` });
    const page = await openPage('/login', { size });
    await startLogin(page);
    const form = page.getByRole('form', { name: 'Choose an account' });
    await form.waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await form.getByLabel('Username').inputValue()).toBe(`grete ${size}`);
    expect(await findBarriersInBoth(page)).toEqual([]);
    if (process.env['PICTURES'] !== undefined)
      await page.screenshot({ path: `${process.env['PICTURES']}/choice-${size}.png` });
    await form.getByLabel('New password').fill(TEST_PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/pagerouter');

    const otherPage = await openPage('/login', { size, scheme: 'light' });
    await startLogin(otherPage);
    await otherPage.waitForURL('**/pagerouter');
  });

  test.for(['wide', 'phone'] as const)('somebody who cancels comes back to the login, %s', async (size) => {
    provider.setPerson(undefined);
    const page = await openPage('/login', { size });
    await startLogin(page);
    await page.getByRole('alert').filter({ hasText: 'The login at Authelia was cancelled' }).waitFor();
    await page.getByRole('button', { name: 'Go', exact: true }).waitFor();
  });

  test('an account is linked and unlinked in its settings', async () => {
    const { token } = await site.server.createAccount('Hans');
    provider.setPerson({ subject: 'hans', name: 'hans@example.org' });
    const page = await openPage('/dashboard/settings?tab=account', { token });
    await page.getByRole('button', { name: 'Link Authelia' }).click();
    await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Your account is linked').waitFor();
    await page.getByText('hans@example.org').waitFor();
    await page.getByRole('button', { name: 'Unlink Authelia' }).click();
    await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await page.getByRole('button', { name: 'Confirm Unlink' }).click();
    await page.getByText('Not linked').waitFor();
  });
});
