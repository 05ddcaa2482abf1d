import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createShoplist, readShoplist } from '#testing/kits/planning/planner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';

const site = startTestSite({ rateLimits: false });

const AISLES = { new1: { name: 'Fruit' }, new2: { name: 'Dairy' }, new3: { name: 'Frozen' } };
const createList = (account: TestAccount, changes: object = {}): Promise<number> =>
  createShoplist(account, 'Weekly shop', changes);
async function openEditMode(account: TestAccount, id: number): Promise<Page> {
  const page = await reusePage(site, account, `/shopplanner?list=${id}&edit=1`);
  await page.getByRole('button', { name: 'Add type' }).waitFor();
  return page;
}
const findType = async (account: TestAccount, id: number, name: string) =>
  Object.values((await readShoplist(account, id)).types).find((type) => type.name === name);
const countLinkedItems = async (account: TestAccount, id: number): Promise<number> =>
  Object.values((await readShoplist(account, id)).links).flat().length;
/** Names of types in the order of the server. */
const listServerOrder = async (account: TestAccount, id: number): Promise<readonly string[]> =>
  Object.entries((await readShoplist(account, id)).types)
    .toSorted(([one, { order }], [other, { order: otherOrder }]) => order - otherOrder || Number(one) - Number(other))
    .map(([, { name }]) => name);

const types = (page: Page): Locator => page.getByRole('region', { name: 'Types' });
const row = (page: Page, name: string): Locator => types(page).getByRole('listitem', { name, exact: true });
const getNameField = (within: Locator): Locator => within.getByRole('textbox', { name: 'Type name' });
const listShownOrder = (page: Page): Promise<readonly string[]> =>
  types(page)
    .getByRole('textbox', { name: 'Type name' })
    .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));

describe.skipIf(site.skipReason)(`types in edit mode (${site.skipReason ?? 'in Chromium'})`, () => {
  test('plus adds a type with its own colour at the end; the built-in one cannot be deleted', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { types: AISLES });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Add type' }).click();
    await waitForFocus(getNameField(row(page, 'New type')));
    await expect
      .poll(() => findType(account, id, 'New type'))
      .toMatchObject({
        colour: ['rgba(46,158,91,1)', 'rgba(6,70,32,1)'],
        visualised: true,
        userset: true,
      });
    await page.keyboard.type('Bakery');
    await expect.poll(() => listServerOrder(account, id)).toEqual(['Unsorted', 'Fruit', 'Dairy', 'Frozen', 'Bakery']);
    await row(page, 'Unsorted').getByText('Built in').waitFor();
    await expect
      .poll(() =>
        row(page, 'Unsorted')
          .getByRole('button', { name: /^Delete/ })
          .count(),
      )
      .toBe(0);
  });

  test('Visible is a switch, and a colour brings its darker shade; black is ignored', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { types: { new1: { name: 'Dairy' } } });
    const page = await openEditMode(account, id);
    await row(page, 'Dairy').getByRole('switch', { name: 'Visible' }).click();
    await expect.poll(() => findType(account, id, 'Dairy')).toMatchObject({ visualised: false });
    const open = page.getByRole('button', { name: 'Colour of Dairy' });
    await open.click();
    const own = page.getByLabel('Choose another colour');
    await own.fill('#1e90ff');
    await expect
      .poll(() => findType(account, id, 'Dairy'))
      .toMatchObject({ colour: ['rgba(30,144,255,1)', 'rgba(0,62,126,1)'] });
    await own.fill('#000000');
    await page.getByRole('button', { name: 'green', exact: true }).click();
    await waitForFocus(open);
    await expect
      .poll(() => findType(account, id, 'Dairy'))
      .toMatchObject({ colour: ['rgba(46,158,91,1)', 'rgba(6,70,32,1)'] });
  });

  test('items are linked and unlinked; the dropdown disappears if all are linked', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      types: { new1: { name: 'Dairy' } },
      items: { new2: { name: 'Milk' }, new3: { name: 'Cheese' } },
    });
    const page = await openEditMode(account, id);
    const dairy = row(page, 'Dairy');
    await dairy.getByRole('button', { name: 'Add new item' }).click();
    const field = dairy.getByRole('combobox', { name: 'Add new item' });
    await waitForFocus(field);
    await page.keyboard.type('chee');
    await page.keyboard.press('Enter');
    await dairy.getByRole('button', { name: 'Remove Cheese' }).waitFor();
    // It stays open for the next one.
    await waitForFocus(field);
    await page.keyboard.press('Enter');
    await expect.poll(() => countLinkedItems(account, id)).toBe(2);
    await dairy.getByRole('button', { name: 'Add new item' }).waitFor({ state: 'detached' });
    await dairy.getByRole('button', { name: 'Remove Milk' }).click();
    await dairy.getByRole('button', { name: 'Add new item' }).waitFor();
    await expect.poll(() => countLinkedItems(account, id)).toBe(1);
  });

  test('an item that was just linked is not offered again while the dropdown is open', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      types: { new1: { name: 'Dairy' } },
      items: { new2: { name: 'Milk' }, new3: { name: 'Cheese' }, new4: { name: 'Butter' } },
    });
    const page = await openEditMode(account, id);
    const dairy = row(page, 'Dairy');
    await dairy.getByRole('button', { name: 'Add new item' }).click();
    await dairy.getByRole('option', { name: 'Milk' }).click();
    await dairy.getByRole('button', { name: 'Remove Milk' }).waitFor();
    await expect.poll(() => dairy.getByRole('option').allInnerTexts()).toHaveLength(2);
    await waitForFocus(dairy.getByRole('combobox', { name: 'Add new item' }));
    await page.keyboard.press('Enter');
    await dairy.getByRole('button', { name: 'Remove Cheese' }).waitFor();
    await expect.poll(() => dairy.getByRole('option').allInnerTexts()).toHaveLength(1);
  });

  test('a deleted type is unlinked from all items, and Undo restores it with its items and place', async () => {
    const account = await site.createPerson();
    const id = await createList(account, {
      types: { new1: { name: 'Dairy', order: 1 }, new4: { name: 'Frozen', order: 2 } },
      items: { new2: { name: 'Milk' }, new3: { name: 'Cheese' } },
      links: { new2: ['new1'], new3: ['new1'] },
    });
    const page = await openEditMode(account, id);
    await page.getByRole('button', { name: 'Delete Dairy' }).click();
    await row(page, 'Dairy').waitFor({ state: 'detached' });
    await expect.poll(() => countLinkedItems(account, id)).toBe(0);
    await page
      .getByRole('button', { name: 'Undo' })
      .and(page.getByText('Undo', { exact: true }))
      .click();
    await expect.poll(() => countLinkedItems(account, id)).toBe(2);
    await expect.poll(() => listShownOrder(page)).toEqual(['Unsorted', 'Dairy', 'Frozen']);
  });

  test('Ctrl+Up and Ctrl+Down move types, keep the focus, and announce the move', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { types: AISLES });
    const page = await openEditMode(account, id);
    await expect.poll(() => listShownOrder(page)).toEqual(['Unsorted', 'Fruit', 'Dairy', 'Frozen']);
    await getNameField(row(page, 'Dairy')).focus();
    await page.keyboard.press('Control+ArrowUp');
    await expect.poll(() => listShownOrder(page)).toEqual(['Unsorted', 'Dairy', 'Fruit', 'Frozen']);
    await page.getByText('Dairy moved to position 2 of 4').waitFor();
    await waitForFocus(getNameField(row(page, 'Dairy')));
    await page.keyboard.press('Control+ArrowDown');
    await page.getByText('Dairy moved to position 3 of 4').waitFor();
    await page.keyboard.press('Control+ArrowDown');
    await expect.poll(() => listServerOrder(account, id)).toEqual(['Unsorted', 'Fruit', 'Frozen', 'Dairy']);
  });

  test('Move to… is a list with a filter, opened by M', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { types: AISLES });
    const page = await openEditMode(account, id);
    const grip = page.getByRole('button', { name: 'Move Fruit to…' });
    await grip.focus();
    await page.keyboard.press('m');
    await waitForFocus(page.getByRole('combobox', { name: 'Move Fruit to…' }));
    await page.keyboard.type('froz');
    await page.keyboard.press('Enter');
    await expect.poll(() => listServerOrder(account, id)).toEqual(['Unsorted', 'Dairy', 'Frozen', 'Fruit']);
    await waitForFocus(grip);
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'To the top' }).click();
    await expect.poll(() => listServerOrder(account, id)).toEqual(['Fruit', 'Unsorted', 'Dairy', 'Frozen']);
  });

  test('a type is dragged by its handle to before another one', async () => {
    const account = await site.createPerson();
    const id = await createList(account, { types: AISLES });
    const page = await openEditMode(account, id);
    const grip = page.getByRole('button', { name: 'Move Frozen to…' });
    await grip.dragTo(row(page, 'Fruit'), { targetPosition: { x: 120, y: 6 } });
    await expect.poll(() => listShownOrder(page)).toEqual(['Unsorted', 'Frozen', 'Fruit', 'Dairy']);
    await expect.poll(() => listServerOrder(account, id)).toEqual(['Unsorted', 'Frozen', 'Fruit', 'Dairy']);
  });
});
