import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForIdle } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { pairUsageComputer, type UsageTuple } from '#testing/kits/usage/usedComputer.ts';
import { importactivitywatch, modifyapplicationcatinfo } from '#tools/screentime/contract.ts';

const site = startTestSite({ rateLimits: false });
const ALL = 'All Applications (click on the boxes next to names to hide)';

let owner: TestAccount;

beforeAll(async () => {
  if (site.skipReason !== undefined) return;
  owner = await site.server.createAccount('owner');
  const computer = await pairUsageComputer(site.server, owner, 'desk');
  await computer.reportUse(
    ['code', 'on', '2026-03-02T10:00Z', '2026-03-02T12:00Z'],
    ['mail', 'on', '2026-03-02T12:00Z', '2026-03-02T12:30Z'],
    // None on the 3rd.
    ['code', 'on', '2026-03-04T10:00Z', '2026-03-04T15:00Z'],
    ['vlc', 'on', '2026-03-04T18:00Z', '2026-03-04T19:00Z'],
  );
  await owner.call(modifyapplicationcatinfo, { keys: {}, cats: { work: ['code', 'mail'], unassigned: ['vlc'] } });
});

const getStatus = (page: Page): Locator => page.getByRole('form').getByRole('status');
const submit = async (page: Page): Promise<void> => page.getByRole('button', { name: 'Submit' }).click();
const getChart = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true });

/** Runs in the page: records texts that are drawn on canvases. */
function recordTexts(): void {
  const texts: string[] = [];
  Object.assign(window, { texts });
  const { prototype } = CanvasRenderingContext2D;
  const note: ProxyHandler<typeof prototype.fillText> = {
    apply: (write, on, given: Parameters<typeof prototype.fillText>) => {
      texts.push(given[0]);
      Reflect.apply(write, on, given);
    },
  };
  prototype.fillText = new Proxy(Reflect.get(prototype, 'fillText'), note);
}
const written = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (window as unknown as { readonly texts: readonly string[] }).texts);

/** Returns the cells of a chart's table, row by row. */
const readTable = async (page: Page, title: string): Promise<readonly (readonly string[])[]> =>
  getChart(page, title)
    .locator('tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));

describe.skipIf(site.skipReason)(`/graphy (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a returning user just clicks submit and sees one chart of all, per type and per application', async () => {
    const page = await reusePage(site, owner, '/graphy', { before: (blank) => blank.addInitScript(recordTexts) });
    await page.getByRole('heading', { name: 'Returning users can just click submit' }).waitFor();
    expect(await page.getByRole('link', { name: 'Go to version two' }).getAttribute('href')).toBe('/graphyv2');
    expect(await getStatus(page).textContent()).toBe('Enter your login');
    expect(await page.getByRole('spinbutton', { name: 'Minimum height of y axis' }).inputValue()).toBe('10');
    expect(await findBarriers(page)).toEqual([]);
    await submit(page);
    await expect.poll(() => getStatus(page).textContent()).toBe('3 days, 3 applications');
    const titles = page.locator('section[aria-labelledby] h2');
    expect(await titles.allTextContents()).toEqual([
      ALL,
      'work',
      'unassigned',
      'code Usage Time (Hours)',
      'vlc Usage Time (Hours)',
      'mail Usage Time (Hours)',
    ]);
    expect(await getChart(page, 'work').getByRole('checkbox').allTextContents()).toEqual(['code', 'mail']);
    const drawn = getChart(page, ALL).getByRole('img', { name: ALL });
    expect(await drawn.getAttribute('aria-label')).toContain('Mon 2 Mar 2026 to Wed 4 Mar 2026. Highest: code, 5.0');
    await drawn.locator('canvas').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await expect.poll(() => written(page)).toContain('10');
    expect(await written(page)).not.toContain('25');
    await page.getByRole('spinbutton', { name: 'Minimum height of y axis' }).fill('23');
    // In steps of 5 on the tall chart, of 10 on the small ones.
    await expect.poll(() => written(page)).toEqual(expect.arrayContaining(['25', '30']));
  });

  test('keys and pointer read the values of a day; checkboxes, table and running totals show the same numbers', async () => {
    const page = await reusePage(site, owner, '/graphy', { scheme: 'dark' });
    await submit(page);
    const chart = getChart(page, ALL);
    await chart.locator('canvas').waitFor();
    const walk = chart.getByRole('slider', { name: `Values of ${ALL}` });
    await walk.focus();
    expect(await walk.getAttribute('aria-valuetext')).toBe('Wed 4 Mar 2026, code 5.0, vlc 1.0');
    await page.keyboard.press('Home');
    expect(await walk.getAttribute('aria-valuetext')).toBe('Mon 2 Mar 2026, code 2.0, mail 0.50');
    await chart.getByText('Mon 2 Mar 2026', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await chart.getByText('Mon 2 Mar 2026', { exact: true }).waitFor({ state: 'hidden' });
    // The right end of the plot is the last day.
    const box = await chart.locator('canvas').boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 40, (box?.y ?? 0) + 40);
    await chart.getByText('Wed 4 Mar 2026', { exact: true }).waitFor();
    await chart.getByRole('checkbox', { name: 'mail' }).click();
    expect(await chart.getByRole('checkbox', { name: 'mail' }).getAttribute('aria-checked')).toBe('false');
    await chart.getByRole('button', { name: `Table of ${ALL}` }).click();
    expect(await readTable(page, ALL)).toEqual([
      ['Day', 'code', 'vlc'],
      ['Mon 2 Mar 2026', '2.0', '0'],
      ['Tue 3 Mar 2026', '0', '0'],
      ['Wed 4 Mar 2026', '5.0', '1.0'],
    ]);
    await page.getByRole('switch', { name: 'Accumulative totals' }).click();
    await chart.getByRole('checkbox', { name: 'code' }).click({ modifiers: ['Alt'] });
    expect(await readTable(page, ALL)).toEqual([
      ['Day', 'code'],
      ['Mon 2 Mar 2026', '2.0'],
      ['Tue 3 Mar 2026', '2.0'],
      ['Wed 4 Mar 2026', '7.0'],
    ]);
    await waitForIdle(page);
    expect(await findBarriers(page)).toEqual([]);
  });

  test('a refused login says why below the form, and a successful one lasts 300 days', async () => {
    const page = await site.browser.openPage(site.server.origin, '/graphy');
    await submit(page);
    await page.getByRole('alert').getByText('invalid token, please re-log').waitFor();
    await page.getByRole('textbox', { name: 'Username' }).fill('owner');
    await page.getByLabel('Password', { exact: true }).fill('not this one');
    await submit(page);
    await expect.poll(() => getStatus(page).textContent()).toMatch(/wrong|password/i);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await submit(page);
    await expect.poll(() => getStatus(page).textContent()).toBe('3 days, 3 applications');
    const storedToken = (await page.context().cookies()).find(({ name }) => name === 'usertoken');
    expect(storedToken?.value).toBeTruthy();
    expect((storedToken?.expires ?? 0) - Date.now() / 1000).toBeGreaterThan(299 * 86_400);
    await page.reload();
    await submit(page);
    await expect.poll(() => getStatus(page).textContent()).toBe('3 days, 3 applications');
  });

  test('a user without data reads that there is none, on a phone, and new credentials replace the stored token', async () => {
    const other = await site.server.createAccount('other');
    const page = await reusePage(site, other, '/graphy', { size: 'phone' });
    await submit(page);
    await page.getByText('No usage recorded yet').waitFor();
    await page.getByRole('textbox', { name: 'Username' }).fill('owner');
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await submit(page);
    await expect.poll(() => getStatus(page).textContent()).toBe('3 days, 3 applications');
    const storedToken = (await page.context().cookies()).filter(({ name }) => name === 'usertoken');
    expect(storedToken).toHaveLength(1);
    expect(storedToken[0]?.value).not.toBe(other.token);
    await page.reload();
    await submit(page);
    await expect.poll(() => getStatus(page).textContent()).toBe('3 days, 3 applications');
  });

  test('a thousand applications and an old wrong date leave the page usable, as distant charts are created late', async () => {
    const account = await site.server.createAccount('many');
    const computer = await pairUsageComputer(site.server, account, 'desk');
    const names = Array.from({ length: 1000 }, (_, index) => `app ${index}`);
    await computer.reportUse(
      ...names.map((name, index): UsageTuple => {
        const begin = Temporal.Instant.from('2026-03-02T00:00Z').add({ seconds: index * 60 });
        return [name, 'on', begin.toString(), begin.add({ seconds: index === 999 ? 50 : 60 }).toString()];
      }),
    );
    await account.call(importactivitywatch, {
      hostname: 'old',
      window: [{ timestamp: '2007-01-02T10:00:00Z', duration: 60, app: 'stray' }],
      away: [],
    });
    const page = await reusePage(site, account, '/graphy?x', {
      before: (blank) =>
        blank.addInitScript(() => {
          Object.defineProperty(navigator, 'language', { value: 'C', configurable: true });
        }),
    });
    await submit(page);
    await expect.poll(() => getStatus(page).textContent()).toBe('4 days, 1001 applications');
    await getChart(page, ALL).locator('canvas').waitFor();
    // Of 1,003 charts the first ones, of 2,002 checkboxes the visible ones.
    const count = async (selector: string): Promise<number> => page.locator(selector).count();
    expect(await count('section[aria-labelledby] h2')).toBeLessThan(40);
    expect(await count('[role=checkbox]')).toBeLessThan(300);
    // The other checkboxes appear by scrolling, and work like the first ones.
    const legend = getChart(page, ALL).getByRole('group', { name: 'Lines' });
    await legend.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    const last = legend.getByRole('checkbox', { name: 'app 999', exact: true });
    await last.click();
    expect(await last.getAttribute('aria-checked')).toBe('false');
    await page.evaluate(() => document.querySelector('[data-scrolls], main')?.scrollTo(0, 1e9));
    await page.evaluate(() => scrollTo(0, 1e9));
    await getChart(page, 'app 999 Usage Time (Hours)').locator('canvas').waitFor();
    expect(await count('section[aria-labelledby] h2')).toBeLessThan(80);
  });

  test('on a phone, distant charts are drawn when they scroll near', async () => {
    const page = await reusePage(site, owner, '/graphy', { size: 'phone' });
    await submit(page);
    await getChart(page, ALL).locator('canvas').waitFor();
    const last = getChart(page, 'mail Usage Time (Hours)');
    expect(await last.locator('canvas').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await last.scrollIntoViewIfNeeded();
    await last.locator('canvas').waitFor();
  });
});
