import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createShoplist, shareWith } from '#testing/kits/planning/planner.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { deleteshoplist, getshoplist, getshoplists, shareshoplist, shoplistmembers } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });

const rope = { name: 'Rope', emoji: '🪢', defaultquantity: 5, actualquantity: 0, state: 0 };
const createList = (account: TestAccount, name = 'Our shop'): Promise<number> =>
  createShoplist(account, name, { items: { newrope: rope } });
/** Creates a list that `owner` shares with `member`. */
async function createShared(owner: TestAccount, member: TestAccount): Promise<number> {
  const id = await createList(owner);
  await shareWith(owner, member, id);
  return id;
}
const listMembers = async (account: TestAccount, id: number): Promise<readonly string[]> =>
  (await account.call(shoplistmembers, { id })).members.map(({ username }) => username).toSorted();
const getAmount = async (account: TestAccount, id: number) =>
  Object.values((await account.call(getshoplist, { id })).data.items)[0]?.actualquantity;

const openPlanner = async (account: TestAccount, id?: number, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, id === undefined ? '/shopplanner' : `/shopplanner?list=${id}`, options);
const button = (page: Page | Locator, name: string): Locator => page.getByRole('button', { name, exact: true });
const nameField = (page: Page): Locator => page.getByRole('textbox', { name: 'List name' });
async function openShareDialog(page: Page): Promise<Locator> {
  await button(page, 'Share').click();
  const dialog = page.getByRole('dialog', { name: /^Share / });
  await dialog.getByText('Owner', { exact: true }).waitFor();
  return dialog;
}

describe.skipIf(site.skipReason)(`sharing a list (${site.skipReason ?? 'in Chromium'})`, () => {
  test('an invited user sees the invitation immediately, joins, and both see changes live', async () => {
    const [owner, member] = [await site.createPerson(), await site.createPerson()];
    const id = await createList(owner);
    const page = await openPlanner(owner, id);
    const other = await openPlanner(member, undefined, { size: 'phone' });
    await other.getByText('Your shopping lists appear here').waitFor();
    const dialog = await openShareDialog(page);
    await dialog.getByRole('textbox', { name: 'Invite by username' }).fill(member.name);
    await page.keyboard.press('Enter');
    await dialog.getByText('Invited', { exact: true }).waitFor();
    await button(other, 'Join Our shop').tap();
    await expect.poll(() => nameField(other).inputValue()).toBe('Our shop');
    await dialog.getByText('Invited', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await button(other, 'One more Rope').tap();
    await page.getByRole('listitem', { name: 'Rope' }).getByText('1/5').waitFor();
    await button(page, 'One more Rope').click();
    await other.getByRole('listitem', { name: 'Rope' }).getByText('2/5').waitFor();
    await expect.poll(() => getAmount(owner, id)).toBe(2);
  });

  test('shows why a name is refused, and keeps the typed text', async () => {
    const owner = await site.createPerson();
    const page = await openPlanner(owner, await createList(owner));
    const dialog = await openShareDialog(page);
    const field = dialog.getByRole('textbox', { name: 'Invite by username' });
    for (const wrong of ['nobody of that name', owner.name]) {
      await field.fill(wrong);
      await page.keyboard.press('Enter');
      await dialog.getByRole('alert').waitFor();
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      await expect.poll(() => field.inputValue()).toBe(wrong);
    }
    await field.fill('another');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('an invitation can be declined and cancelled', async () => {
    const [owner, member] = [await site.createPerson(), await site.createPerson()];
    const id = await createList(owner);
    const other = await openPlanner(member);
    await owner.call(shareshoplist, { id, username: member.name });
    await button(other, 'Decline Our shop').click();
    await button(other, 'Decline Our shop').waitFor({ state: 'detached' });
    expect((await member.call(getshoplists, {})).data.lists).toEqual([]);
    await owner.call(shareshoplist, { id, username: member.name });
    await button(other, 'Join Our shop').waitFor();
    const dialog = await openShareDialog(await openPlanner(owner, id));
    await button(dialog, `Cancel the invitation to ${member.name}`).click();
    await button(other, 'Join Our shop').waitFor({ state: 'detached' });
    await expect.poll(() => listMembers(owner, id)).toEqual([owner.name]);
  });

  test('the owner removes a member with a confirming click; the member is notified and can keep a copy', async () => {
    const [owner, member] = [await site.createPerson(), await site.createPerson()];
    const id = await createShared(owner, member);
    const other = await openPlanner(member, id);
    await expect.poll(() => nameField(other).inputValue()).toBe('Our shop');
    await other.getByText(`by ${owner.name}`).waitFor();
    const dialog = await openShareDialog(await openPlanner(owner, id));
    await pressAndConfirm(button(dialog, `Remove ${member.name}`), button(dialog, 'Confirm Remove'), async () => {
      expect(await listMembers(owner, id)).toHaveLength(2);
    });
    await expect.poll(() => listMembers(owner, id)).toEqual([owner.name]);
    await button(other, 'Save a copy').click();
    await expect
      .poll(async () => (await member.call(getshoplists, {})).data.lists.map(({ name }) => name))
      .toEqual(['Our shop']);
    await other.getByRole('listitem', { name: 'Rope' }).waitFor();
    await button(other, 'Save a copy').waitFor({ state: 'detached' });
  });

  test('a member leaves', async () => {
    const [owner, member] = [await site.createPerson(), await site.createPerson()];
    const id = await createShared(owner, member);
    const page = await openPlanner(member, id);
    const dialog = await openShareDialog(page);
    await expect.poll(() => dialog.getByRole('textbox').count()).toBe(0);
    await pressAndConfirm(button(dialog, 'Leave list'), button(dialog, 'Confirm Leave'));
    await page.getByText('Your shopping lists appear here').waitFor();
    expect(await listMembers(owner, id)).toEqual([owner.name]);
  });

  test('the owner deletes a list while a member shops in it', async () => {
    const [owner, member] = [await site.createPerson(), await site.createPerson()];
    const id = await createShared(owner, member);
    const page = await openPlanner(member, id);
    await page.getByRole('listitem', { name: 'Rope' }).waitFor();
    await owner.call(deleteshoplist, { id });
    await button(page, 'One more Rope').click();
    await page.getByRole('alert').first().waitFor();
    await button(page, 'Discard').click();
    await page.getByText('Your shopping lists appear here').waitFor();
  });

  test.for([
    ['wide', 'light'],
    ['phone', 'dark'],
  ] as const)('axe finds nothing in dialog and invitation, %s and %s', { tags: 'matrix' }, async ([size, scheme]) => {
    const [owner, member] = [await site.createPerson(), await site.createPerson()];
    const id = await createShared(owner, member);
    const page = await openPlanner(owner, id, { size, scheme });
    await button(page, 'Menu for Our shop').click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    await page.getByRole('dialog').getByText('Owner', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const invited = await site.createPerson();
    await owner.call(shareshoplist, { id, username: invited.name });
    const other = await openPlanner(invited, undefined, { size, scheme });
    await button(other, 'Join Our shop').waitFor();
    expect(await findBarriers(other)).toEqual([]);
  });
});
