import { describe, expect, test } from 'vitest';
import { waitForFocus, waitForIdle } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';

const site = startTestSite();

describe.skipIf(site.skipReason)(`the shell${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`, () => {
  test('Ctrl+K finds a page and opens it', async () => {
    const page = await reusePage(site, undefined, '/pagerouter');
    await page.getByRole('heading', { name: 'Pages' }).waitFor();
    await waitForIdle(page);
    await page.keyboard.press('Control+k');
    const search = page.getByPlaceholder('Search pages and commands');
    await search.waitFor();
    await search.fill('countdown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/stopwatch');
    await page.getByRole('heading', { name: 'Timer' }).waitFor();
    await page.keyboard.press('Control+k');
    await search.waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'hidden' });
  });

  test('text typed before the palette is loaded goes into it, and opens no page', async () => {
    const page = await site.browser.openPage(site.server.origin, '/pagerouter');
    await page.clock.setFixedTime(new Date('2026-11-21T12:00:00'));
    await page.getByRole('heading', { name: 'Pages' }).waitFor();
    // A key that is pressed while the page is being rendered can get lost.
    await waitForIdle(page);
    const requested = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    await page.route('**/assets/Overlays-*.js', async (route) => {
      requested.resolve(undefined);
      await released.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await requested.promise;
    await page.keyboard.type('gw');
    released.resolve(undefined);
    const search = page.getByPlaceholder('Search pages and commands');
    await waitForFocus(search);
    await expect.poll(() => search.inputValue()).toBe('gw');
    expect(new URL(page.url()).pathname).toBe('/pagerouter');
  });

  test('letters open pages, except in a field and when they are turned off', async () => {
    const page = await site.browser.openPage(site.server.origin, '/pagerouter');
    const find = page.getByLabel('Find a page');
    await find.fill('');
    await waitForFocus(find);
    await page.keyboard.type('gw');
    await expect.poll(() => find.inputValue()).toBe('gw');
    await find.blur();
    // In one call, because letters more than 1.5 s apart are not a sequence.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('w')]);
    await page.waitForURL('**/stopwatch');
    await page.getByRole('heading', { name: 'Timer' }).waitFor();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Shopping planner').waitFor();
    for (const name of ['Start or pause', 'Reset', 'Lap']) await sheet.getByText(name, { exact: true }).waitFor();
    await page.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck({ force: true });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.type('gp?');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages and commands').waitFor();
    expect(new URL(page.url()).pathname).toBe('/stopwatch');
  });

  test('a navigation focuses the heading, and the skip link skips the rail', async () => {
    const page = await reusePage(site, undefined, '/pagerouter');
    await page.getByRole('navigation', { name: 'Tools' }).getByRole('link', { name: 'Timer' }).click();
    await page.waitForFunction(() => document.activeElement?.textContent === 'Timer');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    // Pegboard adds the remaining time to the title (docs/specification/timer.md section 4).
    await expect.poll(() => page.title()).toBe('10:00');
    const skip = page.getByText('Skip to content');
    await skip.focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });

  test('the rail can be widened to show names, and stays wide', async () => {
    const page = await site.browser.openPage(site.server.origin, '/pagerouter');
    const rail = page.getByRole('navigation', { name: 'Tools' });
    await rail.waitFor();
    await waitForIdle(page);
    await page.keyboard.press('[');
    await rail.getByText('Screen time').waitFor();
    await page.reload();
    await rail.getByText('Screen time').waitFor();
    // For a page without a place in the rail, its parent page is marked.
    await page.goto('/graphy');
    await expect.poll(() => rail.locator('[aria-current]').allInnerTexts()).toEqual(['Screen time']);
  });

  test('the colour scheme is selected in the account menu, and applied before the first paint', async () => {
    const page = await site.browser.openPage(site.server.origin, '/pagerouter', { expects: /ERR_FAILED/ });
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    const getBackground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await getBackground()).toBe('rgb(15, 15, 18)');
    // While the code of the page is delayed, only the script in the head has run.
    await page.route('**/assets/index-*.js', (route) => route.abort());
    await page.goto('/', { waitUntil: 'commit' }).catch(() => undefined);
    await page.waitForFunction(() => document.documentElement.dataset['mantineColorScheme'] === 'dark');
  });

  test('on a phone, the bottom bar opens the list of all pages', async () => {
    const page = await reusePage(site, undefined, '/pagerouter', { size: 'phone' });
    await page.getByRole('button', { name: 'More' }).click();
    const sheet = page.getByRole('dialog', { name: 'All pages' });
    await sheet.getByLabel('Search pages').fill('timer');
    await sheet.getByRole('link', { name: 'Timer', exact: true }).click();
    await page.waitForURL('**/stopwatch');
    await sheet.waitFor({ state: 'detached' });
  });

  test('an unknown address shows Not Found :( with a button to the home page', async () => {
    const page = await site.browser.openPage(site.server.origin, '/no/such/page', { expects: /404 \(Not Found\)/ });
    await page.getByRole('heading', { name: 'Not Found :(' }).waitFor();
    await page.getByRole('button', { name: 'home' }).click();
    await page.getByRole('button', { name: 'log in' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('a part that is missing after an upgrade reloads the page once', async () => {
    const page = await site.browser.openPage(site.server.origin, '/pagerouter', {
      expects: /404|dynamically imported module/,
    });
    let isOld = true;
    await page.route('**/assets/BirdsPage-*.js', async (route) => {
      if (isOld) await route.fulfill({ status: 404 });
      else await route.continue();
    });
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isOld = false;
    });
    await page.getByRole('button', { name: '/birb', exact: true }).click();
    await page.getByRole('heading', { name: 'birb' }).waitFor();
  });

  test('a part that stays missing shows Unexpected Application Error! with the message, Reload and home', async () => {
    const page = await site.browser.openPage(site.server.origin, '/pagerouter', {
      expects: /404|dynamically imported module/,
    });
    await page.route('**/assets/BirdsPage-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: '/birb', exact: true }).click();
    await page.getByRole('heading', { name: 'Unexpected Application Error!' }).waitFor();
    await page.getByText('dynamically imported module').waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    await expect.poll(() => page.title()).toBe('Unexpected Application Error!');
    await page.getByRole('button', { name: 'home' }).click();
    await page.getByRole('button', { name: 'log in' }).waitFor();
  });

  test('the strip below the header shows that the server is lost, and disappears when it is back', async () => {
    const page = await site.browser.openPage(site.server.origin, '/pagerouter', { expects: /ERR_|Failed to load/ });
    await page.getByRole('heading', { name: 'Pages' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Offline. The server cannot be reached').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Offline. The server cannot be reached').waitFor({ state: 'detached' });
  });
});
