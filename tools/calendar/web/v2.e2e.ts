import { describe, expect, test } from 'vitest';
import { openLoggedIn } from '#testing/kits/browser/openLoggedIn.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';

const site = startTestSite();

describe.skipIf(site.skipReason)(`the second calendar (${site.skipReason ?? 'in Chromium'})`, () => {
  test('is a placeholder that shows the token and links to the calendar', async () => {
    const anna = await site.server.createAccount('anna');
    const page = await openLoggedIn(site, anna, '/calendarv2');
    await expect.poll(() => page.locator('main code').textContent()).toBe(anna.token);
    await page.getByRole('link', { name: 'Go to the calendar' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events Calendar' }).waitFor();
  });

  test('sends a visitor to the login', async () => {
    const page = await site.browser.openPage(site.server.origin, '/calendarv2');
    await page.waitForURL('**/login');
  });
});
