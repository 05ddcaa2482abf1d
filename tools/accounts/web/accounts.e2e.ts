import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS } from '#platform/contract/duration.ts';
import { waitForIdle } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { planSlot } from '#testing/kits/planning/timetable.ts';
import { TEST_PASSWORD, type TestAccount, startServer } from '#testing/kits/server/server.ts';

const site = startTestSite();
const TODAY = '2026-11-19';

/** Days until the cookie `usertoken` expires; undefined without a cookie. */
async function getCookieDays(page: Page): Promise<number | undefined> {
  const cookie = (await page.context().cookies()).find(({ name }) => name === 'usertoken');
  return cookie === undefined ? undefined : Math.round((cookie.expires * 1000 - Date.now()) / DAY_MS);
}

async function fillLogin(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

const getBorderColour = (page: Page): Promise<string> =>
  page.locator('form').evaluate((form) => getComputedStyle(form).borderTopColor);
const DARK_RED = 'rgb(139, 26, 38)';

describe.skipIf(site.skipReason)(
  `sign-up and login${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    let userCount = 0;
    const createUser = () => site.server.createAccount(`user${++userCount}`);
    beforeAll(async () => {
      await site.server.createAccount('owner');
    });

    test('sign-up validates fields in order, and its border turns dark red', async () => {
      const page = await reusePage(site, undefined, '/signup');
      const password = page.getByLabel('password', { exact: true });
      const alert = page.getByRole('alert');
      const submit = page.getByRole('button', { name: 'Sign up', exact: true });
      await submit.click();
      await expect.poll(() => alert.textContent()).toBe('Enter a username');
      expect(await getBorderColour(page)).toBe(DARK_RED);
      await page.getByLabel('Username').fill('newcomer');
      await submit.click();
      await expect.poll(() => alert.textContent()).toBe('Enter a password');
      await password.fill(TEST_PASSWORD);
      await submit.click();
      await expect.poll(() => alert.textContent()).toBe('Passwords do not match');
      // Refusals of the server appear in red at the same place.
      await page.getByLabel('Username').fill('owner');
      await page.getByLabel('confirm password').fill(TEST_PASSWORD);
      await submit.click();
      await expect.poll(() => alert.textContent()).not.toMatch(/^(Passwords do not match)?$/);
      expect(await alert.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(190, 40, 56)');
    });

    test('sign-up opens the page browser, without a cookie, for a session of one day', async () => {
      const page = await reusePage(site, undefined, '/signup');
      await page.getByLabel('Username').fill('brief');
      await page.getByLabel('password', { exact: true }).fill(TEST_PASSWORD);
      await page.getByLabel('confirm password').fill(TEST_PASSWORD);
      const sent = page.waitForRequest('**/api/signup');
      await page.getByRole('button', { name: 'Sign up', exact: true }).click();
      await page.getByText('User: brief').waitFor();
      expect(new URL(page.url()).pathname).toBe('/pagerouter');
      expect((await sent).postDataJSON()).toMatchObject({ username: 'brief', days: 1 });
      expect(await getCookieDays(page)).toBeUndefined();
      // After a reload, the session is restored from the navigation state.
      await page.reload();
      await page.getByText('User: brief').waitFor();
    });

    test('sign-up with Stay logged in sets a cookie for 7 days', async () => {
      const page = await reusePage(site, undefined, '/signup');
      await page.getByLabel('Username').fill('stayer');
      await page.getByLabel('password', { exact: true }).fill(TEST_PASSWORD);
      await page.getByLabel('confirm password').fill(TEST_PASSWORD);
      await page.getByLabel('Stay logged in').check();
      await page.getByRole('button', { name: 'Sign up', exact: true }).click();
      await page.getByText('User: stayer').waitFor();
      expect(await getCookieDays(page)).toBe(7);
    });

    test('a set-up link fills in its code, which is removed from the address', async () => {
      await using newServer = await startServer();
      const page = await site.browser.openPage(newServer.origin, '/signup#setup=ABCD-EFGH');
      await expect.poll(() => page.getByLabel('Set-up code').inputValue()).toBe('ABCD-EFGH');
      expect(new URL(page.url()).hash).toBe('');
      await page.getByLabel('Username').fill('first');
      await page.getByLabel('password', { exact: true }).fill(TEST_PASSWORD);
      await page.getByLabel('confirm password').fill(TEST_PASSWORD);
      const sent = page.waitForRequest('**/api/signup');
      await page.getByRole('button', { name: 'Sign up', exact: true }).click();
      expect((await sent).postDataJSON()).toMatchObject({ setupCode: 'ABCD-EFGH' });
      await page.getByText('User: first').waitFor();
      await waitForIdle(page);
      await page.goto('about:blank');
    });

    test('an empty login is blocked with a dark red border, and fields select their text on focus', async () => {
      const page = await reusePage(site, undefined, '/login');
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      expect(await getBorderColour(page)).toBe(DARK_RED);
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
      expect(new URL(page.url()).pathname).toBe('/login');
      await page.getByLabel('Username').fill('somebody');
      await page.getByLabel('Password', { exact: true }).focus();
      await page.getByLabel('Username').focus();
      expect(await page.evaluate(() => getSelection()?.toString())).toBe('somebody');
    });

    test('Enter in the password field submits, and a cookie for 30 days restores the username', async () => {
      const { name, password } = await createUser();
      const page = await site.browser.openPage(site.server.origin, '/login');
      await fillLogin(page, name, password);
      await page.getByLabel('Stay logged in').check();
      const request = page.waitForRequest('**/api/log');
      await page.getByLabel('Password', { exact: true }).press('Enter');
      await page.getByText(`User: ${name}`).waitFor();
      expect((await request).postDataJSON()).toMatchObject({ days: 30 });
      expect(new URL(page.url()).pathname).toBe('/pagerouter');
      expect(await getCookieDays(page)).toBe(30);

      const newPage = await page.context().newPage();
      const calls: string[] = [];
      newPage.on('request', (sent) => calls.push(new URL(sent.url()).pathname));
      await newPage.goto('/login');
      await newPage.getByText(`Logged in as ${name}`).waitFor();
      await expect.poll(() => newPage.getByLabel('Username').inputValue()).toBe(name);
      await expect.poll(() => newPage.getByLabel('Password', { exact: true }).inputValue()).not.toBe('');
      await newPage.getByRole('button', { name: 'Go to sound mixer' }).click();
      await newPage.waitForURL('**/mixer');
      expect(calls).toContain('/api/tokenconv');
      expect(calls).not.toContain('/api/log');
    });

    test('a wrong password is shown in red, and a missing answer in an alert', async () => {
      const { name } = await createUser();
      const page = await reusePage(site, undefined, '/login', { expects: /ERR_FAILED/ });
      await fillLogin(page, name, 'wrong horse');
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.getByRole('alert').waitFor();
      expect(await getCookieDays(page)).toBeUndefined();
      await page.route('**/api/log', (route) => route.abort());
      const dialogOpened = page.waitForEvent('dialog');
      const click = page.getByRole('button', { name: 'Go', exact: true }).click();
      const dialog = await dialogOpened;
      expect(dialog.type()).toBe('alert');
      expect(dialog.message()).toBe('The server cannot be reached');
      await dialog.dismiss();
      await click;
    });

    test('an invalid stored token is removed, and a notice says why', async () => {
      const page = await site.browser.openPage(site.server.origin, '/login', { token: 'x'.repeat(43) });
      const notice = page.getByRole('region', { name: 'Notices' }).getByText('invalid token, please re-log');
      await notice.waitFor();
      await expect.poll(() => notice.count()).toBe(1);
      expect(await getCookieDays(page)).toBeUndefined();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await expect.poll(() => notice.count()).toBe(0);
    });

    test('a refused stored login ends, and its notice stays until it is dismissed', async () => {
      const page = await site.browser.openPage(site.server.origin, '/login', {
        token: 'x'.repeat(43),
        before: (opened) =>
          opened.route('**/api/tokenconv', (route) => route.fulfill({ json: { message: 'This account is locked' } })),
      });
      const notice = page.getByRole('region', { name: 'Notices' }).getByText('This account is locked');
      await notice.waitFor();
      await expect.poll(() => getCookieDays(page)).toBeUndefined();
      await page.getByLabel('Username').fill('anna');
      expect(await notice.count()).toBe(1);
    });

    test('More pages lists the specified destinations, and Go opens the selected one', async () => {
      const { name, password } = await createUser();
      const page = await reusePage(site, undefined, '/login');
      await page.getByRole('button', { name: 'More pages' }).click();
      expect(await page.getByRole('option').allTextContents()).toEqual([
        'calendarv2',
        'graphy',
        'sleepstatus',
        'graphyv2',
        'timetable',
        'spmessage',
        'stopwatch',
        'pastebin',
        'App category modder',
        'Remote access client',
        'Page router',
      ]);
      await page.keyboard.type('time');
      await page.keyboard.press('Enter');
      await page.getByText('opens timetable').waitFor();
      await fillLogin(page, name, password);
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.waitForURL('**/timetable');
    });

    test('the three buttons log in and open their page', async () => {
      const { name, password } = await createUser();
      const page = await reusePage(site, undefined, '/login', { size: 'phone' });
      await fillLogin(page, name, password);
      await page.getByRole('button', { name: 'Go to shop planner' }).click();
      await page.waitForURL('**/shopplanner');
    });

    test('the login returns to the page that needs it, and a logout does not', async () => {
      const { name, password } = await createUser();
      const page = await site.browser.openPage(site.server.origin, '/shopplanner');
      await page.waitForURL('**/login');
      await page.getByText('opens Shopping planner').waitFor();
      await fillLogin(page, name, password);
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.waitForURL('**/shopplanner');
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await page.getByText('You are logged out in this browser').waitFor();
      await page.getByText('opens Page router').waitFor();
      await page.goBack();
      await page.waitForURL('**/login');
    });

    test('after another login in the same window, no data of the earlier account is shown', async () => {
      const [first, second] = [await createUser(), await createUser()];
      await planSlot(first, TODAY, { name: 'Of the first', start: '09:00', end: '12:00' });
      await planSlot(second, TODAY, { name: 'Of the second', start: '09:00', end: '12:00' });
      const page = await site.browser.openPage(site.server.origin, '/timetable', {
        before: (blank) => blank.clock.setFixedTime(`${TODAY}T13:12:00Z`),
      });
      async function logIn({ name, password }: TestAccount) {
        await page.waitForURL('**/login');
        await fillLogin(page, name, password);
        await page.getByRole('button', { name: 'Go', exact: true }).click();
      }
      await logIn(first);
      await page.getByText('Of the first').first().waitFor();
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await logIn(second);
      await page.waitForURL('**/pagerouter');
      await Promise.all([page.keyboard.press('g'), page.keyboard.press('t')]);
      await page.getByText('Of the second').first().waitFor();
      expect(await page.getByText('Of the first').count()).toBe(0);
    });

    test('a session that ended elsewhere closes the page with a notice', async () => {
      const { name, token, call } = await createUser();
      const page = await site.browser.openPage(site.server.origin, '/timetable', { token });
      await page.getByRole('heading', { name: 'Timetable' }).waitFor();
      const { logout } = await import('#platform/contract/session.ts');
      await call(logout, {});
      await Promise.all([page.keyboard.press('g'), page.keyboard.press('d')]);
      await page.waitForURL('**/login');
      await page.getByText('invalid token, please re-log').waitFor();
      expect(name).not.toBe('');
    });
  },
);
