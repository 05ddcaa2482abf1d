import { beforeAll, describe, expect, test } from 'vitest';
import { navigate, pressCopy, pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';

const site = startTestSite();

describe.skipIf(site.skipReason)(
  `the general pages${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    let owner: TestAccount;
    beforeAll(async () => {
      owner = await site.server.createAccount('owner');
    });

    test('the home page links to login, sign-up, pages and timer, and the cookie notice stays dismissed', async () => {
      const page = await site.browser.openPage(site.server.origin, '/');
      const notice = page.getByText("This site uses cookies. If you dislike that, do not click 'stay logged in'.");
      await notice.waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await notice.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('button', { name: 'log in' }).waitFor();
      await expect.poll(() => notice.count()).toBe(0);
      for (const [name, path] of [
        ['log in', '/login'],
        ['sign up', '/signup'],
        ['Just take me to pages', '/pagerouter'],
      ] as const) {
        await page.getByRole('button', { name }).click();
        await page.waitForURL(`**${path}`);
        await page.goBack();
      }
      await page.getByRole('link', { name: 'Go to timer' }).click();
      await page.waitForURL('**/stopwatch');
    });

    test('the page browser marks pages that need a login, filters, and opens the first match on Enter', async () => {
      const page = await reusePage(site, undefined, '/pagerouter');
      await page.getByText('Not logged in').waitFor();
      for (const group of ['High Effort Projects', 'Low Effort Projects', 'Unfinished / broken', 'Routing'])
        await page.getByRole('heading', { name: group }).waitFor();
      const planner = page.getByRole('article').filter({ hasText: 'Shopping planner' });
      await planner.getByRole('button', { name: 'Login to view' }).click();
      await page.waitForURL('**/login');
      await page.goBack();
      await page.getByLabel('Find a page').fill('bird');
      await expect.poll(() => page.getByRole('article').count()).toBe(1);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/birb');
      await page.getByRole('heading', { name: 'birb', level: 1 }).waitFor();
    });

    test('the page browser opens all pages for a logged-in user, and offers to pair a computer', async () => {
      const page = await site.browser.openPage(site.server.origin, '/pagerouter', { token: owner.token });
      await page.getByText('User: owner').waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Login to view' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Pair your computer' }).click();
      await page.waitForURL('**/dashboard/settings/pair');
      await page.goBack();
      await page.getByRole('article').filter({ hasText: 'Timetable' }).getByRole('button', { name: 'Go' }).click();
      await page.waitForURL('**/timetable');
      expect(await page.evaluate(() => (history.state as { usr: unknown }).usr)).toEqual({
        token: owner.token,
        username: 'owner',
      });
    });

    test('the page backy is black and blank, and Esc goes back', async () => {
      const page = await reusePage(site, undefined, '/test');
      await page.getByText('This is a test page').waitFor();
      await navigate(page, '/backy');
      await page.locator('main').waitFor({ state: 'attached' });
      await expect.poll(() => page.title()).toBe('');
      expect(await page.locator('main').evaluate((main) => getComputedStyle(main).backgroundColor)).toBe(
        'rgb(0, 0, 0)',
      );
      await page.keyboard.press('Escape');
      await page.waitForURL('**/test');
      await page.getByText('This is a test page').waitFor();
    });

    test('the calls of the server are listed in words', async () => {
      const page = await site.browser.openPage(site.server.origin, '/api/docs');
      await page.getByText('/api/tokenconv', { exact: true }).click();
      await page.getByRole('rowheader', { name: 'username' }).first().waitFor();
    });

    test('the shared components work: list box, confirm button, copy button, broken image', async () => {
      const page = await site.browser.openPage(site.server.origin, '/test#components', {
        plainHttp: true,
        expects: /404/,
      });
      await page.getByRole('button', { name: 'Connected device' }).click();
      const list = page.getByRole('listbox', { name: 'Connected device' });
      await list.getByRole('option', { name: /laptop/ }).click({ force: true });
      await expect.poll(() => list.isVisible()).toBe(true);
      await list.getByRole('option', { name: /media box/ }).click();
      await list.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /Connected device media box/ }).waitFor();

      await page.getByRole('button', { name: 'Many' }).click();
      expect(await page.getByRole('listbox', { name: 'Many' }).evaluate((box) => box.clientHeight)).toBeLessThanOrEqual(
        200,
      );
      await page.keyboard.press('Escape');

      await pressAndConfirm(
        page.getByRole('button', { name: 'Delete' }),
        page.getByRole('button', { name: 'Confirm Delete' }),
      );
      await page.getByText('confirmed 1 times').waitFor();

      await page.getByRole('button', { name: 'Open a dialog' }).click();
      await page.getByRole('dialog', { name: 'A dialog' }).waitFor();
      // The dialog makes the content behind it inert.
      const overlay = page.locator('[class*=Modal-overlay]');
      await expect
        .poll(async () => overlay.evaluate((element) => getComputedStyle(element).backgroundColor))
        .toBe('rgba(22, 22, 32, 0.4)');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      for (const kind of ['Good', 'Bad', 'Info', 'Bad', 'Info', 'Bad'])
        await page.getByRole('button', { name: kind, exact: true }).click();
      await expect.poll(() => page.getByRole('button', { name: 'Dismiss' }).count()).toBe(5);

      // Without a secure context, copying needs the selection.
      expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
      await pressCopy(page.getByRole('button', { name: 'Copy' }));
      await page.getByText('[failedload]').waitFor();
    });
  },
);
