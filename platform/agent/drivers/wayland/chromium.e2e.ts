import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSway, type SwayDesktop } from '#testing/kits/desktop/sway.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { findProgram, getSkipReason } from '#testing/machine.ts';
import { openDesktopSession } from '../openDesktopSession.ts';

const skipReason = getSkipReason('sway', 'xkbcli', 'chromium');

/** A Chromium window on the desktop with a focused text area. */
async function openTextArea(sway: SwayDesktop): Promise<Page> {
  const browser = await chromium.launch({
    executablePath: findProgram('chromium') ?? '',
    headless: false,
    args: ['--no-sandbox', '--disable-gpu', '--ozone-platform=wayland'],
    env: Object.fromEntries(Object.entries(sway.env).filter((pair): pair is [string, string] => pair[1] !== undefined)),
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.setContent('<textarea autofocus></textarea>');
  await page.click('textarea');
  return page;
}

describe.skipIf(skipReason)(`typing into Chromium on sway${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  test('texts of all scripts arrive exactly, keys act as themselves, and the mouse clicks where it is', async () => {
    const folder = createTempFolderSync();
    await using sway = await startSway();
    await sway.setLayout('de');
    await using session = await openDesktopSession({ env: sway.env, heldPath: join(folder, 'held.json') });
    const page = await openTextArea(sway);
    await expect.poll(() => session.windows.getActive()?.application).toMatch(/chrom/i);
    for (const text of ['Grüße, "мир" — 你好 👋 𝑎', '👍🏽 👩‍👩‍👧 🇫🇷🇩🇪 ❤️', 'zyx [] {} @ € ß ^ `', 'ä\nβ\n\nγ']) {
      await page.fill('textarea', '');
      expect(await session.keyboard.type(text)).toEqual({ dropped: [] });
      await expect.poll(() => page.inputValue('textarea')).toBe(text);
    }
    for (const character of ['#', 'é', 'ä', '€', 'ÿ']) {
      await page.fill('textarea', '');
      await session.keyboard.type(character);
      await expect.poll(() => page.inputValue('textarea')).toBe(character);
    }
    await page.evaluate(() => {
      const codes: string[] = [];
      Object.assign(window, { codes });
      addEventListener('keydown', ({ code }) => codes.push(code));
    });
    await session.keyboard.type('az\t');
    const codes = await page.evaluate(() => (window as unknown as { readonly codes: readonly string[] }).codes);
    expect(codes).toEqual(['KeyA', 'KeyY', 'Tab']);

    await page.setContent('<button style="position: fixed; inset: 0; width: 100%">press</button><p hidden>pressed</p>');
    await page.evaluate(() =>
      document
        .querySelector('button')
        ?.addEventListener('click', () => document.querySelector('p')?.removeAttribute('hidden')),
    );
    session.mouse.centre();
    session.mouse.move(7, -5);
    session.mouse.button('left', true);
    session.mouse.button('left', false);
    await expect.poll(() => page.locator('p[hidden]').count()).toBe(0);
  });
});
