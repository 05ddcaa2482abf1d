import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  createCalendarKit,
  getDayCell,
  getCellButton,
  createDuration,
  createEventOn,
  WEEKLY_REPEAT,
} from '#testing/kits/planning/calendarPage.ts';
import { formatIcsEvent, formatIcsFile, startFeedServer } from '#testing/kits/planning/feedServer.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { eventsbetween } from '../contract/events.ts';
import { subscribecalendar } from '../contract/exchange.ts';

const site = startTestSite({ rateLimits: false, egressAllow: ['127.0.0.1'] });
const { createPerson, open: calendar } = createCalendarKit(site);

/** The days of November with events, and their names. */
async function listNovemberEvents(account: TestAccount): Promise<readonly string[]> {
  const { dates, durations } = await account.call(eventsbetween, { from: '2026-11-01', until: '2026-11-30' });
  return [
    ...Object.entries(dates).flatMap(([day, { entries }]) => entries.map(({ name }) => `${day.slice(-2)} ${name}`)),
    ...durations.map(({ name, date, until }) => `${date} to ${until} ${name}`),
  ];
}
const dragTo = (page: Page, name: string, from: string, to: string): Promise<void> =>
  getCellButton(page, from, name).dragTo(getDayCell(page, to), { targetPosition: { x: 50, y: 80 } });

describe.skipIf(site.skipReason)(`dragging in the month (${site.skipReason ?? 'in Chromium'})`, () => {
  test('moves an event to another day, announces it, and undoes it', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026', { time: '09:40' });
    const page = await calendar(account, 'view=month');
    await dragTo(page, 'Dentist', 'Wednesday 25 November', 'Friday 27 November');
    await getCellButton(page, 'Friday 27 November, 1 event', 'Dentist').waitFor();
    await page.getByRole('status').filter({ hasText: 'Dentist moved to Friday 27 November' }).waitFor();
    expect(await listNovemberEvents(account)).toEqual(['27 Dentist']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await getCellButton(page, 'Wednesday 25 November, 1 event', 'Dentist').waitFor();
    expect(await listNovemberEvents(account)).toEqual(['25 Dentist']);
  });

  test('leaves a dashed placeholder and highlights the day under the pointer', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026');
    const page = await calendar(account, 'view=month');
    const chip = getCellButton(page, 'Wednesday 25 November', 'Dentist');
    const target = getDayCell(page, 'Friday 27 November');
    await chip.hover();
    await page.mouse.down();
    const { x = 0, y = 0 } = (await target.boundingBox()) ?? {};
    await page.mouse.move(x + 30, y + 60, { steps: 5 });
    await page.mouse.move(x + 40, y + 70);
    await expect.poll(() => target.getAttribute('data-over')).toBe('');
    expect(await chip.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('dashed');
    await page.keyboard.press('Escape');
    await page.mouse.up();
  });

  test('asks for a repeat whether only this day or all days move; Esc cancels', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Choir', '04-11-2026', WEEKLY_REPEAT);
    const page = await calendar(account, 'view=month');
    const dialog = page.getByRole('dialog', { name: 'Move a repeating event' });
    async function drop(): Promise<void> {
      await dragTo(page, 'Choir', 'Wednesday 18 November', 'Thursday 19 November');
      await dialog.getByText('from Wednesday 18 November to Thursday 19 November').waitFor();
      // The entry is shown at its new day while the dialog is open.
      await page.locator('[data-cell] [data-entry]').nth(3).waitFor();
      await waitForFocus(dialog.getByRole('button', { name: 'Only this day' }));
    }
    await drop();
    await page.keyboard.press('Escape');
    await getCellButton(page, 'Wednesday 18 November, 1 event', 'Choir').waitFor();
    expect(await listNovemberEvents(account)).toEqual(['04 Choir', '11 Choir', '18 Choir', '25 Choir']);
    await drop();
    await page.keyboard.press('Enter');
    await getCellButton(page, 'Thursday 19 November, 1 event', 'Choir').waitFor();
    await expect.poll(() => listNovemberEvents(account)).toEqual(['04 Choir', '11 Choir', '19 Choir', '25 Choir']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await getCellButton(page, 'Wednesday 18 November, 1 event', 'Choir').waitFor();
    await drop();
    await dialog.getByRole('button', { name: 'All days' }).click();
    await getCellButton(page, 'Thursday 26 November, 1 event', 'Choir').waitFor();
    await expect.poll(() => listNovemberEvents(account)).toEqual(['05 Choir', '12 Choir', '19 Choir', '26 Choir']);
  });

  test('moves a duration by any of its days', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Holiday', '10-11-2026', createDuration(10));
    const page = await calendar(account, 'view=month');
    await dragTo(page, 'Holiday', 'Tuesday 17 November', 'Thursday 19 November');
    await getDayCell(page, 'Wednesday 11 November, no events').waitFor();
    await getCellButton(page, 'Saturday 21 November, 1 event', 'Holiday').waitFor();
    await expect.poll(() => listNovemberEvents(account)).toEqual(['12-11-2026 to 21-11-2026 Holiday']);
  });

  test('reverts an event, with the reason, if it cannot be moved', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026');
    const page = await calendar(account, 'view=month', { expects: /moveevent|ERR_FAILED/ });
    const { promise: requested, resolve: answer } = Promise.withResolvers<void>();
    // The connection is lost while the page waits for the answer.
    await page.route('**/api/moveevent', async (route) => {
      await requested;
      await route.abort();
    });
    await dragTo(page, 'Dentist', 'Wednesday 25 November', 'Friday 27 November');
    await getCellButton(page, 'Friday 27 November, 1 event', 'Dentist').waitFor();
    answer();
    await page.getByRole('alert').waitFor();
    await getCellButton(page, 'Wednesday 25 November, 1 event', 'Dentist').waitFor();
    expect(await listNovemberEvents(account)).toEqual(['25 Dentist']);
  });

  test('does not move events of subscribed calendars', async () => {
    const account = await createPerson();
    await using feed = await startFeedServer(formatIcsFile([formatIcsEvent('match', 'Match', '20261125')], 'Club'));
    await account.call(subscribecalendar, { address: feed.address });
    const page = await calendar(account, 'view=month');
    const chip = getCellButton(page, 'Wednesday 25 November, 1 event', 'Match');
    await dragTo(page, 'Match', 'Wednesday 25 November', 'Friday 27 November');
    await chip.focus();
    for (const key of ['m', 'Delete', 'ContextMenu']) await page.keyboard.press(key);
    await chip.waitFor();
    await expect.poll(() => page.locator('[role=dialog], [role=menu]').count()).toBe(0);
    expect(await listNovemberEvents(account)).toEqual(['25 Match']);
  });
});
