import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus, waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getDayColumn, holdWeekAnswer, openTimetable, planSlot, listPlan } from '#testing/kits/planning/timetable.ts';
import { DELETED, savespecific } from '../contract.ts';

const site = startTestSite({ rateLimits: false });
const getSlot = (page: Page, name: RegExp | string): Locator =>
  page.locator('[data-slot]').and(page.getByRole('button', { name }));
const getField = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const getButton = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

const THURSDAY = '2026-11-19';

/** Collects the messages of alerts, and closes each. */
function collectAlerts(page: Page): readonly string[] {
  const alerts: string[] = [];
  page.on('dialog', (dialog) => {
    alerts.push(`${dialog.type()}: ${dialog.message()}`);
    void dialog.accept();
  });
  return alerts;
}

describe.skipIf(site.skipReason)(`timetable's editor (${site.skipReason ?? 'in Chromium'})`, () => {
  test('creates a slot with every field, and offers Delete only once it exists', async () => {
    const account = await site.createPerson();
    const page = await openTimetable(site, account);
    await getButton(page, 'Add slot on Thursday').click();
    await waitForFocus(getField(page, 'Name'));
    await expect.poll(() => getField(page, 'Start time').inputValue()).toBe('12:00');
    await expect.poll(() => getField(page, 'End time').inputValue()).toBe('15:00');
    await expect.poll(() => getButton(page, 'Delete').count()).toBe(0);
    await page.keyboard.type('Read');
    await getField(page, 'Start time').fill('9');
    await getField(page, 'End time').fill('10.30');
    await page.getByRole('button', { name: 'Status: Not Started' }).click();
    await page.getByRole('button', { name: 'Status: In Progress' }).waitFor();
    await getField(page, 'Description').fill('Two papers');
    await getButton(page, 'Colour #c2413b').click();
    await expect.poll(() => getField(page, 'End time').inputValue()).toBe('10:30');
    await getButton(page, 'Save').click();
    const read = getSlot(page, 'Read, 09:00 to 10:30, In Progress');
    await read.waitFor();
    expect(await listPlan(account, THURSDAY)).toEqual(['09:00 to 10:30 Read, In Progress']);
    await read.click();
    await expect.poll(() => getField(page, 'Description').inputValue()).toBe('Two papers');
    await expect.poll(() => getButton(page, 'Colour #c2413b').getAttribute('aria-pressed')).toBe('true');
    await getButton(page, 'Delete').waitFor();
  });

  test('the status button cycles through all statuses, and Cancel changes nothing', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    await getSlot(page, /^Run,/).click();
    for (const status of ['Not Started', 'In Progress', 'Done', 'Skipped'])
      await page.getByRole('button', { name: `Status: ${status}` }).click();
    await page.getByRole('button', { name: 'Status: Not Started' }).click();
    await page.getByText('Not saved yet').waitFor();
    await getButton(page, 'Cancel').click();
    await getSlot(page, 'Run, 09:00 to 10:00, Not Started').click();
    await page.getByRole('button', { name: 'Status: Not Started' }).waitFor();
    expect(await listPlan(account, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
  });

  test('text typed right after the shortcut becomes the name of the new slot', async () => {
    const page = await openTimetable(site, await site.createPerson());
    await page.keyboard.type('nVisit');
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('Visit');
    await getField(page, 'Name').blur();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Set next status').waitFor();
    const keys = (await sheet.getByRole('definition').allTextContents()).map((text) => text.trim());
    expect(keys).toEqual(
      expect.arrayContaining(['s', '↑ /↓ /← /→', 'Shift ↑ /Shift ↓', 'Alt Shift ↑ /Alt Shift ↓', 'Delete /Backspace']),
    );
  });

  test('the description grows up to 200 px, then scrolls', async () => {
    const page = await openTimetable(site, await site.createPerson());
    await getButton(page, 'Add slot on Thursday').click();
    const getHeight = async (): Promise<number> => (await getField(page, 'Description').boundingBox())?.height ?? 0;
    const first = await getHeight();
    await getField(page, 'Description').fill('line\n'.repeat(7));
    await expect.poll(getHeight).toBeGreaterThan(first);
    await getField(page, 'Description').fill('line\n'.repeat(60));
    await expect.poll(getHeight).toBe(200);
    await expect
      .poll(() => getField(page, 'Description').evaluate((box) => box.scrollHeight > box.clientHeight))
      .toBe(true);
  });

  test('a refused save shows an alert with the message, and no input is lost', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    const alerts = collectAlerts(page);
    await getSlot(page, /^Run,/).click();
    await getField(page, 'End time').fill('08:00');
    await getField(page, 'Description').fill('typed with care');
    await getButton(page, 'Save').click();
    await expect
      .poll(() => alerts)
      .toEqual([expect.stringMatching(/^alert: Error: “Run” ends at 08:00, before it starts at 09:00/)]);
    await expect.poll(() => getField(page, 'Description').inputValue()).toBe('typed with care');
    await page.getByRole('alert').filter({ hasText: 'before it starts at 09:00' }).waitFor();
    // After opening another slot and this one again, the input is still there.
    await getButton(page, 'Add slot on Friday').click();
    await expect.poll(() => getField(page, 'Description').inputValue()).toBe('');
    await getSlot(page, /^Run,/).click();
    await expect.poll(() => getField(page, 'Description').inputValue()).toBe('typed with care');
    await getField(page, 'End time').fill('11:00');
    await getButton(page, 'Save').click();
    await getSlot(page, 'Run, 09:00 to 11:00, Not Started').waitFor();
  });

  test('a save that does not arrive shows an alert with the exception, and can be retried', async () => {
    const account = await site.createPerson();
    const page = await openTimetable(site, account, { expects: /ERR_FAILED/ });
    const alerts = collectAlerts(page);
    await page.route('**/api/savespecific', (route) => route.abort());
    await getButton(page, 'Add slot on Thursday').click();
    await waitForFocus(getField(page, 'Name'));
    await page.keyboard.type('Read');
    await getButton(page, 'Save').click();
    await expect.poll(() => alerts).toEqual(['alert: Error: The server cannot be reached']);
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('Read');
    // It survives a reload too.
    await page.reload();
    await getButton(page, 'Add slot on Thursday').click();
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('Read');
    await page.unroute('**/api/savespecific');
    await getButton(page, 'Save').click();
    await getSlot(page, 'Read, 12:00 to 15:00, Not Started').waitFor();
    await getButton(page, 'Add slot on Thursday').click();
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('');
  });

  test('a save that settles late closes its own slot only, not one that was opened since', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    await planSlot(account, THURSDAY, { name: 'Read', start: '12:00', end: '14:00' });
    const page = await openTimetable(site, account);
    const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/api/savespecific', async (route) => {
      requested.resolve();
      await released.promise;
      await route.continue();
    });
    await getSlot(page, /^Run,/).click();
    await getField(page, 'Name').fill('Long run');
    await getButton(page, 'Save').click();
    await requested.promise;
    await getSlot(page, /^Read,/).click();
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('Read');
    released.resolve();
    await getSlot(page, /^Long run,/).waitFor();
    await waitForIdle(page);
    expect(await getField(page, 'Name').count()).toBe(1);
    expect(await getField(page, 'Name').inputValue()).toBe('Read');
  });

  test('a move that is not saved is reverted and reported', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account, { expects: /ERR_FAILED/ });
    const alerts = collectAlerts(page);
    await page.route('**/api/moveslot', (route) => route.abort());
    await getSlot(page, /^Run,/).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => alerts).toEqual(['alert: Error: The server cannot be reached']);
    await getSlot(page, 'Run, 09:00 to 10:00, Not Started').waitFor();
    // An unsaved change can't be undone.
    await page.unroute('**/api/moveslot');
    await page.keyboard.press('Control+z');
    await getSlot(page, 'Run, 09:00 to 10:00, Not Started').waitFor();
    await waitForIdle(page);
    expect(await listPlan(account, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
  });

  test('changes of another tab appear immediately and do not disturb typing', async () => {
    const account = await site.createPerson();
    const id = await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    await getSlot(page, /^Run,/).click();
    await getField(page, 'Description').fill('half a sen');
    await account.call(savespecific, {
      date: THURSDAY,
      data: { [id]: { name: 'Long run', updatedid: id, state: 'Done' } },
    });
    await getSlot(page, 'Long run, 09:00 to 10:00, Done').waitFor();
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('Long run');
    await expect.poll(() => getField(page, 'Description').inputValue()).toBe('half a sen');
    await getButton(page, 'Save').click();
    await expect.poll(() => getField(page, 'Name').count()).toBe(0);
    // Only edited fields were sent, so the change of the other tab remains.
    expect(await listPlan(account, THURSDAY)).toEqual(['09:00 to 10:00 Long run, Done']);
  });

  test('Save recreates a slot that was deleted elsewhere while it was edited', async () => {
    const account = await site.createPerson();
    const id = await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    await getSlot(page, /^Run,/).click();
    await getField(page, 'Name').fill('Run again');
    await account.call(savespecific, { date: THURSDAY, data: { [id]: { name: DELETED, updatedid: id } } });
    await page.getByText('This slot was deleted elsewhere. Save to create it again').waitFor();
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('Run again');
    await getButton(page, 'Save').click();
    await getSlot(page, 'Run again, 09:00 to 10:00, Not Started').waitFor();
  });

  test('Delete removes a slot, and Undo restores it', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    await getSlot(page, /^Run,/).click();
    await getButton(page, 'Delete').click();
    await getSlot(page, /^Run,/).waitFor({ state: 'detached' });
    await page.getByText('Deleted Run').waitFor();
    expect(await listPlan(account, THURSDAY)).toEqual([]);
    await getButton(page, 'Undo').click();
    await getSlot(page, 'Run, 09:00 to 10:00, Not Started').waitFor();
  });

  test('hostile text is shown as text', async () => {
    const account = await site.createPerson();
    const name = '<img src=x onerror=alert(1)> \u202e{{7*7}} 👋';
    await planSlot(account, THURSDAY, {
      name,
      start: '09:00',
      end: '12:00',
      description: '</button><script>1</script>"',
    });
    const page = await openTimetable(site, account);
    await getDayColumn(page, 'Thursday').getByText(name).waitFor();
  });
});

describe.skipIf(site.skipReason)(`timetable by keyboard (${site.skipReason ?? 'in Chromium'})`, () => {
  test('arrows move, Shift and arrows resize, S cycles, Enter opens, and the focus stays on the slot', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    await planSlot(account, '2026-11-20', { name: 'Other', start: '08:00', end: '10:00' });
    const page = await openTimetable(site, account);
    const run = getSlot(page, /^Run,/);
    await run.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Shift+ArrowDown', 's', 's']) {
      await waitForFocus(run);
      await page.keyboard.press(key);
    }
    await getDayColumn(page, 'Friday').getByRole('button', { name: 'Run, 09:10 to 10:15, Done' }).waitFor();
    await waitForFocus(run);
    await expect
      .poll(() => listPlan(account, '2026-11-20'))
      .toEqual(['08:00 to 10:00 Other, Not Started', '09:10 to 10:15 Run, Done']);
    await page.keyboard.press('Enter');
    await waitForFocus(getField(page, 'Name'));
    await getButton(page, 'Cancel').click();
    await waitForFocus(run);
    await page.keyboard.press('Delete');
    await run.waitFor({ state: 'detached' });
    await getButton(page, 'Undo').click();
    await run.waitFor();
  });

  test('an arrow at the edge of the week goes to the next one, with the focus', async () => {
    const account = await site.createPerson();
    await planSlot(account, '2026-11-22', { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    await getSlot(page, /^Run,/).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Week 48, 23 to 29 Nov').waitFor();
    await waitForFocus(getDayColumn(page, 'Monday').getByRole('button', { name: 'Run, 09:00 to 10:00, Not Started' }));
    await expect.poll(() => listPlan(account, '2026-11-23')).toEqual(['09:00 to 10:00 Run, Not Started']);
  });

  test('a slot that an arrow moved to the next week keeps the focus while that week is loading', async () => {
    const account = await site.createPerson();
    await planSlot(account, '2026-11-22', { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    const nextWeek = await holdWeekAnswer(page, '2026-11-23');
    await page.reload();
    await nextWeek.requested;
    await getSlot(page, /^Run,/).focus();
    const saved = page.waitForResponse('**/api/moveslot');
    await page.keyboard.press('ArrowRight');
    await saved;
    nextWeek.release();
    const there = getDayColumn(page, 'Monday').getByRole('button', { name: 'Run, 09:00 to 10:00, Not Started' });
    await waitForFocus(there);
    await waitForIdle(page);
    await waitForFocus(there);
  });

  test('letters do nothing in a field', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    await getSlot(page, /^Run,/).click();
    await getField(page, 'Name').fill('');
    await waitForFocus(getField(page, 'Name'));
    await page.keyboard.type('scvn');
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('scvn');
    expect(await listPlan(account, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
  });
});
