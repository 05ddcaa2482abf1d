import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createShoplist, shareWith } from '#testing/kits/planning/planner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { getshoplist, getshoplists, modifyshoplist } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

const rope = { name: 'Rope', emoji: '🪢', defaultquantity: 5, actualquantity: 2, state: 0 };
const createList = (account: TestAccount, name: string): Promise<number> =>
  createShoplist(account, name, { items: { newrope: rope } });
const getLists = async (account: TestAccount) => (await account.call(getshoplists, {})).data.lists;
const listNames = async (account: TestAccount): Promise<readonly string[]> =>
  (await getLists(account)).map(({ name }) => name);
const openPlanner = (account: TestAccount, path = '/shopplanner', options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, path, options);

const menu = (page: Page): Locator => page.getByRole('complementary', { name: 'Shopping Planner' });
const entry = (within: Page | Locator, name: string): Locator =>
  within.getByRole('list', { name: 'Current lists' }).getByRole('button', { name: new RegExp(`^${name}`) });
const nameField = (page: Page): Locator => page.getByRole('textbox', { name: 'List name' });
const button = (page: Page | Locator, name: string): Locator => page.getByRole('button', { name, exact: true });
async function selectAction(page: Page, list: string, act: string): Promise<void> {
  await button(page, `Menu for ${list}`).click();
  await page.getByRole('menuitem', { name: act, exact: true }).click();
}

describe.skipIf(site.skipReason)(`the menu of lists (${site.skipReason ?? 'in Chromium'})`, () => {
  test('text typed right after the shortcut becomes the name of the new list', async () => {
    const account = await site.createPerson();
    const page = await openPlanner(account);
    await page.getByText('No lists yet').waitFor();
    await page.keyboard.type('nCamping menu');
    await expect.poll(() => listNames(account)).toEqual(['Camping menu']);
  });

  test('without a token it leads to the login', async () => {
    const page = await site.browser.openPage(site.server.origin, '/shopplanner');
    await page.waitForURL('**/login');
  });

  test('Create makes a list named New list, whose name is selected for replacement', async () => {
    const account = await site.createPerson();
    const page = await openPlanner(account);
    await page.getByText('No lists yet').waitFor();
    await button(menu(page), 'Create').click();
    await waitForFocus(nameField(page));
    await expect.poll(() => nameField(page).inputValue()).toBe('New list');
    await expect.poll(() => listNames(account)).toEqual(['New list']);
    await page.keyboard.type('Camping');
    await page.keyboard.press('Enter');
    await entry(menu(page), 'Camping').waitFor();
    await expect.poll(() => listNames(account)).toEqual(['Camping']);
    // The server's id, so that the address outlives the page.
    await page.waitForURL(/list=\d+$/);
    await page.reload();
    await expect.poll(() => nameField(page).inputValue()).toBe('Camping');
  });

  test('an empty name is refused, and Escape restores the old one', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await nameField(page).fill('');
    await page.keyboard.press('Enter');
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop');
    await nameField(page).fill('Something');
    await page.keyboard.press('Escape');
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop');
  });

  test('Escape restores the old name even after the new one was saved', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    for (const typed of ['Some', 'Something']) {
      await nameField(page).fill(typed);
      await expect.poll(() => listNames(account)).toEqual([typed]);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop');
    await expect.poll(() => listNames(account)).toEqual(['Weekly shop']);
  });

  test('Escape does not overwrite a name that another user set', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await nameField(page).fill('Something');
    await expect.poll(() => listNames(account)).toEqual(['Something']);
    await account.call(modifyshoplist, { id, changes: { name: 'From elsewhere' }, timesent: Date.now() / 1000 });
    await page.getByRole('region', { name: 'From elsewhere' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => nameField(page).inputValue()).toBe('From elsewhere');
    await nameField(page).fill('Ours');
    await expect.poll(() => listNames(account)).toEqual(['Ours']);
    await page.keyboard.press('Escape');
    await expect.poll(() => listNames(account)).toEqual(['From elsewhere']);
  });

  test('a list that the menu does not contain yet cannot be deleted', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const known = Promise.withResolvers<void>();
    const page = await openPlanner(account, `/shopplanner?list=${id}`, {
      before: (blank) =>
        blank.route('**/api/getshoplists', async (route) => {
          await known.promise;
          await route.continue().catch(() => undefined);
        }),
    });
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop');
    await button(page, 'Menu for Weekly shop').click();
    const item = page.getByRole('menuitem', { name: 'Delete list', exact: true });
    await item.waitFor();
    expect(await item.isDisabled()).toBe(true);
    known.resolve();
    await expect.poll(() => item.isDisabled()).toBe(false);
  });

  test('a name that is being typed is not overwritten by another user', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await nameField(page).fill('Weekl');
    await account.call(modifyshoplist, { id, changes: { name: 'From elsewhere' }, timesent: Date.now() / 1000 });
    await page.getByRole('region', { name: /^(From elsewhere|Weekl)$/ }).waitFor();
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekl');
    await nameField(page).fill('Weekly');
    await page.keyboard.press('Enter');
    await expect.poll(() => listNames(account)).toEqual(['Weekly']);
  });

  test('the open list is in the address: it survives a reload, and back leads to the previous one', async () => {
    const account = await site.createPerson();
    await createList(account, 'First');
    await createList(account, 'Second');
    const page = await openPlanner(account);
    await entry(menu(page), 'Second').click();
    await expect.poll(() => nameField(page).inputValue()).toBe('Second');
    await page.reload();
    await expect.poll(() => nameField(page).inputValue()).toBe('Second');
    await entry(menu(page), 'First').click();
    await expect.poll(() => nameField(page).inputValue()).toBe('First');
    await expect.poll(() => entry(menu(page), 'First').getAttribute('aria-current')).toBe('true');
    await page.goBack();
    await expect.poll(() => nameField(page).inputValue()).toBe('Second');
    // Without a list in the address, the last open one is shown.
    await page.goto('/shopplanner');
    await expect.poll(() => nameField(page).inputValue()).toBe('Second');
  });

  test('Hide Menu and Show Menu work, and a hidden menu stays hidden after a reload', async () => {
    const account = await site.createPerson();
    await createList(account, 'Weekly shop');
    const page = await openPlanner(account);
    await menu(page).waitFor();
    await button(page, 'Hide Menu').click();
    await menu(page).waitFor({ state: 'detached' });
    await page.reload();
    await button(page, 'Show Menu').click();
    await menu(page).waitFor();
  });

  test('just over 500 px the menu is open; at 500 it is a sheet that closes on selection', async () => {
    const account = await site.createPerson();
    await createList(account, 'First');
    await createList(account, 'Second');
    const page = await openPlanner(account);
    await page.setViewportSize({ width: 501, height: 800 });
    await menu(page).waitFor();
    await page.setViewportSize({ width: 500, height: 800 });
    await menu(page).waitFor({ state: 'detached' });
    await button(page, 'Show Menu').click();
    const sheet = page.getByRole('dialog', { name: 'Shopping Planner' });
    await entry(sheet, 'Second').click();
    await sheet.waitFor({ state: 'hidden' });
    await expect.poll(() => nameField(page).inputValue()).toBe('Second');
  });

  test('shows how much is left, and lists created elsewhere, immediately and by Reload lists', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await entry(menu(page), 'Weekly shop').getByText('1 left').waitFor();
    await createList(account, 'Made elsewhere');
    await entry(menu(page), 'Made elsewhere').waitFor();
    await button(page, 'Reload lists').click();
    await entry(menu(page), 'Made elsewhere').waitFor();
  });

  test('a deleted list is restored by Undo, or from the bin', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    await createList(account, 'Other');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await selectAction(page, 'Weekly shop', 'Delete list');
    await expect.poll(() => nameField(page).inputValue()).toBe('Other');
    await expect.poll(() => listNames(account)).toEqual(['Other']);
    await button(page, 'Undo')
      .and(page.getByRole('region', { name: 'Notices' }).getByRole('button'))
      .click();
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop');
    await expect.poll(() => listNames(account)).toEqual(['Weekly shop', 'Other']);
    await selectAction(page, 'Weekly shop', 'Delete list');
    await page.getByText('Bin (1)').click();
    await button(page, 'Restore Weekly shop').click();
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop');
    await page.getByRole('listitem', { name: 'Rope' }).waitFor();
  });

  test('Untick all is one step, done items can be hidden, and an empty list is not done', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    const row = page.getByRole('listitem', { name: 'Rope' });
    const amount = async (): Promise<readonly number[]> =>
      Object.values((await account.call(getshoplist, { id })).data.items).map(({ actualquantity }) => actualquantity);
    await row.focus();
    for (let count = 2; count < 5; count += 1) await page.keyboard.press('+');
    await entry(menu(page), 'Weekly shop').getByText('done', { exact: true }).waitFor();
    await button(page, 'Menu for Weekly shop').click();
    await page.getByRole('menuitemcheckbox', { name: 'Hide done items' }).click();
    await row.waitFor({ state: 'hidden' });
    await page.getByText('1 done item is hidden').waitFor();
    await button(page, 'Show done items').click();
    await row.waitFor();
    await page.keyboard.press('Escape');
    await selectAction(page, 'Weekly shop', 'Untick all');
    await expect.poll(amount).toEqual([0]);
    await button(page, 'Undo').first().click();
    await expect.poll(amount).toEqual([5]);
    await button(menu(page), 'Create').click();
    await entry(menu(page), 'New list').getByText('empty', { exact: true }).waitFor();
  });

  test('deleting a list that others use asks first', async () => {
    const [account, other] = [await site.createPerson(), await site.createPerson()];
    const id = await createList(account, 'Weekly shop');
    await shareWith(account, other, id);
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await selectAction(page, 'Weekly shop', 'Delete list');
    const question = page.getByRole('dialog', { name: 'Delete Weekly shop?' });
    await question.getByText('1 other person uses this list.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await listNames(account)).toEqual(['Weekly shop']);
    await selectAction(page, 'Weekly shop', 'Delete list');
    await question.getByRole('button', { name: 'Delete list' }).click();
    await expect.poll(() => listNames(account)).toEqual([]);
  });

  test('a list can be archived for the user only, is found below, and can be unarchived', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    await createList(account, 'Other');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await selectAction(page, 'Weekly shop', 'Archive');
    await entry(menu(page), 'Weekly shop').waitFor({ state: 'detached' });
    await menu(page).getByText('Archived (1)').waitFor();
    await expect.poll(async () => (await getLists(account)).find((list) => list.id === id)?.archived).toBe(true);
    await selectAction(page, 'Weekly shop', 'Unarchive');
    await entry(menu(page), 'Weekly shop').waitFor();
  });

  test('a duplicate has the same items with nothing bought', async () => {
    const account = await site.createPerson();
    const id = await createList(account, 'Weekly shop');
    const page = await openPlanner(account, `/shopplanner?list=${id}`);
    await page.getByRole('listitem', { name: 'Rope' }).getByText('2/5').waitFor();
    await selectAction(page, 'Weekly shop', 'Duplicate');
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop (copy)');
    await page.getByRole('listitem', { name: 'Rope' }).getByText('0/5').waitFor();
    await expect.poll(() => listNames(account)).toEqual(['Weekly shop', 'Weekly shop (copy)']);
    const copy = (await getLists(account)).find(({ name }) => name === 'Weekly shop (copy)');
    const { items } = (await account.call(getshoplist, { id: copy?.id ?? 0 })).data;
    expect(Object.values(items).map(({ name, actualquantity }) => [name, actualquantity])).toEqual([['Rope', 0]]);
  });

  test('an unknown list shows the specified message, and the menu still works', async () => {
    const account = await site.createPerson();
    await createList(account, 'Weekly shop');
    const page = await openPlanner(account, '/shopplanner?list=987654');
    await page.getByText('Failed to fetch shoplist').waitFor();
    await entry(menu(page), 'Weekly shop').click();
    await expect.poll(() => nameField(page).inputValue()).toBe('Weekly shop');
  });

  test('names are shown as text, whatever they contain', async () => {
    const account = await site.createPerson();
    const name = '<img src=x onerror=alert(1)> __proto__';
    await createList(account, name);
    const page = await openPlanner(account);
    await expect.poll(() => nameField(page).inputValue()).toBe(name);
    await menu(page).getByText(name).waitFor();
  });
});
