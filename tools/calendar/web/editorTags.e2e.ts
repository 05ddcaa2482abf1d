import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus } from '#testing/kits/browser/browser.ts';
import { nowOnMonday } from '#testing/kits/browser/monday.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getButton, createEditorKit } from '#testing/kits/planning/editor.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { getevents } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false, now: nowOnMonday });
const { createPerson, make, read, open } = createEditorKit(site);
const getChips = (page: Page) => page.getByRole('list', { name: 'Tags' });
/** Waits until the chip is a known tag. It appears before the existing tags are loaded. */
const waitForTag = (page: Page, tag: string): Promise<void> =>
  getChips(page).locator('li:not([data-unsaved])').filter({ hasText: tag }).waitFor();
const listUserTags = async (account: TestAccount): Promise<readonly string[]> =>
  Object.entries((await account.call(getevents, {})).tags).flatMap(([name, { removable }]) =>
    removable === 1 ? [name] : [],
  );
async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s');
  await getButton(page, 'Saved').waitFor();
}

describe.skipIf(site.skipReason)(`tags in the editor (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the placeholder opens the menu; Enter creates a tag, arrows select an existing one', async () => {
    const account = await createPerson();
    await make(account, { name: 'Other', participants: ['planning'] });
    const event = await make(account, {});
    const page = await open(account, event);
    await getButton(page, 'CLICK TO CHANGE TAG').click();
    const field = page.getByRole('textbox', { name: 'Tag name' });
    await waitForFocus(field);
    await page.keyboard.type('work');
    await page.keyboard.press('Enter');
    await getChips(page).getByText('work').waitFor();
    await expect.poll(() => getButton(page, 'CLICK TO CHANGE TAG').count()).toBe(0);
    await getButton(page, 'Add new tag').press('Enter');
    await waitForFocus(field);
    await page.keyboard.type('PLAN');
    // Existing tags are loaded together with the events.
    await page
      .getByRole('dialog', { name: 'Add new tag' })
      .getByRole('button', { name: 'planning', exact: true })
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await getChips(page).getByText('planning').waitFor();
    await save(page);
    expect((await read(account, event.id)).participants).toEqual(['work', 'planning']);
    await getButton(page, 'Add new tag').click();
    await field.fill('a, b');
    await page.getByText("A tag name can't contain a comma. Remove it").waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  test('a tag can be pinned and unpinned, and built-in tags have no controls', async () => {
    const account = await createPerson();
    const event = await make(account, { participants: ['work', 'home'] });
    const page = await open(account, event);
    await getButton(page, 'Pin home').click();
    await getChips(page).getByText('Pinned').waitFor();
    await expect.poll(() => getButton(page, 'Remove tag Pinned').count()).toBe(0);
    await save(page);
    expect(await read(account, event.id)).toMatchObject({ pinned: 'home' });
    await getButton(page, 'Unpin home').click();
    await save(page);
    expect(await read(account, event.id)).toMatchObject({ pinned: false });
  });

  test('removing a tag only affects its event, and settags names every tag; its failure is ignored', async () => {
    const account = await createPerson();
    await make(account, { name: 'Other', participants: ['work', 'home'] });
    const event = await make(account, { participants: ['work'] });
    const page = await open(account, event, { expects: /ERR_FAILED|ERR_INTERNET|Failed to load/ });
    const sentRequest = page.waitForRequest('**/api/settags');
    await waitForTag(page, 'work');
    await getButton(page, 'Remove tag work').click();
    expect((JSON.parse((await sentRequest).postData() ?? '{}') as { tags: string[] }).tags.toSorted()).toEqual([
      'home',
      'work',
    ]);
    await save(page);
    expect((await read(account, event.id)).participants).toEqual([]);
    expect((await listUserTags(account)).toSorted()).toEqual(['home', 'work']);
    const other = await make(account, { participants: ['home'] });
    const failing = await open(account, other, { expects: /ERR_FAILED|Failed to load/ });
    await waitForTag(failing, 'home');
    await failing.route('**/api/settags', (route) => route.abort());
    const failed = failing.waitForEvent('requestfailed');
    await getButton(failing, 'Remove tag home').click();
    await failed;
    await save(failing);
    await expect.poll(() => failing.getByRole('alert').count()).toBe(0);
  });

  test('the menu colours a tag, deletes it everywhere, and undoes that', async () => {
    const account = await createPerson();
    const event = await make(account, { participants: ['work', 'home'] });
    const page = await open(account, event);
    await getButton(page, 'Add new tag').click();
    await getButton(page, 'Colour of work').click();
    await page.getByRole('group', { name: 'Colour of work' }).getByRole('button', { name: 'teal' }).click();
    await expect.poll(async () => (await account.call(getevents, {})).tags['work']?.colour).toBe('#0E8A8A');
    await getButton(page, 'Delete home').click();
    await page.getByText('Tag home deleted').waitFor();
    await expect.poll(() => listUserTags(account)).toEqual(['work']);
    await getChips(page).getByText('home').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await getButton(page, 'Undo').click();
    await expect.poll(() => listUserTags(account)).toEqual(['work', 'home']);
    await getChips(page).getByText('home').waitFor();
    expect((await read(account, event.id)).participants).toEqual(['work', 'home']);
  });
});
