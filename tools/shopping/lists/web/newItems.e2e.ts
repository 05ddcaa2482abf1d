import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForFocus } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createShoplist, readShoplist } from '#testing/kits/planning/planner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { modifyshoplist } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

const createList = (account: TestAccount, changes: object = {}): Promise<number> =>
  createShoplist(account, 'Weekly shop', changes);
async function openEditMode(account: TestAccount, id: number): Promise<Page> {
  const page = await reusePage(site, account, `/shopplanner?list=${id}&edit=1`);
  await page.getByRole('button', { name: 'Add item' }).waitFor();
  return page;
}
const findItem = async (account: TestAccount, id: number, name: string) =>
  Object.values((await readShoplist(account, id)).items).find((item) => item.name === name);
const listNames = async (account: TestAccount, id: number): Promise<readonly string[]> =>
  Object.values((await readShoplist(account, id)).items).map(({ name }) => name);
const items = (page: Page): Locator => page.getByRole('region', { name: 'Items' });
const types = (page: Page): Locator => page.getByRole('region', { name: 'Types' });
const row = (page: Page, name: string): Locator => items(page).getByRole('listitem', { name, exact: true });
const getNameField = (within: Locator): Locator => within.getByRole('combobox', { name: 'Item name' });

describe.skipIf(site.skipReason)(`new items (${site.skipReason ?? 'in Chromium'})`, () => {
  test('Enter on a name completes the item and opens the next; the last one is removed if untouched', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Apples' } } });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Add item' }).click();
    await waitForFocus(getNameField(row(page, 'New item')));
    await page.keyboard.type('toma');
    await page.keyboard.press('Enter');
    await waitForFocus(getNameField(row(page, 'New item')));
    await page.keyboard.type('Drawing pins');
    await page.keyboard.press('Enter');
    // Pressed twice by habit: the empty field stays.
    await page.keyboard.press('Enter');
    await waitForFocus(getNameField(row(page, 'New item')));
    await page.keyboard.type('kitchen roll');
    await expect.poll(() => findItem(account, id, 'kitchen roll')).toBeDefined();
    // Enter in an earlier row also continues at the end.
    await getNameField(row(page, 'Apples')).fill('Pears, ripe ones');
    await page.keyboard.press('Enter');
    await waitForFocus(getNameField(row(page, 'New item')));
    await getNameField(row(page, 'Tomatoes')).click();
    await row(page, 'New item').waitFor({ state: 'detached' });
    await expect
      .poll(() => listNames(account, id))
      .toEqual(['Pears, ripe ones', 'Tomatoes', 'Drawing pins', 'kitchen roll']);
    expect(await findItem(account, id, 'Drawing pins')).toEqual({
      name: 'Drawing pins',
      emoji: '❓',
      defaultquantity: 10,
      actualquantity: 0,
      state: 0,
    });
    expect(await findItem(account, id, 'Tomatoes')).toMatchObject({ emoji: '🍅' });
  });

  test('an empty new item is never sent, and is removed by Esc, a click elsewhere, Tab and leaving edit mode', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Apples' } } });
    const sent: string[] = [];
    const page = await openEditMode(account, id);
    page.on('request', (request) => {
      if (request.url().includes('modifyshoplist')) sent.push(request.postData() ?? '');
    });
    const fresh = row(page, 'New item');
    const add = page.getByRole('button', { name: 'Add item' });
    const isGone = (): Promise<void> => fresh.waitFor({ state: 'detached' });
    await add.click();
    await waitForFocus(getNameField(fresh));
    await page.keyboard.press('Escape');
    await isGone();
    await waitForFocus(add);
    await add.click();
    await waitForFocus(getNameField(fresh));
    await page.keyboard.type('x');
    await page.keyboard.press('Backspace');
    // A click on something that moves up as the row disappears still hits its target.
    await page.getByRole('button', { name: 'Add type' }).click();
    await isGone();
    await waitForFocus(types(page).getByRole('textbox', { name: 'Type name' }).last());
    await add.click();
    await waitForFocus(getNameField(fresh));
    // Moving the focus within the row keeps it.
    await page.keyboard.press('Tab');
    await waitForFocus(fresh.getByRole('spinbutton'));
    for (let at = 0; at < 6 && (await fresh.count()) > 0; at += 1) await page.keyboard.press('Tab');
    await isGone();
    await add.click();
    await waitForFocus(getNameField(fresh));
    await account.call(modifyshoplist, {
      id,
      changes: { items: { new9: { name: 'Bread' } } },
      timesent: Date.now() / 1000,
    });
    await row(page, 'Bread').waitFor();
    await waitForFocus(getNameField(fresh));
    await page.getByRole('button', { name: 'Delete New item' }).click();
    await isGone();
    await add.click();
    await waitForFocus(getNameField(fresh));
    await page.getByRole('switch', { name: 'Edit mode' }).click();
    await page.getByRole('switch', { name: 'Edit mode' }).click();
    await row(page, 'Bread').waitFor();
    await isGone();
    await getNameField(row(page, 'Bread')).fill('Rye bread');
    await expect.poll(() => listNames(account, id)).toEqual(['Apples', 'Rye bread']);
    expect(sent.filter((body) => body.includes('New item'))).toEqual([]);
  });

  test('text typed while the page closes is saved; an amount before the name makes an item too', async () => {
    const account = await site.createPerson();
    const id = await createList(account);
    // An empty list focuses the name of its first item.
    const page = await reusePage(site, account, `/shopplanner?list=${id}`);
    await page.getByRole('button', { name: 'Add items' }).click();
    await waitForFocus(getNameField(row(page, 'New item')));
    await page.keyboard.press('Tab');
    await page.keyboard.type('3');
    await getNameField(row(page, 'New item')).fill('Soap');
    await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    await expect.poll(() => findItem(account, id, 'Soap')).toMatchObject({ defaultquantity: 3 });
    expect(await listNames(account, id)).toEqual(['Soap']);
  });

  test('a duplicate name is reported in its row and in view mode, and amounts can be added up', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      items: { new1: { name: 'Butter', defaultquantity: 2, actualquantity: 1 } },
    });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Add item' }).click();
    await waitForFocus(getNameField(row(page, 'New item')));
    await page.keyboard.type('bütter ');
    await row(page, 'bütter').getByText('Butter is already on this list').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await row(page, 'bütter').getByRole('button', { name: 'Add up quantities: Butter' }).click();
    await row(page, 'bütter').waitFor({ state: 'detached' });
    await expect.poll(() => findItem(account, id, 'Butter')).toMatchObject({ defaultquantity: 12, actualquantity: 1 });
    expect(await listNames(account, id)).toEqual(['Butter']);
    // A plain client is not refused; the page shows the result.
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
    await expect.poll(() => findItem(account, id, 'Butter')).toMatchObject({ defaultquantity: 17 });
    expect(await listNames(account, id)).toEqual(['Butter', 'Tea', 'tea']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Butter is on this list twice').waitFor();
    await expect.poll(() => findItem(account, id, 'Butter')).toMatchObject({ defaultquantity: 12 });
  });
});
