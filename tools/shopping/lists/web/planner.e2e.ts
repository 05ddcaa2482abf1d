import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForFocus, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createShoplist } from '#testing/kits/planning/planner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { getshoplist } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

const createItem = (name: string, more: object = {}) => ({
  name,
  emoji: '🛒',
  defaultquantity: 6,
  actualquantity: 0,
  state: 0,
  ...more,
});
const createType = (name: string, order: number, more: object = {}) => ({
  name,
  colour: ['rgba(46,158,91,1)', 'rgba(6,70,32,1)'],
  visualised: true,
  order,
  ...more,
});
const WEEKLY_SHOP = {
  items: {
    newapples: createItem('Apples', { actualquantity: 4 }),
    newbasil: createItem('Basil', { state: 3 }),
    newmilk: createItem('Milk', { defaultquantity: 2 }),
    newrope: createItem('Rope'),
  },
  types: { newdairy: createType('Dairy', 2), newfruit: createType('Fruit', 1) },
  links: { newapples: ['newfruit'], newbasil: ['newfruit'], newmilk: ['newdairy'] },
};
const createList = (account: TestAccount, changes: object = WEEKLY_SHOP, name = 'Weekly shop'): Promise<number> =>
  createShoplist(account, name, changes);
async function openList(account: TestAccount, id: number, options: OpenPageOptions = {}): Promise<Page> {
  const page = await reusePage(site, account, `/shopplanner?list=${id}`, options);
  await page.getByRole('textbox', { name: 'List name' }).waitFor();
  return page;
}
const findItem = async (account: TestAccount, id: number, name: string) =>
  Object.values((await account.call(getshoplist, { id })).data.items).find((item) => item.name === name);
const getAmount = async (account: TestAccount, id: number, name: string) =>
  (await findItem(account, id, name))?.actualquantity;
const getState = async (account: TestAccount, id: number, name: string) => (await findItem(account, id, name))?.state;

const row = (page: Page, name: string): Locator => page.getByRole('listitem', { name, exact: true });
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const slider = (page: Page, name: string): Locator => page.getByRole('slider', { name, exact: true });

describe.skipIf(site.skipReason)(`view mode (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows a block for each visible type with its items, and Unsorted for the others', async () => {
    const account = await site.createPerson();
    const page = await openList(account, await createList(account));
    const fruit = page.getByRole('region', { name: 'Fruit', exact: true });
    await fruit.getByRole('listitem', { name: 'Apples' }).getByText('4/6').waitFor();
    await fruit.getByText('0 of 2').waitFor();
    await page.getByRole('region', { name: 'Unsorted' }).getByRole('listitem', { name: 'Rope' }).waitFor();
    await expect
      .poll(() => page.getByRole('heading', { level: 2 }).allInnerTexts())
      .toEqual(expect.arrayContaining(['Unsorted', 'Fruit', 'Dairy']));
    await expect.poll(() => page.title()).toContain('Shopping');
    await page.getByRole('heading', { level: 1, name: 'Shopping Planner' }).waitFor();
  });

  test('a hidden type is not shown, and the page says what is missing', async () => {
    const account = await site.createPerson();
    const hidden = {
      items: { newa: createItem('Candles') },
      types: { newt: createType('Later', 1, { visualised: false }) },
      links: { newa: ['newt'] },
    };
    const page = await openList(account, await createList(account, hidden));
    await page.getByText('1 item is not shown: its types are not visible').waitFor();
    await button(page, 'Show types').click();
    await page.waitForURL(/edit=1/);
  });

  test('plus has no upper limit, minus does nothing at 0', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id);
    for (let press = 0; press < 3; press += 1) await button(page, 'One more Milk').click();
    await row(page, 'Milk').getByText('3/2').waitFor();
    await expect.poll(() => slider(page, 'Milk').getAttribute('aria-valuetext')).toBe('3 of 2');
    for (let press = 0; press < 5; press += 1) await button(page, 'One fewer Milk').click();
    await row(page, 'Milk').getByText('0/2').waitFor();
    await button(page, 'One more Milk').click();
    await row(page, 'Milk').getByText('1/2').waitFor();
    await expect.poll(() => getAmount(account, id, 'Milk')).toBe(1);
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  test('plus repeats while pressed, and Undo reverts the whole hold', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id);
    await button(page, 'One more Apples').hover();
    await page.mouse.down();
    await expect.poll(async () => Number(await row(page, 'Apples').locator('b').innerText())).toBeGreaterThanOrEqual(8);
    await page.mouse.up();
    await expect.poll(() => getAmount(account, id, 'Apples')).toBeGreaterThanOrEqual(8);
    await button(page, 'Undo').click();
    await row(page, 'Apples').getByText('4/6').waitFor();
    await expect.poll(() => getAmount(account, id, 'Apples')).toBe(4);
  });

  test('the slider goes from 0 to the desired quantity, by keyboard and by dragging', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id);
    const apples = slider(page, 'Apples');
    expect([await apples.getAttribute('min'), await apples.getAttribute('max')]).toEqual(['0', '6']);
    await apples.press('End');
    await row(page, 'Apples').getByText('6/6').waitFor();
    await apples.press('ArrowLeft');
    await row(page, 'Apples').getByText('5/6').waitFor();
    await expect.poll(() => getAmount(account, id, 'Apples')).toBe(5);
    const box = await apples.boundingBox();
    if (!box) throw new Error('the slider is not seen');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.8, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 1, y, { steps: 4 });
    await row(page, 'Apples').getByText('0/6').waitFor();
    await page.mouse.up();
    await expect.poll(() => getAmount(account, id, 'Apples')).toBe(0);
  });

  test('a change of another user never moves a slider that is being dragged', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id);
    const other = await openList(account, id);
    const box = await slider(page, 'Apples').boundingBox();
    if (!box) throw new Error('the slider is not seen');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.6, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 1, y, { steps: 4 });
    await row(page, 'Apples').getByText('6/6').waitFor();
    await button(other, 'One fewer Apples').click();
    await button(other, 'Tick Basil').click();
    await row(page, 'Basil').and(page.locator('[data-done]')).waitFor();
    await row(page, 'Apples').getByText('6/6').waitFor();
    await page.mouse.up();
    await expect.poll(() => getAmount(account, id, 'Apples')).toBe(6);
    await row(other, 'Apples').getByText('6/6').waitFor();
  });

  test.for(['wide', 'phone'] as const)('name and amount of a counted item share one baseline (%s)', async (size) => {
    const account = await site.createPerson();
    const page = await openList(account, await createList(account), { size });
    await row(page, 'Apples').getByText('4/6').waitFor();
    const baselines = await row(page, 'Apples').evaluate((its) => {
      const texts = [its.querySelector('[dir=auto]'), its.querySelector('b')];
      return texts.map((text) => {
        // Without a size, it is on the baseline of the text before it.
        const mark = document.createElement('i');
        mark.style.display = 'inline-block';
        text?.after(mark);
        if (text?.matches('[dir=auto]')) text.append(mark);
        const { bottom } = mark.getBoundingClientRect();
        mark.remove();
        return bottom;
      });
    });
    expect(baselines[1]).toBeCloseTo(baselines[0] ?? 0, 0);
  });

  test('checkbox items have tick, cross and question mark; done items are dim and keep their place', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id);
    const names = (): Promise<readonly (string | null)[]> =>
      page
        .getByRole('region', { name: 'Fruit', exact: true })
        .getByRole('listitem')
        .evaluateAll((rows) => rows.map((element) => element.getAttribute('aria-label')));
    const before = await names();
    for (const [label, state] of [
      ['Cross Basil', 2],
      ['Mark Basil with a question mark', 3],
      ['Tick Basil', 1],
    ] as const) {
      await button(page, label).click();
      await expect.poll(() => button(page, label).getAttribute('aria-pressed')).toBe('true');
      await expect.poll(() => getState(account, id, 'Basil')).toBe(state);
    }
    await row(page, 'Basil').and(page.locator('[data-done]')).waitFor();
    expect(await names()).toEqual(before);
    await page.getByRole('region', { name: 'Fruit', exact: true }).getByText('1 of 2').waitFor();
  });

  test('works by keyboard alone: j and k, plus and minus, 1 2 3, Ctrl+Z, E', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      items: { newa: createItem('Apples'), newb: createItem('Basil', { state: 3 }) },
      types: { newt: createType('All', 1) },
      links: { newa: ['newt'], newb: ['newt'] },
    });
    const page = await openList(account, id);
    await row(page, 'Apples').waitFor();
    await page.keyboard.press('j');
    await waitForFocus(row(page, 'Apples'));
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await page.keyboard.press('-');
    await row(page, 'Apples').getByText('1/6').waitFor();
    // These keys belong to the other kind of item and do nothing here.
    await page.keyboard.press('1');
    await page.keyboard.press('j');
    await waitForFocus(row(page, 'Basil'));
    await page.keyboard.press('1');
    await expect.poll(() => button(page, 'Tick Basil').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('2');
    await expect.poll(() => button(page, 'Cross Basil').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Control+Z');
    await expect.poll(() => button(page, 'Tick Basil').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('k');
    await waitForFocus(row(page, 'Apples'));
    // They also work with the focus on the slider itself.
    await slider(page, 'Apples').focus();
    await page.keyboard.press('+');
    await row(page, 'Apples').getByText('2/6').waitFor();
    await page.keyboard.press('j');
    await waitForFocus(row(page, 'Basil'));
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Tick the selected item').waitFor();
    await sheet.getByText('+ /=').waitFor();
    await page.keyboard.press('Escape');
    await waitForFocus(row(page, 'Basil'));
    await page.keyboard.press('e');
    await button(page, 'Add item').waitFor();
    await expect.poll(() => getAmount(account, id, 'Apples')).toBe(2);
    await expect.poll(() => getState(account, id, 'Basil')).toBe(1);
  });

  test('changes of others appear immediately and flash', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id);
    const other = await openList(account, id, { size: 'phone' });
    // It flashes for 600 ms, which polling would miss.
    await row(page, 'Milk').evaluate((its) =>
      new MutationObserver(() => {
        if (its.hasAttribute('data-flashing')) document.body.dataset['flashed'] = '';
      }).observe(its, { attributes: true, attributeFilter: ['data-flashing'] }),
    );
    await button(other, 'One more Milk').tap();
    await page.locator('body[data-flashed]').waitFor({ state: 'attached' });
    await row(page, 'Milk').getByText('1/2').waitFor();
    await row(page, 'Milk').and(page.locator(':not([data-flashing])')).waitFor();
  });

  test('unsent changes are counted, stored, and sent when the connection is back', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id, { expects: /ERR_INTERNET_DISCONNECTED|WebSocket/ });
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await button(page, 'One more Milk').click();
    await page.getByText('Offline (1 unsent)').waitFor();
    await page.getByText('Offline. Changes are stored in this browser and sent when the connection is back').waitFor();
    await button(page, 'Tick Basil').click();
    await page.getByText('Offline (2 unsent)').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect([await getAmount(account, id, 'Milk'), await getState(account, id, 'Basil')]).toEqual([1, 1]);
  });

  test('prints the types in columns with a box per item, and nothing else of the page', async () => {
    const account = await site.createPerson();
    const page = await openList(account, await createList(account));
    await row(page, 'Apples').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const sheet = page.getByRole('article', { name: 'Weekly shop, for the printer' });
    await sheet.getByRole('heading', { name: 'Fruit' }).waitFor();
    await sheet.getByText('Apples').waitFor();
    await page.getByRole('heading', { name: 'Shopping Planner' }).waitFor({ state: 'hidden' });
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await sheet.waitFor({ state: 'detached' });
  });

  test('keeps the screen on if requested; over plain HTTP it says what is missing', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openList(account, id);
    await button(page, 'Menu for Weekly shop').click();
    const keep = page.getByRole('menuitemcheckbox', { name: 'Keep screen on' });
    await keep.click();
    await expect.poll(() => keep.getAttribute('aria-checked')).toBe('true');
    const plain = await openList(account, id, { plainHttp: true });
    await button(plain, 'Menu for Weekly shop').click();
    await plain.getByText('Keeping the screen on needs https').waitFor();
  });

  test('a list of a thousand items is complete, and a tick on it is saved', async () => {
    const account = await site.createPerson();
    const many = Array.from({ length: 1000 }, (_, index) => index);
    const id = await createList(account, {
      items: Object.fromEntries(many.map((at) => [`newitem${at}`, { name: `Thing ${at}`, defaultquantity: 6 }])),
    });
    const page = await openList(account, id);
    await expect.poll(() => page.locator('[data-item]').count()).toBe(1000);
    await button(page, 'One more Thing 999').click();
    await row(page, 'Thing 999').getByText('1/6').waitFor();
    await expect.poll(() => getAmount(account, id, 'Thing 999')).toBe(1);
  });

  test.for(['wide', 'phone'] as const)(
    'axe finds no violations, %s, in both schemes',
    { tags: 'matrix' },
    async (size) => {
      const account = await site.createPerson();
      const page = await openList(account, await createList(account), { size });
      await row(page, 'Apples').waitFor();
      await waitForIdle(page);
      expect(await findBarriersInBoth(page)).toEqual([]);
      await button(page, 'Menu for Weekly shop').click();
      await page.getByRole('menuitem', { name: 'Share' }).waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
    },
  );
});
