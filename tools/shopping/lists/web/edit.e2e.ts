import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForFocus, waitForIdle } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createShoplist, readShoplist } from '#testing/kits/planning/planner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { modifyshoplist } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

const createList = (account: TestAccount, changes: object = {}): Promise<number> =>
  createShoplist(account, 'Weekly shop', changes);
async function openEditMode(account: TestAccount, id: number, size: 'wide' | 'phone' = 'wide'): Promise<Page> {
  const page = await reusePage(site, account, `/shopplanner?list=${id}&edit=1`, { size });
  await page.getByRole('button', { name: 'Add item' }).waitFor();
  return page;
}
const findItem = async (account: TestAccount, id: number, name: string) =>
  Object.values((await readShoplist(account, id)).items).find((item) => item.name === name);
/** Types of each item, by names. */
async function listLinks(account: TestAccount, id: number): Promise<Record<string, readonly string[]>> {
  const { items, types, links } = await readShoplist(account, id);
  return Object.fromEntries(
    Object.entries(links).map(([item, its]) => [
      items[item]?.name,
      its.map((type) => types[type]?.name ?? '').toSorted(),
    ]),
  ) as Record<string, readonly string[]>;
}

const items = (page: Page): Locator => page.getByRole('region', { name: 'Items' });
const types = (page: Page): Locator => page.getByRole('region', { name: 'Types' });
const row = (page: Page, name: string): Locator => items(page).getByRole('listitem', { name, exact: true });
const typeRow = (page: Page, name: string): Locator => types(page).getByRole('listitem', { name, exact: true });
const getNameField = (within: Locator): Locator => within.getByRole('combobox', { name: 'Item name' });

describe.skipIf(site.skipReason)(`items in edit mode (${site.skipReason ?? 'in Chromium'})`, () => {
  test('text typed right after the shortcut becomes the name of the new item', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    const page = await openEditMode(account, id);
    await page.keyboard.type('aTomatoes, nine cans of them');
    await expect
      .poll(() => findItem(account, id, 'Tomatoes, nine cans of them'))
      .toMatchObject({ defaultquantity: 10 });
    await expect.poll(() => items(page).getByRole('listitem').count()).toBe(1);
  });

  test('at most five known names outside the list are offered, and Enter and Tab accept the first', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      items: { new1: { name: 'Oat milk' }, new2: { name: 'x' }, new3: { name: 'y' } },
    });
    const page = await openEditMode(account, id);
    await getNameField(row(page, 'x')).fill('MILK');
    const offered = page.getByRole('listbox', { name: 'Known names' }).getByRole('option');
    await expect.poll(() => offered.count()).toBe(5);
    expect(await offered.allInnerTexts()).not.toContainEqual(expect.stringContaining('Oat milk'));
    for (const text of await offered.allInnerTexts()) expect(text.toLowerCase()).toContain('milk');
    await page.keyboard.press('Enter');
    await expect.poll(() => findItem(account, id, 'Milk')).toMatchObject({ emoji: '🥛' });
    await getNameField(row(page, 'y')).fill('tomat');
    await offered.first().waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => findItem(account, id, 'Tomatoes')).toMatchObject({ emoji: '🍅' });
    await page.keyboard.press('Tab');
    await waitForFocus(row(page, 'Tomatoes').getByRole('spinbutton'));
  });

  test('on a phone, all names offered for the last item are above the panel of types', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      items: { new1: { name: 'Oat milk' }, new2: { name: 'Bananas' }, new3: { name: 'Rice' }, new4: { name: 'x' } },
    });
    const page = await openEditMode(account, id, 'phone');
    await getNameField(row(page, 'x')).fill('c');
    const offered = page.getByRole('listbox', { name: 'Known names' }).getByRole('option');
    await expect.poll(() => offered.count()).toBe(5);
    await waitForIdle(page);
    const onTop = await offered.evaluateAll((options) =>
      options.map((option) => {
        const { left, top, bottom, width } = option.getBoundingClientRect();
        return [top + 4, (top + bottom) / 2, bottom - 4].every((y) =>
          option.contains(document.elementFromPoint(left + width / 2, y)),
        );
      }),
    );
    expect(onTop).toEqual([true, true, true, true, true]);
  });

  test('arrow keys select another name, Esc keeps the typed text, a complete known name gets its emoji', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'a' }, new2: { name: 'b' }, new3: { name: 'c' } } });
    const page = await openEditMode(account, id);
    const offered = page.getByRole('listbox', { name: 'Known names' });
    await getNameField(row(page, 'a')).fill('egg');
    await offered.waitFor();
    const second = await offered.getByRole('option').nth(0).locator('span').nth(1).innerText();
    await page.keyboard.press('Enter');
    await row(page, second).waitFor();
    await getNameField(row(page, 'b')).fill('tom');
    await offered.waitFor();
    await page.keyboard.press('Escape');
    await offered.waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await row(page, 'tom').waitFor();
    await getNameField(row(page, 'c')).fill('bananas');
    await expect.poll(() => findItem(account, id, 'bananas')).toMatchObject({ emoji: '🍌' });
  });

  test('the desired quantity is a whole number; anything else shows the reason and changes nothing', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Apples' } } });
    const page = await openEditMode(account, id);
    const field = row(page, 'Apples').getByRole('spinbutton');
    await expect.poll(() => field.getAttribute('placeholder')).toBe('Desired: 10 items');
    await field.fill('6');
    await expect.poll(() => findItem(account, id, 'Apples')).toMatchObject({ defaultquantity: 6 });
    await field.fill('-1');
    await row(page, 'Apples').getByText('Enter a whole number from 0 to 1,000,000').waitFor();
    await field.fill('');
    await getNameField(row(page, 'Apples')).focus();
    await expect.poll(() => field.inputValue()).toBe('6');
    expect(await findItem(account, id, 'Apples')).toMatchObject({ defaultquantity: 6 });
  });

  test('the switch makes a checkbox, its button cycles through 1 2 3 1, and the switch makes it counted again', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Kitchen roll' } } });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Switch Kitchen roll to checkbox' }).click();
    for (const state of [1, 2, 3, 1]) {
      await page.getByRole('button', { name: `Checkbox mode (${state})` }).waitFor();
      await expect.poll(() => findItem(account, id, 'Kitchen roll')).toMatchObject({ state });
      await page.getByRole('button', { name: 'Checkbox mode' }).click();
    }
    await page.getByRole('button', { name: 'Switch Kitchen roll to counted' }).click();
    await expect.poll(() => findItem(account, id, 'Kitchen roll')).toMatchObject({ state: 0 });
    await row(page, 'Kitchen roll').getByRole('spinbutton').waitFor();
  });

  test('types are linked and unlinked; the dropdown disappears if all are linked; a new one is created by name', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Milk' } }, types: { new2: { name: 'Dairy' } } });
    const page = await openEditMode(account, id);
    const milk = row(page, 'Milk');
    const add = milk.getByRole('button', { name: 'Add new type' });
    await add.click();
    const field = milk.getByRole('combobox', { name: 'Add new type' });
    await waitForFocus(field);
    await page.keyboard.type('dai');
    await page.keyboard.press('Enter');
    await expect.poll(() => listLinks(account, id)).toEqual({ Milk: ['Dairy'] });
    await add.click();
    await waitForFocus(field);
    await page.keyboard.type('Cold');
    await page.keyboard.press('Enter');
    await expect.poll(() => listLinks(account, id)).toEqual({ Milk: ['Cold', 'Dairy'] });
    await add.click();
    await milk.getByRole('option', { name: 'Unsorted' }).click();
    await add.waitFor({ state: 'detached' });
    await milk.getByRole('button', { name: 'Remove tag Dairy' }).click();
    await add.waitFor();
    await expect.poll(() => listLinks(account, id)).toEqual({ Milk: ['Cold', 'Unsorted'] });
  });

  test('an emoji is found by name, or typed', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Thing' } } });
    const page = await openEditMode(account, id);
    const button = page.getByRole('button', { name: 'Emoji for Thing' });
    await button.click();
    const field = page.getByRole('textbox', { name: 'Find or type an emoji' });
    await waitForFocus(field);
    await page.keyboard.type('cheddar');
    await page.keyboard.press('Enter');
    await expect.poll(() => findItem(account, id, 'Thing')).toMatchObject({ emoji: '🧀' });
    await waitForFocus(button);
    await page.keyboard.press('Enter');
    await waitForFocus(field);
    await page.keyboard.insertText('👩🏽‍🚀');
    await page.keyboard.press('Enter');
    await expect.poll(() => findItem(account, id, 'Thing')).toMatchObject({ emoji: '👩🏽‍🚀' });
  });

  test('Undo restores a deleted item completely', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      items: { new1: { name: 'Milk', defaultquantity: 3, emoji: '🥛', state: 2 }, new3: { name: 'Bread' } },
      types: { new2: { name: 'Dairy' } },
      links: { new1: ['new2'] },
    });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Delete Milk' }).click();
    await row(page, 'Milk').waitFor({ state: 'detached' });
    await waitForFocus(page.getByRole('button', { name: 'Delete Bread' }));
    await expect.poll(() => findItem(account, id, 'Milk')).toBeUndefined();
    await page
      .getByRole('button', { name: 'Undo' })
      .and(page.getByText('Undo', { exact: true }))
      .click();
    await expect.poll(() => findItem(account, id, 'Milk')).toMatchObject({ defaultquantity: 3, emoji: '🥛', state: 2 });
    await expect.poll(() => listLinks(account, id)).toEqual({ Milk: ['Dairy'] });
  });

  test('typed text stays while others change the same name, and a name that is too long shows the reason', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Milk' } } });
    const page = await openEditMode(account, id);
    const field = items(page).getByRole('combobox', { name: 'Item name' });
    await field.fill('Mi');
    await expect.poll(() => findItem(account, id, 'Mi')).toBeDefined();
    const [item = ''] = Object.keys((await readShoplist(account, id)).items);
    await account.call(modifyshoplist, {
      id,
      changes: { items: { [item]: { name: 'Butter', defaultquantity: 77 } } },
      timesent: Date.now() / 1000,
    });
    // The event has arrived: fields without focus show it.
    await expect.poll(() => items(page).getByRole('spinbutton').inputValue()).toBe('77');
    expect(await field.inputValue()).toBe('Mi');
    await page.keyboard.type('nt');
    await expect.poll(() => findItem(account, id, 'Mint')).toBeDefined();
    await field.fill('x'.repeat(201));
    await items(page).getByText('The item name is too long. Enter at most 200 characters').waitFor();
    await items(page).getByRole('spinbutton').focus();
    expect(await field.inputValue()).toHaveLength(201);
    expect(await findItem(account, id, 'Mint')).toBeDefined();
  });

  test('text typed last is saved to its own list, even if another list is opened immediately', async () => {
    const account = await site.createPerson();
    const first = await createList(account, { items: { new1: { name: 'Milk' } } });
    const second = await createList(account, { name: 'Camping', items: { new1: { name: 'Tent' } } });
    const page = await openEditMode(account, first);
    await page.getByRole('button', { name: 'Camping' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'List name' }).inputValue()).toBe('Camping');
    await page.getByRole('switch', { name: 'Edit mode' }).click();
    await getNameField(row(page, 'Tent')).fill('Big tent');
    // Like the browser's button: the field keeps the focus until it is removed.
    await page.evaluate(() => history.back());
    await getNameField(row(page, 'Milk')).waitFor();
    await expect.poll(() => findItem(account, second, 'Big tent')).toBeDefined();
    expect(Object.values((await readShoplist(account, first)).items).map(({ name }) => name)).toEqual(['Milk']);
  });

  test('the filter finds and counts items, and a new item is visible anyway', async () => {
    const account = await site.createPerson();
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`new${index}`, { name: `Thing ${index}` }]),
    );
    const id = await createList(account, { items: many });
    const page = await openEditMode(account, id);
    await page.getByRole('searchbox', { name: 'Filter items' }).fill('thing 5');
    await items(page).getByText('11 of 60').waitFor();
    await getNameField(row(page, 'Thing 57')).fill('Quite another');
    await row(page, 'Quite another').waitFor();
    await page.getByRole('button', { name: 'Add item' }).click();
    await waitForFocus(getNameField(row(page, 'New item')));
    await expect.poll(() => page.locator('section[aria-label="Items"] > ul > li').count()).toBe(61);
  });

  test.for(['wide', 'phone'] as const)(
    'has no axe violations and no horizontal scrolling (%s, in both schemes)',
    { tags: 'matrix' },
    async (size) => {
      const account = await site.createPerson();
      const id = await createList(account, {
        items: { new1: { name: 'Milk' }, new2: { name: 'Bread', state: 2 } },
        types: { new3: { name: 'Dairy' } },
        links: { new1: ['new3'] },
      });
      const page = await reusePage(site, account, `/shopplanner?list=${id}&edit=1`, { size });
      await getNameField(row(page, 'Bread')).fill('mil');
      await page.getByRole('listbox', { name: 'Known names' }).waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
      await typeRow(page, 'Dairy').getByRole('button', { name: 'Add new item' }).click();
      await page.getByRole('combobox', { name: 'Add new item' }).waitFor();
      expect(await findBarriersInBoth(page)).toEqual([]);
      if (size === 'phone') await page.setViewportSize({ width: 320, height: 700 });
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
        .toBeLessThanOrEqual(0);
    },
  );
});
