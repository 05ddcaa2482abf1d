import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { computeTotp, decodeBase32, getTotpStep } from '#platform/server/identity/totp.ts';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { navigate, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { addtotp, starttotp } from '../contract.ts';

/** Advanced by a time step for each code, since a code works once. */
let now = Temporal.Instant.from('2026-11-30T12:00:00Z');
const site = startTestSite({ rateLimits: false, now: () => now });

const showCode = (secret: string): string =>
  computeTotp(decodeBase32(secret.replaceAll(/\s/g, '')), getTotpStep(now.epochMilliseconds));

/** Opens a page under a name, because passkeys don't work at an IP address. */
const openPage = (path: string, options?: OpenPageOptions): Promise<Page> =>
  site.browser.openPage(site.server.origin.replace('127.0.0.1', 'localhost'), path, options);
const openSettings = ({ token }: TestAccount, options: OpenPageOptions = {}): Promise<Page> =>
  openPage('/dashboard/settings?tab=account', { token, ...options });

const getCard = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'Second factor', level: 2 }) }).last();

/** Gives the browser a device with a fingerprint sensor that always recognizes its owner. */
async function addDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL('**/login');
}

async function fillLogin(page: Page, { name, password }: TestAccount): Promise<void> {
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

async function addApp({ call, password }: TestAccount) {
  const { ticket, secret } = await call(starttotp, { password });
  const { recoveryCodes = [] } = await call(addtotp, { ticket, oneTimeCode: showCode(secret) });
  now = now.add({ seconds: 30 });
  return { secret, recoveryCodes };
}

describe.skipIf(site.skipReason)(`second factor (${site.skipReason ?? 'in Chromium'})`, () => {
  test('an authenticator app is set up with its QR code, and the next login needs it', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
    const card = getCard(page);
    await card.getByText('Off. Your password alone is enough').waitFor();
    await card.getByRole('button', { name: 'Set up authenticator app' }).click();
    await card.getByLabel('Password', { exact: true }).fill('wrong password');
    await page.keyboard.press('Enter');
    await card.getByRole('alert').filter({ hasText: 'Wrong password' }).waitFor();
    await card.getByLabel('Password', { exact: true }).fill(account.password);
    await page.keyboard.press('Enter');
    await card.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = await card.locator('code').innerText();
    await card.getByLabel('Code of the app').fill('000000');
    await card.getByRole('button', { name: 'Turn on' }).click();
    await card.getByRole('alert').filter({ hasText: 'Wrong code' }).waitFor();
    await card.getByLabel('Code of the app').fill(showCode(secret));
    await card.getByRole('button', { name: 'Turn on' }).click();
    const codes = card.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await expect.poll(() => codes.count()).toBe(10);
    const recoveryCode = await codes.first().innerText();
    await card.getByRole('button', { name: 'I have stored them' }).click();
    await card.getByText('10 of 10 left').waitFor();

    await logOut(page);
    await fillLogin(page, account);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Wrong code' }).waitFor();
    now = now.add({ seconds: 30 });
    await page.getByLabel('Code', { exact: true }).fill(showCode(secret));
    await page.getByLabel("Don't ask again in this browser for 30 days").check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(`User: ${account.name}`).waitFor();

    // This browser is remembered; another one can use a recovery code.
    await navigate(page, '/dashboard/about');
    await logOut(page);
    await fillLogin(page, account);
    await page.getByText(`User: ${account.name}`).waitFor();
    const other = await openPage('/login');
    await fillLogin(other, account);
    await other.getByRole('button', { name: 'Use a recovery code' }).click();
    await other.getByLabel('Recovery code').fill(recoveryCode.toLowerCase());
    await other.keyboard.press('Enter');
    await other.getByText(`User: ${account.name}`).waitFor();
    await navigate(other, '/dashboard/settings?tab=account');
    await getCard(other).getByText('9 of 10 left').waitFor();
  });

  test('a passkey is added, and logs in without a password', async () => {
    const account = await site.createPerson();
    const page = await openSettings(account);
    await addDevice(page);
    const card = getCard(page);
    await card.getByRole('button', { name: 'Add passkey' }).click();
    await card.getByLabel('Password', { exact: true }).fill(account.password);
    await page.keyboard.press('Enter');
    await card.getByRole('button', { name: 'I have stored them' }).click();
    await card.getByText('Chromium on Linux', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Rename Chromium on Linux' }).click();
    await card.getByLabel('New name for Chromium on Linux').fill('Laptop');
    await page.keyboard.press('Enter');
    await card.getByText('Laptop', { exact: true }).waitFor();

    await logOut(page);
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await page.getByText(`User: ${account.name}`).waitFor();
    // After the password, the same passkey is the second step.
    await navigate(page, '/dashboard/about');
    await logOut(page);
    await fillLogin(page, account);
    await page.getByRole('button', { name: 'Use passkey' }).click();
    await page.getByText(`User: ${account.name}`).waitFor();

    await navigate(page, '/dashboard/settings?tab=account');
    await card.getByRole('button', { name: 'Remove Laptop' }).click();
    await card.getByLabel('Password', { exact: true }).fill(account.password);
    await card.getByRole('button', { name: 'Confirm Remove' }).click();
    await card.getByText('Off. Your password alone is enough').waitFor();
    await expect.poll(() => card.getByText('Recovery codes').count()).toBe(0);
  });

  test('the settings say why passkeys cannot work over plain http and at an IP address', async () => {
    const account = await site.createPerson();
    const plain = await openSettings(account, { plainHttp: true, expects: /Cross-Origin-Opener-Policy/ });
    await getCard(plain).getByText('Browsers allow passkeys over https only').waitFor();
    expect(await getCard(plain).getByRole('button', { name: 'Add passkey' }).count()).toBe(0);
    const numeric = await site.browser.openPage(site.server.origin, '/dashboard/settings?tab=account', {
      token: account.token,
    });
    await getCard(numeric).getByText('Browsers allow no passkeys at an IP address such as 127.0.0.1').waitFor();
    expect(await getCard(numeric).getByRole('button', { name: 'Add passkey' }).count()).toBe(0);
  });

  test('the login form in a page has the second step too, and /graphy leads to the login page', async () => {
    const account = await site.createPerson();
    const { recoveryCodes } = await addApp(account);
    const [code = ''] = recoveryCodes;
    const graphs = await openPage('/graphy');
    await graphs.getByRole('textbox', { name: 'Username' }).fill(account.name);
    await graphs.getByLabel('Password', { exact: true }).fill(account.password);
    await graphs.getByRole('button', { name: 'Submit' }).click();
    await graphs.getByRole('status').filter({ hasText: 'This account has a second factor' }).waitFor();
    expect((await graphs.context().cookies()).map(({ name }) => name)).not.toContain('usertoken');
    await graphs.getByRole('button', { name: 'Open the login page' }).click();
    await graphs.getByText('opens graphy').waitFor();

    const page = await openPage('/graphyv2');
    await page.getByLabel('Username').fill(account.name);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(code);
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: 'Compact View' }).waitFor();
    expect((await page.context().cookies()).map(({ name }) => name)).toContain('usertoken');
  });

  test.for(['wide', 'phone'] as const)(
    'the panel and the second step are accessible without overflow, %s, in both schemes',
    { tags: 'matrix' },
    async (size) => {
      const account = await site.createPerson();
      const page = await openSettings(account, { size });
      const card = getCard(page);
      await card.getByRole('button', { name: 'Set up authenticator app' }).click();
      await card.getByLabel('Password', { exact: true }).fill(account.password);
      await page.keyboard.press('Enter');
      await card.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
      const getOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([await findBarriersInBoth(page), await getOverflow()]).toEqual([[], 0]);
      await card.getByLabel('Code of the app').fill(showCode(await card.locator('code').innerText()));
      await card.getByRole('button', { name: 'Turn on' }).click();
      await card.getByRole('list', { name: 'Recovery codes' }).waitFor();
      expect([await findBarriersInBoth(page), await getOverflow()]).toEqual([[], 0]);
      await logOut(page);
      await fillLogin(page, account);
      await page.getByLabel('Code', { exact: true }).waitFor();
      expect([await findBarriersInBoth(page), await getOverflow()]).toEqual([[], 0]);
    },
  );
});
