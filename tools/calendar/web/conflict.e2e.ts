import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { nowOnMonday } from '#testing/kits/browser/monday.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getButton, getDescriptionField, createEditorKit, getNameField } from '#testing/kits/planning/editor.ts';
import { deleteevent } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false, now: nowOnMonday });
const { createPerson, make, read, open, openNew } = createEditorKit(site);
/** Reads the drafts of new events in this browser, with their owner. */
const readNewDrafts = (page: Page) =>
  page.evaluate(() => JSON.stringify(Object.entries(localStorage).filter(([key]) => key.endsWith('calendar.drafts'))));
const LOST = /ERR_FAILED|ERR_INTERNET_DISCONNECTED|Failed to load/;

describe.skipIf(site.skipReason)(
  `concurrent edits and failed saves of an event (${site.skipReason ?? 'in Chromium'})`,
  () => {
    test('the second of two tabs that save an event sees both versions, and can save its own', async () => {
      const account = await createPerson();
      const event = await make(account, { description: 'old' });
      const [first, second] = [await open(account, event), await open(account, event)];
      await getDescriptionField(second).fill('of the second');
      await getNameField(first).fill('Name of the first');
      await first.keyboard.press('Control+s');
      await getButton(first, 'Saved').waitFor();
      await second.getByText('This event was changed elsewhere after you opened it').waitFor();
      await second.keyboard.press('Control+s');
      const dialog = second.getByRole('dialog', { name: 'This event was changed elsewhere' });
      await dialog.waitFor();
      expect(await findBarriers(second)).toEqual([]);
      await expect.poll(() => dialog.getByRole('group').filter({ hasText: 'different' }).count()).toBe(2);
      await dialog.getByRole('button', { name: 'Theirs: Name of the first' }).waitFor();
      await getButton(second, 'Keep mine').click();
      await getButton(second, 'Saved').waitFor();
      expect(await read(account, event.id)).toMatchObject({ name: 'Quarterly review', description: 'of the second' });
      // The first page has no edits, so it just shows the change.
      await expect.poll(() => getDescriptionField(first).inputValue()).toBe('of the second');
    });

    test('the user can take the other version, or combine both', async () => {
      const account = await createPerson();
      const event = await make(account, { description: 'old' });
      const page = await open(account, event);
      await getDescriptionField(page).fill('mine');
      const theirs = await make(account, { id: event.id, name: 'Theirs', description: 'old' });
      await page.keyboard.press('Control+s');
      await getButton(page, 'Save selected parts').click();
      await getButton(page, 'Saved').waitFor();
      expect(await read(account, event.id)).toMatchObject({ name: 'Theirs', description: 'mine' });
      await getDescriptionField(page).fill('mine again');
      await make(account, { id: event.id, name: 'Theirs again', description: 'theirs' });
      await page.keyboard.press('Control+s');
      await getButton(page, 'Keep theirs').click();
      await expect.poll(() => getDescriptionField(page).inputValue()).toBe('theirs');
      await getButton(page, 'Save').waitFor();
      expect(theirs.revision).toBeLessThan((await read(account, event.id)).revision);
    });

    test('edits of an event that was deleted elsewhere stay, and the event can be restored', async () => {
      const account = await createPerson();
      const event = await make(account, {});
      const page = await open(account, event);
      await getDescriptionField(page).fill('typed');
      await account.call(deleteevent, { id: event.id });
      await page.getByText('This event was deleted after you opened it').waitFor();
      await getButton(page, 'Restore event').click();
      await page.getByText('This event was deleted after you opened it').waitFor({ state: 'detached' });
      await expect.poll(() => getDescriptionField(page).inputValue()).toBe('typed');
      await page.keyboard.press('Control+s');
      await getButton(page, 'Saved').waitFor();
      expect((await read(account, event.id)).description).toBe('typed');
    });

    test('edits stay after a failed save, and are a draft after a reload', async () => {
      const account = await createPerson();
      const event = await make(account, {});
      const page = await open(account, event, { expects: LOST });
      await getDescriptionField(page).fill('not to be lost');
      await page.route('**/api/newevent', (route) => route.abort());
      await page.keyboard.press('Control+s');
      await getButton(page, 'failed to save').waitFor();
      await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
      await expect.poll(() => getDescriptionField(page).inputValue()).toBe('not to be lost');
      await page.reload();
      await expect.poll(() => getDescriptionField(page).inputValue()).toBe('not to be lost');
      await page.unroute('**/api/newevent');
      await getButton(page, 'Not saved').click();
      await getButton(page, 'Saved').waitFor();
      await page.reload();
      await getButton(page, 'Save').waitFor();
      expect((await read(account, event.id)).description).toBe('not to be lost');
    });

    test('a new event that was not saved is restored after a reload, and offered beside another new one', async () => {
      const account = await createPerson();
      const page = await openNew(account);
      await getNameField(page).fill('Half an idea');
      // Stored with their owner, who is known a moment later.
      await expect.poll(() => readNewDrafts(page)).toContain(encodeURIComponent(account.name));
      await page.reload();
      await expect.poll(() => getNameField(page).inputValue()).toBe('Half an idea');
      await page.goto('/calendar?view=event&new=2026-12-24');
      await page.getByText('Unsaved draft: Half an idea, 23-11-2026').waitFor();
      await expect.poll(() => getNameField(page).inputValue()).toBe('');
      await getButton(page, 'Continue editing').click();
      await expect.poll(() => getNameField(page).inputValue()).toBe('Half an idea');
      await page.keyboard.press('Control+s');
      await getButton(page, 'Saved').waitFor();
      await page.goto('/calendar?view=event&new=2026-12-24');
      await getButton(page, 'Save').waitFor();
      await expect.poll(() => page.getByText('Unsaved draft').count()).toBe(0);
    });

    test('a new event that was started before the account was known is offered to that account', async () => {
      const account = await createPerson();
      const page = await openNew(account);
      const known = Promise.withResolvers<undefined>();
      await page.route('**/api/tokenconv*', async (route) => {
        await known.promise;
        await route.continue();
      });
      await page.reload();
      await getNameField(page).fill('Half an idea');
      await expect.poll(() => readNewDrafts(page)).toContain('Half an idea');
      known.resolve(undefined);
      await expect.poll(() => readNewDrafts(page)).toContain(encodeURIComponent(account.name));
      await page.goto('/calendar?view=event&new=2026-12-24');
      await page.getByText('Unsaved draft: Half an idea, 23-11-2026').waitFor();
    });

    test('unsaved edits are announced when they are left, and restored on return', async () => {
      const account = await createPerson();
      await make(account, { name: 'Another' });
      const event = await make(account, {});
      const page = await open(account, event);
      await getDescriptionField(page).fill('half a sentence');
      await page
        .getByRole('button', { name: /Another/ })
        .first()
        .click();
      await page.getByText('Not saved: Quarterly review. Your changes are stored as a draft').waitFor();
      await expect.poll(() => getNameField(page).inputValue()).toBe('Another');
      await page
        .getByRole('button', { name: /Quarterly review/ })
        .first()
        .click();
      await expect.poll(() => getDescriptionField(page).inputValue()).toBe('half a sentence');
      await getButton(page, 'Not saved').waitFor();
    });

    test('a draft of an older version is offered, not applied', async () => {
      const account = await createPerson();
      const event = await make(account, { description: 'old' });
      const page = await open(account, event);
      await getDescriptionField(page).fill('my old draft');
      await page.goto('/calendar?view=event');
      await make(account, { id: event.id, description: 'newer' });
      await page.goto(`/calendar?view=event&event=${event.id}&date=2026-11-23&type=calendar`);
      await page.getByText('You have unsaved changes here').waitFor();
      await expect.poll(() => getDescriptionField(page).inputValue()).toBe('newer');
      await getButton(page, 'Show my changes').click();
      await expect.poll(() => getDescriptionField(page).inputValue()).toBe('my old draft');
      await page.keyboard.press('Control+s');
      await page.getByRole('dialog', { name: 'This event was changed elsewhere' }).waitFor();
    });
  },
);
