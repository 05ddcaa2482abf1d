import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/axe.ts';
import { pressTwice } from '#testing/browser.ts';
import { buttonOf, editorOf, nameOf } from '#testing/editor.ts';
import { onMonday } from '#testing/monday.ts';
import { reusePage } from '#testing/reuse.ts';
import { serveSite } from '#testing/site.ts';
import { deletedevents, deleteevent, getevents, settags } from '../contract.ts';

const site = serveSite({ rateLimits: false, now: onMonday });
const { newPerson, make, read, open } = editorOf(site);

describe.skipIf(site.lack)(`the bin of the calendar (${site.lack ?? 'in Chromium'})`, () => {
  test('Delete puts an event there, with Undo in the notice', async () => {
    const account = await newPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    await buttonOf(page, 'Delete Quarterly review').click();
    await page.getByText('Deleted', { exact: true }).waitFor();
    expect((await account.call(deletedevents, {})).events.map(({ id }) => id)).toEqual([event.id]);
    await buttonOf(page, 'Undo').click();
    await expect.poll(async () => (await account.call(deletedevents, {})).events).toEqual([]);
    await page
      .getByRole('button', { name: /Quarterly review/ })
      .first()
      .click();
    await expect.poll(() => nameOf(page).inputValue()).toBe('Quarterly review');
  });

  test.for(['wide', 'phone'] as const)(
    'gives back events and tags, and is emptied at the second click (%s)',
    async (size) => {
      const account = await newPerson();
      const event = await make(account, { participants: ['work'] });
      const other = await make(account, { name: 'To be gone' });
      await account.call(getevents, {});
      await account.call(settags, { tags: [] });
      for (const { id } of [event, other]) await account.call(deleteevent, { id });
      const page = await reusePage(site, account, '/calendar?view=event', { size });
      // On a phone what is done seldom stands below the dates.
      await (size === 'phone' ? buttonOf(page, 'Show dates') : buttonOf(page, 'More')).click();
      await page.getByText('Bin', { exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Bin' });
      await dialog.getByText('What is deleted stays here for 30 days.').waitFor();
      await buttonOf(page, 'Restore work').click();
      await buttonOf(page, 'Restore work').waitFor({ state: 'detached' });
      expect(await findBarriers(page)).toEqual([]);
      await buttonOf(page, 'Restore Quarterly review').click();
      await buttonOf(page, 'Restore Quarterly review').waitFor({ state: 'detached' });
      expect(await read(account, event.id)).toMatchObject({ name: 'Quarterly review', participants: ['work'] });
      await pressTwice(buttonOf(page, 'Empty bin'), buttonOf(page, 'Confirm Empty bin'), async () => {
        expect((await account.call(deletedevents, {})).events).toHaveLength(1);
      });
      await dialog.getByText('Nothing is in the bin').waitFor();
      expect((await account.call(deletedevents, {})).events).toEqual([]);
    },
  );
});
