import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForFocus } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { getshoplist, modifyshoplist, NEW_LIST } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
let people = 0;
const newPerson = (): Promise<TestAccount> => site.server.createAccount(`adder${(people += 1)}`);

/** A list with these items and types; the built-in type is 1. */
const createList = async (account: TestAccount, changes: { readonly items?: object } = {}): Promise<number> => {
  const made = await account.call(modifyshoplist, {
    id: NEW_LIST,
    changes: { name: 'Weekly shop', ...(changes as Record<string, never>) },
    timesent: Date.now() / 1000,
  });
  if (made.id === undefined) throw new Error('no list was made');
  return made.id;
};
const edit = async (account: TestAccount, id: number): Promise<Page> => {
  const page = await reusePage(site, account, `/shopplanner?list=${id}&edit=1`);
  await page.getByRole('button', { name: 'Add item' }).waitFor();
  return page;
};
const read = async (account: TestAccount, id: number) => (await account.call(getshoplist, { id })).data;
const itemNamed = async (account: TestAccount, id: number, name: string) =>
  Object.values((await read(account, id)).items).find((item) => item.name === name);
const namesIn = async (account: TestAccount, id: number): Promise<readonly string[]> =>
  Object.values((await read(account, id)).items).map(({ name }) => name);
const items = (page: Page): Locator => page.getByRole('region', { name: 'Items' });
const types = (page: Page): Locator => page.getByRole('region', { name: 'Types' });
const row = (page: Page, name: string): Locator => items(page).getByRole('listitem', { name, exact: true });
const nameOf = (within: Locator): Locator => within.getByRole('combobox', { name: 'Item name' });

describe.skipIf(site.skipReason)(`new items (${site.skipReason ?? 'in Chromium'})`, () => {
  test('Enter on a name, offered or typed, completes that item and opens the next; the last one goes untouched', async () => {
    const account = await newPerson();
    const id = await createList(account, { items: { new1: { name: 'Apples' } } });
    const page = await edit(account, id);
    await page.getByRole('button', { name: 'Add item' }).click();
    await waitForFocus(nameOf(row(page, 'New item')));
    await page.keyboard.type('toma');
    await page.keyboard.press('Enter');
    await waitForFocus(nameOf(row(page, 'New item')));
    await page.keyboard.type('Drawing pins');
    await page.keyboard.press('Enter');
    // Twice by habit: the field that waits stays.
    await page.keyboard.press('Enter');
    await waitForFocus(nameOf(row(page, 'New item')));
    await page.keyboard.type('kitchen roll');
    await expect.poll(() => itemNamed(account, id, 'kitchen roll')).toBeDefined();
    // A row above takes the next one to the end as well.
    await nameOf(row(page, 'Apples')).fill('Pears, ripe ones');
    await page.keyboard.press('Enter');
    await waitForFocus(nameOf(row(page, 'New item')));
    await nameOf(row(page, 'Tomatoes')).click();
    await row(page, 'New item').waitFor({ state: 'detached' });
    await expect
      .poll(() => namesIn(account, id))
      .toEqual(['Pears, ripe ones', 'Tomatoes', 'Drawing pins', 'kitchen roll']);
    expect(await itemNamed(account, id, 'Drawing pins')).toEqual({
      name: 'Drawing pins',
      emoji: '❓',
      defaultquantity: 10,
      actualquantity: 0,
      state: 0,
    });
    expect(await itemNamed(account, id, 'Tomatoes')).toMatchObject({ emoji: '🍅' });
  });

  test('a new item that nothing was typed in is never sent, and goes by Esc, a press elsewhere, Tab out of it and another mode', async () => {
    const account = await newPerson();
    const id = await createList(account, { items: { new1: { name: 'Apples' } } });
    const sent: string[] = [];
    const page = await edit(account, id);
    page.on('request', (request) => {
      if (request.url().includes('modifyshoplist')) sent.push(request.postData() ?? '');
    });
    const fresh = row(page, 'New item');
    const add = page.getByRole('button', { name: 'Add item' });
    const isGone = (): Promise<void> => fresh.waitFor({ state: 'detached' });
    await add.click();
    await waitForFocus(nameOf(fresh));
    await page.keyboard.press('Escape');
    await isGone();
    await waitForFocus(add);
    await add.click();
    await waitForFocus(nameOf(fresh));
    await page.keyboard.type('x');
    await page.keyboard.press('Backspace');
    // A press on what moves up as the row goes still meets what is under it.
    await page.getByRole('button', { name: 'Add type' }).click();
    await isGone();
    await waitForFocus(types(page).getByRole('textbox', { name: 'Type name' }).last());
    await add.click();
    await waitForFocus(nameOf(fresh));
    // Within the row it stays.
    await page.keyboard.press('Tab');
    await waitForFocus(fresh.getByRole('spinbutton'));
    for (let at = 0; at < 6 && (await fresh.count()) > 0; at += 1) await page.keyboard.press('Tab');
    await isGone();
    await add.click();
    await waitForFocus(nameOf(fresh));
    await account.call(modifyshoplist, {
      id,
      changes: { items: { new9: { name: 'Bread' } } },
      timesent: Date.now() / 1000,
    });
    await row(page, 'Bread').waitFor();
    await waitForFocus(nameOf(fresh));
    await page.getByRole('button', { name: 'Delete New item' }).click();
    await isGone();
    await add.click();
    await waitForFocus(nameOf(fresh));
    await page.getByRole('switch', { name: 'Edit mode' }).click();
    await page.getByRole('switch', { name: 'Edit mode' }).click();
    await row(page, 'Bread').waitFor();
    await isGone();
    await nameOf(row(page, 'Bread')).fill('Rye bread');
    await expect.poll(() => namesIn(account, id)).toEqual(['Apples', 'Rye bread']);
    expect(sent.filter((body) => body.includes('New item'))).toEqual([]);
  });

  test('what is typed while the page goes arrives; an amount before the name makes an item as well', async () => {
    const account = await newPerson();
    const id = await createList(account);
    // An empty list leads straight to the name of its first item.
    const page = await reusePage(site, account, `/shopplanner?list=${id}`);
    await page.getByRole('button', { name: 'Add items' }).click();
    await waitForFocus(nameOf(row(page, 'New item')));
    await page.keyboard.press('Tab');
    await page.keyboard.type('3');
    await nameOf(row(page, 'New item')).fill('Soap');
    await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    await expect.poll(() => itemNamed(account, id, 'Soap')).toMatchObject({ defaultquantity: 3 });
    expect(await namesIn(account, id)).toEqual(['Soap']);
  });

  test('a name that the list has is told in its row and in view mode, and amounts are added up', async () => {
    const account = await newPerson();
    const id = await createList(account, {
      items: { new1: { name: 'Butter', defaultquantity: 2, actualquantity: 1 } },
    });
    const page = await edit(account, id);
    await page.getByRole('button', { name: 'Add item' }).click();
    await waitForFocus(nameOf(row(page, 'New item')));
    await page.keyboard.type('bütter ');
    await row(page, 'bütter').getByText('Butter is on this list already').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await row(page, 'bütter').getByRole('button', { name: 'Add up: Butter' }).click();
    await row(page, 'bütter').waitFor({ state: 'detached' });
    await expect.poll(() => itemNamed(account, id, 'Butter')).toMatchObject({ defaultquantity: 12, actualquantity: 1 });
    expect(await namesIn(account, id)).toEqual(['Butter']);
    // A plain client is not refused; the page shows what came of it.
    await account.call(modifyshoplist, {
      id,
      changes: {
        items: { new2: { name: 'BUTTER', defaultquantity: 5 }, new3: { name: 'Tea' }, new4: { name: 'tea' } },
      },
      timesent: Date.now() / 1000,
    });
    await page.getByRole('switch', { name: 'Edit mode' }).click();
    await page.getByText('Butter is on this list twice').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keep all: Tea' }).click();
    await page.getByText('Tea is on this list twice').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add up: 17 Butter' }).click();
    await page.getByText('Butter is on this list twice').waitFor({ state: 'detached' });
    await expect.poll(() => itemNamed(account, id, 'Butter')).toMatchObject({ defaultquantity: 17 });
    expect(await namesIn(account, id)).toEqual(['Butter', 'Tea', 'tea']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Butter is on this list twice').waitFor();
    await expect.poll(() => itemNamed(account, id, 'Butter')).toMatchObject({ defaultquantity: 12 });
  });
});
