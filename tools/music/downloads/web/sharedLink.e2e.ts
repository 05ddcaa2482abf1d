import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getSkipReason } from '#testing/machine.ts';
import { downloads } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
const skipReason = site.skipReason ?? getSkipReason('yt-dlp', 'ffmpeg');

/** Returns the address that the browser opens for shared content (apps/web/public/manifest.webmanifest). */
const shared = (text: string): string => `/musicmusic?${new URLSearchParams({ title: 'A song', text, url: '' })}`;
const button = (within: Locator, name: string): Locator => within.getByRole('button', { name, exact: true });

const LINK = 'https://songs.invalid/watch?v=a_rather_long_name_that_no_phone_has_the_room_for';

describe.skipIf(skipReason)(`links shared with Pegboard (${skipReason ?? 'in Chromium'})`, () => {
  test('after the login a shared link is queued by its button, and content without a link shows a message', async () => {
    const account = await site.server.createAccount('ada');
    const page = await site.browser.openPage(site.server.origin, shared(`Listen: ${LINK}.`), { size: 'phone' });
    await page.waitForURL('**/login');
    await page.getByLabel('Username').fill(account.name);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.keyboard.press('Enter');
    const box = page.getByRole('region', { name: 'Shared with Pegboard' });
    await box.getByText(LINK, { exact: true }).waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    expect((await account.call(downloads, {})).downloads).toEqual([]);

    await button(box, 'Not now').click();
    await box.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    // A login for this visit only survives a reload.
    await page.reload();
    await page.getByRole('heading', { name: 'All MP3s' }).waitFor();
    expect(await box.count()).toBe(0);

    // Like after 'Stay logged in'.
    await page.context().addCookies([{ name: 'usertoken', value: account.token, url: site.server.origin }]);
    await page.goto(shared('no address'));
    await box.getByText('The shared text contains no link').waitFor();
    expect(await button(box, 'Download').count()).toBe(0);
    await button(box, 'Close').click();
    await box.waitFor({ state: 'detached' });
    await waitForIdle(page);

    await page.goto(shared(LINK));
    await button(box, 'Download').click();
    await box.waitFor({ state: 'detached' });
    await page
      .getByRole('status')
      .filter({ hasText: /^1 (in progress|failed)$/ })
      .waitFor();
    expect((await account.call(downloads, {})).downloads).toHaveLength(1);
    expect(new URL(page.url()).search).toBe('');
  });
});
