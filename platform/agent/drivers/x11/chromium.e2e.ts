import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor, startDesktop, type TestDesktop } from '#testing/kits/desktop/desktop.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { findProgram, getSkipReason } from '#testing/machine.ts';
import { openXClipboard } from './clipboard.ts';
import { openXDesktop } from './desktop.ts';

const skipReason = getSkipReason('Xvfb', 'openbox', 'setxkbmap', 'chromium');

/** A Chromium window on the desktop with a focused text area. */
async function openTextArea(desk: TestDesktop): Promise<Page> {
  const browser = await chromium.launch({
    executablePath: findProgram('chromium') ?? '',
    headless: false,
    args: ['--no-sandbox', '--disable-gpu'],
    env: Object.fromEntries(Object.entries(desk.env).filter((pair): pair is [string, string] => pair[1] !== undefined)),
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.setContent('<textarea autofocus></textarea>');
  await page.click('textarea');
  await desk.waitForFocus();
  return page;
}

describe.skipIf(skipReason)(`typing into Chromium${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  test('sixty characters that the layout lacks arrive exactly, with other characters each time', async () => {
    const folder = createTempFolderSync();
    await using desk = await startDesktop();
    desk.setLayout('us');
    const page = await openTextArea(desk);
    await using agent = await openXDesktop({ display: desk.name, heldPath: join(folder, 'held.json') });
    for (let round = 0; round < 5; round++) {
      await page.fill('textarea', '');
      const foreignCharacters = Array.from({ length: 60 }, (_, index) =>
        String.fromCodePoint(0x4e00 + round * 60 + index),
      ).join('');
      const text = `${foreignCharacters} Grüße, "мир" 👋`;
      await agent.keyboard.type(text);
      await waitFor('the text is there', async () => (await page.inputValue('textarea')).length >= text.length);
      await expect.poll(() => page.inputValue('textarea')).toBe(text);
    }
  });

  test('written text is pasted there, and text that is copied there is read', async () => {
    await using desk = await startDesktop();
    desk.setLayout('us');
    const page = await openTextArea(desk);
    await using clipboard = openXClipboard(desk.name);
    for (const text of ['Grüße, "мир" 👋\nsecond line', '👋'.repeat(10_000), 'x'.repeat(200_000)]) {
      await page.fill('textarea', '');
      await clipboard.write(text);
      await page.keyboard.press('Control+V');
      await waitFor('the text is there', async () => (await page.inputValue('textarea')).length >= text.length);
      await expect.poll(() => page.inputValue('textarea')).toBe(text);
      await page.fill('textarea', `own ${text}`);
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Control+C');
      // A browser that does not respond for two seconds counts as an owner without an answer.
      await waitFor('it is copied', async () => (await clipboard.read().catch(() => '')) === `own ${text}`);
    }
  });
});
