import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForFocus } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createShoplist } from '#testing/kits/planning/planner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { getshoplist } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
const createList = (account: TestAccount, changes: object = {}): Promise<number> =>
  createShoplist(account, 'Weekly shop', changes);
async function openEditMode(account: TestAccount, id: number, size: 'wide' | 'phone' = 'wide'): Promise<Page> {
  const page = await reusePage(site, account, `/shopplanner?list=${id}&edit=1`, { size });
  await page.getByRole('button', { name: 'Add item' }).waitFor();
  return page;
}
/** Name, amount and state of all items. */
const listItems = async (account: TestAccount, id: number): Promise<readonly string[]> =>
  Object.values((await account.call(getshoplist, { id })).data.items).map(
    ({ name, emoji, defaultquantity, state }) => `${emoji} ${name} ${defaultquantity} ${state}`,
  );
const lines = (page: Page): Locator => page.getByRole('list', { name: 'What will be added' }).getByRole('listitem');
const text = (page: Page): Locator => page.getByRole('textbox', { name: 'One item per line' });
/** Simulates Ctrl+V, as plain HTTP has no clipboard access. */
const pasteInto = (field: Locator, pasted: string): Promise<void> =>
  field.evaluate((element, plain) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', plain);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, pasted);

describe.skipIf(site.skipReason)(`pasted lines (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the preview shows what would be added; names that the list has are marked and left out', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Milk', emoji: '🥛' } } });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Paste lines' }).click();
    await waitForFocus(text(page));
    await page.keyboard.insertText('2 x milk\n- [ ] eggs\n500 g flour\nBananas 6\n\n1. Quinoa\nquinoa');
    await expect.poll(() => lines(page).count()).toBe(6);
    await expect.poll(() => lines(page).first().innerText()).toContain('already on the list');
    await expect.poll(() => lines(page).last().innerText()).toContain('on an earlier line');
    await page.getByText('4 items of 6 to add (2 already on the list)').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await listItems(account, id)).toEqual(['🥛 Milk 10 0']);
    await page.getByRole('button', { name: 'Add 4 items' }).click();
    await expect
      .poll(() => listItems(account, id))
      .toEqual(['🥛 Milk 10 0', '🥚 eggs 1 3', '🌾 flour (500 g) 1 0', '🍌 Bananas 6 0', '🌾 Quinoa 1 0']);
    await page.getByRole('dialog', { name: 'Paste lines' }).waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: 'Undo' })
      .and(page.getByText('Undo', { exact: true }))
      .click();
    await expect.poll(() => listItems(account, id)).toEqual(['🥛 Milk 10 0']);
  });

  test('the amount of a duplicate is added to the existing item on request', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { items: { new1: { name: 'Milk', emoji: '🥛' } } });
    const page = await openEditMode(account, id, 'phone');
    await page.getByRole('button', { name: 'Paste lines' }).click();
    await text(page).fill('milk');
    await lines(page).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Add 1 item' }).click();
    await expect.poll(() => listItems(account, id)).toEqual(['🥛 Milk 11 0']);
  });

  test('lines pasted into the name of a new item start with that item', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {});
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Add item' }).click();
    const name = page.getByRole('combobox', { name: 'Item name' });
    await waitForFocus(name);
    await pasteInto(name, 'bread\nbutter x2');
    await expect.poll(() => text(page).inputValue()).toBe('bread\nbutter x2');
    await page.getByRole('button', { name: 'Add 2 items' }).click();
    await expect.poll(() => listItems(account, id)).toEqual(['🍞 bread 1 0', '🧈 butter 2 0']);
  });

  test('the text stays when the dialog is closed, and unreadable lines stay in it with the reason', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {});
    const page = await openEditMode(account, id);
    const open = page.getByRole('button', { name: 'Paste lines' });
    await open.click();
    const long = 'x'.repeat(201);
    await text(page).fill(`tea\n${long}`);
    await page.getByText('The item name is too long. Enter at most 200 characters').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Paste lines' }).waitFor({ state: 'detached' });
    await open.click();
    await expect.poll(() => text(page).inputValue()).toBe(`tea\n${long}`);
    await page.getByRole('button', { name: 'Add 1 item' }).click();
    await expect.poll(() => text(page).inputValue()).toBe(long);
    await expect.poll(() => listItems(account, id)).toEqual([expect.stringContaining('tea')]);
  });

  test('names that were in the list before get their former types', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      items: { new1: { name: 'Milk' } },
      types: { new2: { name: 'Cold shelf' } },
      links: { new1: ['new2'] },
    });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Delete Milk' }).click();
    await page.getByRole('button', { name: 'Paste lines' }).click();
    await text(page).fill('3 milk');
    await expect.poll(() => lines(page).first().innerText()).toContain('Cold shelf');
    await page.getByRole('button', { name: 'Add 1 item' }).click();
    await page.getByRole('region', { name: 'Items' }).getByRole('button', { name: 'Remove tag Cold shelf' }).waitFor();
  });

  test('eight hundred lines all arrive', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {});
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Paste lines' }).click();
    await text(page).fill(
      Array.from({ length: 800 }, (_, index) => `${(index % 9) + 1} x thing no ${index}`).join('\n'),
    );
    await page.getByRole('button', { name: 'Add 800 items' }).click();
    await expect.poll(async () => (await listItems(account, id)).length).toBe(800);
  });
});
