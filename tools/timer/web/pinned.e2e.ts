import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { STEPS } from './steps.ts';

const site = startTestSite();
const open = (path: string, options?: OpenPageOptions): Promise<Page> =>
  site.browser.openPage(site.server.origin, path, options);
const getButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Returns the small window that this click opens. */
async function openSmallWindow(page: Page, name: string): Promise<Page> {
  const opened = page.context().waitForEvent('page');
  await getButton(page, name).click();
  const small = await opened;
  await small.getByRole('timer').waitFor();
  return small;
}

describe.skipIf(site.skipReason)(`the timer in a small window (${site.skipReason ?? 'in Chromium'})`, () => {
  test('has the styles, buttons and sound of the page, and closes with it', async () => {
    const page = await open('/stopwatch');
    const small = await openSmallWindow(page, 'Small window');
    await small.setViewportSize({ width: 320, height: 190 });
    // Both inline styles under the CSP and stylesheet files are applied.
    await expect
      .poll(() => getButton(small, 'Start').evaluate((element) => getComputedStyle(element).backgroundColor))
      .toBe('rgb(26, 26, 33)');
    await getButton(small, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await expect.poll(() => small.getByRole('timer').innerText()).toMatch(/^09:[0-5]\d$/);
    await getButton(small, 'Test audio').click();
    await getButton(small, 'Pause').click();
    await getButton(page, 'Start').waitFor();
    await getButton(page, 'Reset').click();
    await expect.poll(() => small.getByRole('timer').innerText()).toBe('10:00');
    const isFullyVisible = await small.evaluate(
      () => document.documentElement.scrollHeight <= 190 && document.documentElement.scrollWidth <= 320,
    );
    expect(isFullyVisible).toBe(true);
    expect(await findBarriers(small)).toEqual([]);
    // It stays open while the user visits other pages.
    await page.getByRole('navigation', { name: 'Tools' }).getByRole('link').first().click();
    await page.getByRole('timer').waitFor({ state: 'detached' });
    await getButton(small, 'Start').click();
    await expect.poll(() => small.getByRole('timer').innerText()).toMatch(/^09:[0-5]\d$/);
  });
});

describe.skipIf(site.skipReason)(`the timer's help page (${site.skipReason ?? 'in Chromium'})`, () => {
  test('opens from the timer, and has nine numbered steps with pictures and the small window', async () => {
    const page = await open('/stopwatch');
    await page.getByRole('link', { name: 'Full screen/minify' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/stopwatch/minify');
    const steps = page.getByRole('listitem');
    await expect.poll(() => steps.count()).toBe(9);
    for (const [index, { text, alt, width, height }] of STEPS.entries()) {
      await steps.nth(index).getByText(text, { exact: true }).waitFor();
      const picture = steps.nth(index).getByRole('img', { name: alt, exact: true });
      await picture.scrollIntoViewIfNeeded();
      await expect
        .poll(() => picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]))
        .toEqual([width, height]);
    }
    const small = await openSmallWindow(page, 'Open small window');
    await getButton(small, 'Start').click();
    await getButton(small, 'Pause').waitFor();
    await page.getByRole('link', { name: 'Back to the timer' }).click();
    await getButton(page, 'Pause').waitFor();
  });

  test('explains what is missing: a picture that does not load, a browser without small windows', async () => {
    const page = await open('/stopwatch/minify', {
      expects: /ERR_FAILED/,
      before: async (blank) => {
        await blank.route('**/images/minify/2.png', (route) => route.abort());
        await blank.addInitScript(() => Reflect.deleteProperty(window, 'documentPictureInPicture'));
      },
    });
    await page.getByRole('listitem').nth(1).getByText('[failedload]', { exact: true }).waitFor();
    await expect.poll(() => page.getByText('[failedload]').count()).toBe(1);
    await page.getByText("This browser can't open a small window. Follow the nine steps to create one").waitFor();
    await getButton(page, 'Open small window').waitFor({ state: 'detached' });
  });

  test.for<OpenPageOptions>([
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
  ])('has no barrier: $size $scheme', { tags: 'matrix' }, async (options) => {
    const page = await open('/stopwatch/minify', options);
    await page.getByRole('listitem').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});
