import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';

const site = startTestSite();
avoidMidnight();

const openBirds = (options?: OpenPageOptions): Promise<Page> => reusePage(site, undefined, '/birb', options);
const getPlusButton = (page: Page) => page.getByRole('button', { name: 'Add a sighting' });
const getDialog = (page: Page) => page.getByRole('dialog', { name: 'Add a sighting' });
const getSelector = (page: Page, label: string) =>
  getDialog(page).getByRole('button', { name: new RegExp(`^${label}`) });
const getBoard = (page: Page) => page.getByRole('region', { name: 'Board of birds and feeders' });
const readToday = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
  });

async function openForm(page: Page): Promise<void> {
  await getPlusButton(page).click();
  await getDialog(page).waitFor();
}
async function chooseOption(page: Page, label: string, option: string): Promise<void> {
  await getSelector(page, label).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
async function addEntry(page: Page, kind: 'bird' | 'feeder', name: string): Promise<void> {
  const row = getDialog(page).getByRole('group', { name: `new ${kind}` });
  if ((await row.count()) === 0) await chooseOption(page, kind === 'bird' ? 'Bird' : 'Feeder', `new ${kind}`);
  await row.getByRole('textbox', { name: `Name for the new ${kind}` }).fill(name);
  await row.getByRole('button', { name: `Add ${kind}` }).click();
  await row.waitFor({ state: 'detached' });
}

describe.skipIf(site.skipReason)(`the bird tracker (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the plus button opens a form with bird, feeder, date, and a submit button that does nothing', async () => {
    const page = await openBirds();
    await page.getByText('Your birds and feeders are deleted when you close this page').waitFor();
    await page.getByText('unfinished', { exact: true }).waitFor();
    await openForm(page);
    await getSelector(page, 'Bird').getByText('new bird', { exact: true }).waitFor();
    await getSelector(page, 'Feeder').getByText('new feeder', { exact: true }).waitFor();
    await expect.poll(() => getDialog(page).getByLabel('Date').inputValue()).toBe(await readToday(page));
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const before = await getDialog(page).innerText();
    await getDialog(page).getByRole('button', { name: 'Submit' }).click();
    await getDialog(page).getByLabel('Date').press('Enter');
    await expect.poll(() => getDialog(page).innerText()).toBe(before);
    expect(new URL(page.url()).pathname).toBe('/birb');
    expect(requests).toEqual([]);
    await page.keyboard.press('Escape');
    await getDialog(page).waitFor({ state: 'detached' });
    await page.getByText('Birds appear here under the feeders they visit').waitFor();
  });

  test('a new feeder and a new bird get a name and a colour, and appear on the board', async () => {
    const page = await openBirds();
    await openForm(page);
    await getDialog(page).getByLabel('Colour for the new feeder').fill('#2e9e5b');
    await addEntry(page, 'feeder', 'apple tree');
    await getSelector(page, 'Feeder').getByText('apple tree').waitFor();
    await getDialog(page).getByLabel('Date').fill('2026-11-19');
    const colour = getDialog(page).getByLabel('Colour for the new bird');
    await expect.poll(() => colour.inputValue()).toMatch(/^#[0-9a-f]{6}$/);
    await colour.fill('#c2413b');
    await getDialog(page).getByLabel('Name for the new bird').fill('robin');
    await getDialog(page).getByLabel('Name for the new bird').press('Enter');
    await getSelector(page, 'Bird').getByText('robin').waitFor();
    await expect.poll(() => getDialog(page).getByRole('status').textContent()).toBe('Added robin to the board');
    // The focus must survive the removal of the row.
    expect(await getSelector(page, 'Bird').evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await getDialog(page).waitFor({ state: 'detached' });

    const tree = getBoard(page).getByRole('region', { name: 'apple tree' });
    const robin = tree.getByRole('listitem').filter({ hasText: 'robin' });
    await robin.getByText('19 Nov 2026').waitFor();
    expect(await robin.evaluate((card) => getComputedStyle(card).getPropertyValue('--c'))).toBe('#c2413b');
  });

  test('both selects offer the existing entries and a new one, and a draft survives closing the form', async () => {
    const page = await openBirds();
    await openForm(page);
    for (const name of ['window', 'balcony']) await addEntry(page, 'feeder', name);
    await chooseOption(page, 'Feeder', 'window');
    for (const name of ['blue tit', 'wren']) await addEntry(page, 'bird', name);
    await getSelector(page, 'Bird').click();
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['blue tit', 'wren', 'new bird']);
    await page.getByRole('option', { name: 'new bird' }).click();
    await getSelector(page, 'Feeder').click();
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['window', 'balcony', 'new feeder']);
    await page.keyboard.press('Escape');
    await getDialog(page).getByLabel('Name for the new bird').fill('half a na');
    await page.keyboard.press('Escape');
    await getDialog(page).waitFor({ state: 'detached' });
    await expect
      .poll(() => getBoard(page).getByRole('region', { name: 'window' }).getByRole('listitem').count())
      .toBe(2);
    await expect
      .poll(() => getBoard(page).getByRole('region', { name: 'balcony' }).getByRole('listitem').count())
      .toBe(0);
    await openForm(page);
    await expect.poll(() => getDialog(page).getByLabel('Name for the new bird').inputValue()).toBe('half a na');
  });

  test('a bird without a feeder appears too, and a name is required', async () => {
    const page = await openBirds();
    await page.getByRole('button', { name: 'Add a bird or a feeder' }).click();
    await getDialog(page).waitFor();
    for (const [kind, name] of [
      ['bird', ''],
      ['feeder', '   '],
    ] as const) {
      await getDialog(page).getByLabel(`Name for the new ${kind}`).fill(name);
      await getDialog(page)
        .getByRole('button', { name: `Add ${kind}` })
        .click();
      await getDialog(page)
        .getByRole('group', { name: `new ${kind}` })
        .getByText('Enter a name')
        .waitFor();
    }
    await getDialog(page).getByLabel('Name for the new bird').fill('x'.repeat(61));
    await getDialog(page).getByRole('button', { name: 'Add bird' }).click();
    await getDialog(page).getByText('This name is too long. Enter at most 60 characters').waitFor();
    await expect.poll(() => getBoard(page).getByRole('listitem').count()).toBe(0);
    await addEntry(page, 'bird', 'goldfinch');
    await page.keyboard.press('Escape');
    await getBoard(page).getByRole('region', { name: 'No feeder' }).getByText('goldfinch').waitFor();
  });

  test('Alt and the plus button open the hidden mode with a number and a date in place of the selects', async () => {
    const page = await openBirds();
    await getPlusButton(page).click({ modifiers: ['Alt'] });
    await getDialog(page).waitFor();
    await getDialog(page).getByRole('spinbutton', { name: 'Number' }).fill('12');
    await getDialog(page).getByLabel('Date').fill('2026-11-20');
    expect(
      await getDialog(page)
        .getByRole('button', { name: /^(Bird|Feeder)/ })
        .count(),
    ).toBe(0);
    await getDialog(page).getByRole('button', { name: 'Submit' }).click();
    await expect.poll(() => getDialog(page).getByRole('spinbutton', { name: 'Number' }).inputValue()).toBe('12');
    await page.keyboard.press('Escape');
    await getDialog(page).waitFor({ state: 'detached' });
    await openForm(page);
    await expect.poll(() => getDialog(page).getByRole('spinbutton').count()).toBe(0);
    await page.keyboard.press('Escape');
    await getDialog(page).waitFor({ state: 'detached' });
    await getPlusButton(page).focus();
    await page.keyboard.press('Alt+Enter');
    await getDialog(page).getByRole('spinbutton', { name: 'Number' }).waitFor();
  });

  test('the data is lost when the page closes', async () => {
    const page = await openBirds();
    await openForm(page);
    await addEntry(page, 'feeder', 'window');
    await addEntry(page, 'bird', 'robin');
    await page.keyboard.press('Escape');
    await getBoard(page).getByText('robin').waitFor();
    expect(await page.evaluate(() => Object.values(localStorage).join(' '))).not.toContain('robin');
    await page.reload();
    await page.getByText('Birds appear here under the feeders they visit').waitFor();
    await expect.poll(() => page.getByText('robin').count()).toBe(0);
  });

  test.for<OpenPageOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])(
    'holds whatever names there are, without a barrier, by keyboard alone: $size $scheme',
    { tags: 'matrix' },
    async (options) => {
      const page = await openBirds(options);
      await getPlusButton(page).focus();
      await page.keyboard.press('Enter');
      await getDialog(page).waitFor();
      for (const name of ['window', 'w'.repeat(60), '<b>balcony</b>', 'apple tree'])
        await addEntry(page, 'feeder', name);
      await chooseOption(page, 'Feeder', 'window');
      for (const name of ['robin', '\u202Eالعصفور', 'm'.repeat(60)]) await addEntry(page, 'bird', name);
      await chooseOption(page, 'Feeder', 'apple tree');
      await addEntry(page, 'bird', '<img src=x onerror=alert(1)>');
      await chooseOption(page, 'Bird', 'new bird');
      expect(await findBarriers(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 700 });
      await waitForIdle(page);
      const isWider = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('main, [role=dialog], [class*=board]')].some(
            (part) => part.scrollWidth > part.clientWidth,
          ),
        );
      expect(await isWider()).toBe(false);
      await page.setViewportSize(options.size === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 800 });
      const folder = process.env['PICTURES'];
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/birb-form-${options.size}-${options.scheme}.png` });
      await page.keyboard.press('Escape');
      await getDialog(page).waitFor({ state: 'detached' });
      expect(await findBarriers(page)).toEqual([]);
      await expect.poll(() => page.locator('main img').count()).toBe(0);
      await page.setViewportSize({ width: 320, height: 700 });
      await waitForIdle(page);
      expect(await isWider()).toBe(false);
      await page.setViewportSize(options.size === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 800 });
    },
  );
});
