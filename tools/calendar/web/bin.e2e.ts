import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { pressAndConfirm } from '#testing/kits/browser/browser.ts';
import { nowOnMonday } from '#testing/kits/browser/monday.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getButton, createEditorKit, getNameField } from '#testing/kits/planning/editor.ts';
import { deletedevents, deleteevent, getevents, settags } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false, now: nowOnMonday });
const { createPerson, make, read, open } = createEditorKit(site);

describe.skipIf(site.skipReason)(`the bin of the calendar (${site.skipReason ?? 'in Chromium'})`, () => {
  test('Delete moves an event there, with Undo in the notice', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    await getButton(page, 'Delete Quarterly review').click();
    await page.getByText('Deleted', { exact: true }).waitFor();
    expect((await account.call(deletedevents, {})).events.map(({ id }) => id)).toEqual([event.id]);
    await getButton(page, 'Undo').click();
    await expect.poll(async () => (await account.call(deletedevents, {})).events).toEqual([]);
    await page
      .getByRole('button', { name: /Quarterly review/ })
      .first()
      .click();
    await expect.poll(() => getNameField(page).inputValue()).toBe('Quarterly review');
  });

  test.for(['wide', 'phone'] as const)(
    'restores events and tags, and is emptied at the second click (%s)',
    async (size) => {
      const account = await createPerson();
      const event = await make(account, { participants: ['work'] });
      const other = await make(account, { name: 'To be gone' });
      await account.call(getevents, {});
      await account.call(settags, { tags: [] });
      for (const { id } of [event, other]) await account.call(deleteevent, { id });
      const page = await reusePage(site, account, '/calendar?view=event', { size });
      // On a phone, rarely used actions are below the rails.
      await (size === 'phone' ? getButton(page, 'Show dates') : getButton(page, 'More')).click();
      await page.getByText('Bin', { exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Bin' });
      await dialog.getByText('Deleted events and tags stay here for 30 days').waitFor();
      await getButton(page, 'Restore work').click();
      await getButton(page, 'Restore work').waitFor({ state: 'detached' });
      expect(await findBarriers(page)).toEqual([]);
      await getButton(page, 'Restore Quarterly review').click();
      await getButton(page, 'Restore Quarterly review').waitFor({ state: 'detached' });
      expect(await read(account, event.id)).toMatchObject({ name: 'Quarterly review', participants: ['work'] });
      await pressAndConfirm(getButton(page, 'Empty bin'), getButton(page, 'Confirm Empty bin'), async () => {
        expect((await account.call(deletedevents, {})).events).toHaveLength(1);
      });
      await dialog.getByText('The bin is empty').waitFor();
      expect((await account.call(deletedevents, {})).events).toEqual([]);
    },
  );
});
