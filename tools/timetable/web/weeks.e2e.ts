import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForDialogFocus, navigate, pressAndConfirm, waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getDayColumn, holdWeekAnswer, openTimetable, planSlot, listPlan } from '#testing/kits/planning/timetable.ts';
import { savedweeks, timetablefeed } from '../contract.ts';
import { NEW_SLOT } from '../domain/slot.ts';
import { serializeSlots } from '../domain/slotClipboard.ts';

const site = startTestSite({ rateLimits: false });
const getSlot = (page: Page, name: RegExp | string): Locator =>
  page.locator('[data-slot]').and(page.getByRole('button', { name }));
const getButton = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

const THURSDAY = '2026-11-19';

function clickTwice(element: HTMLElement): void {
  element.click();
  element.click();
}

/** Returns position and height of a part in its day, as shares from 0 to 100. */
async function getShare(column: Locator, part: Locator): Promise<readonly [number, number]> {
  const [day, box] = [await column.locator('[data-surface]').boundingBox(), await part.boundingBox()];
  if (!day || !box) throw new Error('not shown');
  return [((box.y - day.y) / day.height) * 100, (box.height / day.height) * 100];
}

describe.skipIf(site.skipReason)(`timetable's weeks (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a visitor without a token is redirected to the login', async () => {
    const page = await site.browser.openPage(site.server.origin, '/timetable');
    await page.waitForURL('**/login');
  });

  test('days have weekday and short date as header, and weeks are paged in both directions', async () => {
    const account = await site.createPerson();
    await planSlot(account, '2026-11-09', { name: 'Before', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    for (const [weekday, date] of [
      ['Monday', '16/11'],
      ['Sunday', '22/11'],
    ] as const)
      await getDayColumn(page, weekday).getByText(date, { exact: true }).waitFor();
    await getDayColumn(page, 'Thursday').getByText('today', { exact: true }).waitFor();
    await getButton(page, 'Previous week').click();
    await page.getByText('Week 46, 9 to 15 Nov').waitFor();
    await getSlot(page, /^Before,/).waitFor();
    await page.reload();
    await getSlot(page, /^Before,/).waitFor();
    await getButton(page, 'Today').click();
    await page.getByText('Week 47, 16 to 22 Nov').waitFor();
    await getButton(page, 'Next week').click();
    await page.getByText('Week 48, 23 to 29 Nov').waitFor();
  });

  test('what changes while another page is open is there on the way back, in every week that was loaded', async () => {
    const account = await site.createPerson();
    const page = await openTimetable(site, account);
    await waitForIdle(page);
    await navigate(page, '/pastebin');
    await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
    await planSlot(account, THURSDAY, { name: 'This week', start: '09:00', end: '10:00' });
    await planSlot(account, '2026-11-26', { name: 'Next week', start: '09:00', end: '10:00' });
    await navigate(page, '/timetable');
    await getSlot(page, /^This week,/).waitFor();
    await getButton(page, 'Next week').click();
    await getSlot(page, /^Next week,/).waitFor();
  });

  test('two fast clicks go two weeks, even if the first is not rendered yet', async () => {
    const page = await openTimetable(site, await site.createPerson());
    await page.getByText('Week 47, 16 to 22 Nov').waitFor();
    await getButton(page, 'Next week').evaluate(clickTwice);
    await page.getByText('Week 49, 30 Nov to 6 Dec').waitFor();
    await getButton(page, 'Previous week').evaluate(clickTwice);
    await page.getByText('Week 47, 16 to 22 Nov').waitFor();
  });

  test('a prefetched week that changed since is shown with its changes', async () => {
    const account = await site.createPerson();
    const page = await openTimetable(site, account);
    const nextWeek = await holdWeekAnswer(page, '2026-11-23');
    await page.reload();
    await nextWeek.requested;
    const again = page.waitForResponse(/from=2026-11-16/);
    await planSlot(account, '2026-11-24', { name: 'Dentist', start: '09:00', end: '10:00' });
    await again;
    nextWeek.release();
    await getButton(page, 'Next week').click();
    await page.getByText('Week 48, 23 to 29 Nov').waitFor();
    await getSlot(page, /^Dentist,/).waitFor();
  });

  test('slots are positioned by their share of the day, also on days of 23 and 25 hours', async () => {
    const account = await site.createPerson();
    await planSlot(account, '2026-03-28', { name: 'Plain', start: '12:00', end: '18:00' });
    await planSlot(account, '2026-03-29', { name: 'Short', start: '12:00', end: '18:00' });
    await planSlot(account, '2026-10-25', { name: 'Long', start: '12:00', end: '18:00' });
    const expected = [
      ['2026-03-28', 'Saturday', 'Plain', 12 / 24, 6 / 24],
      ['2026-03-29', 'Sunday', 'Short', 11 / 23, 6 / 23],
      ['2026-10-25', 'Sunday', 'Long', 13 / 25, 6 / 25],
    ] as const;
    for (const [day, weekday, name, top, height] of expected) {
      const page = await openTimetable(site, account, { day });
      const slot = getSlot(page, new RegExp(`^${name},`));
      await slot.waitFor();
      const [at, high] = await getShare(getDayColumn(page, weekday), slot);
      expect(at).toBeCloseTo(top * 100, 0);
      expect(high).toBeCloseTo(height * 100, 0);
    }
    const page = await openTimetable(site, account, { day: '2026-03-29' });
    await getDayColumn(page, 'Sunday').getByText('23 h').waitFor();
  });

  test('the day starts with its morning visible, and its own buttons do not scroll it', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '07:00', end: '08:00' });
    const page = await openTimetable(site, account, { day: '2026-05-04' });
    const getScrollTop = (): Promise<number> => page.locator('[data-scroller]').evaluate((box) => box.scrollTop);
    const morning = await page
      .locator('[data-surface]')
      .first()
      .evaluate((day) => day.clientHeight / 4);
    await expect.poll(async () => Math.abs((await getScrollTop()) - morning)).toBeLessThan(3);
    await getButton(page, 'Add slot on Tuesday').click();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await waitForIdle(page);
    expect(Math.abs((await getScrollTop()) - morning)).toBeLessThan(3);
  });

  test('today is divided at the current time', async () => {
    const page = await openTimetable(site, await site.createPerson(), { now: '2026-11-19T05:00:00Z' });
    const thursday = getDayColumn(page, 'Thursday');
    const [, gone] = await getShare(thursday, thursday.locator('[data-gone]'));
    expect(gone).toBeCloseTo(25, 0);
  });

  test('a day is copied and pasted into another one, and the paste is undone', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '07:00', end: '08:00', state: 'Done' });
    await planSlot(account, THURSDAY, { name: 'Read', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await getSlot(page, /^Read,/).waitFor();
    await getButton(page, 'Copy Thursday').click();
    await page.getByText('Copied Thursday').waitFor();
    const readClipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(readClipboard).toContain('"pegboard timetable 1"');
    await getButton(page, 'Paste into Saturday').click();
    await page.getByText('Pasted 2 slots into Saturday').waitFor();
    expect(await listPlan(account, '2026-11-21')).toEqual([
      '07:00 to 08:00 Run, Not Started',
      '09:00 to 10:00 Read, Not Started',
    ]);
    await getButton(page, 'Undo').click();
    await expect.poll(() => listPlan(account, '2026-11-21')).toEqual([]);
    // A single slot, by keyboard.
    await getSlot(page, /^Run, .*Done$/).focus();
    await page.keyboard.press('c');
    await page.getByText('Copied Run').waitFor();
    await getButton(page, 'Paste into Sunday').click();
    await expect.poll(() => listPlan(account, '2026-11-22')).toEqual(['07:00 to 08:00 Run, Not Started']);
    expect(await listPlan(account, THURSDAY)).toContain('07:00 to 08:00 Run, Done');
    await page.evaluate(() => navigator.clipboard.writeText('something else'));
    await getButton(page, 'Paste into Saturday').click();
    await page.getByText('The clipboard has no slot or day. Copy one first').waitFor();
  });

  test('over plain HTTP the page uses its own clipboard and says why, and Ctrl+V pastes texts from elsewhere', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '07:00', end: '08:00' });
    const page = await openTimetable(site, account, { plainHttp: true });
    await getSlot(page, /^Run,/).waitFor();
    await getButton(page, 'Copy Thursday').click();
    await page.getByText(/Copying to and from other pages needs https/).waitFor();
    await getButton(page, 'Paste into Saturday').click();
    await expect.poll(() => listPlan(account, '2026-11-21')).toEqual(['07:00 to 08:00 Run, Not Started']);
    const text = serializeSlots([{ ...NEW_SLOT, name: 'From elsewhere', colour: [1, 2, 3] }]) ?? '';
    await page.evaluate((given) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', given);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    await getSlot(page, 'From elsewhere, 12:00 to 15:00, Not Started').waitFor();
  });

  test('a week is saved by name, applied to another one after a preview, undone, and deleted', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '07:00', end: '08:00' });
    await planSlot(account, '2026-11-26', { name: 'Swim', start: '07:00', end: '08:00' });
    const page = await openTimetable(site, account);
    await getSlot(page, /^Run,/).waitFor();
    await getButton(page, 'Save timetable').click();
    await page.getByRole('textbox', { name: 'Save Name' }).fill('Term');
    await getButton(page, 'Save').click();
    await page.getByText('Saved Term').waitFor();
    expect((await account.call(savedweeks, {})).weeks).toMatchObject([{ name: 'Term', slots: 1 }]);
    await getButton(page, 'Close').click();
    await getButton(page, 'Next week').click();
    await getSlot(page, /^Swim,/).waitFor();
    await getButton(page, 'Save timetable').click();
    await getButton(page, 'Apply Term to this week').click();
    const preview = page.getByRole('region', { name: 'Thursday', exact: true });
    await preview.getByText('Run').waitFor();
    await expect.poll(() => preview.getByText('Swim').count()).toBe(0);
    await getButton(page, 'Replace existing slots').click();
    await preview.getByText('Swim').waitFor();
    await getButton(page, 'Apply to this week').click();
    await getSlot(page, /^Run,/).waitFor();
    expect(await listPlan(account, '2026-11-26')).toEqual(['07:00 to 08:00 Run, Not Started']);
    await getButton(page, 'Undo').click();
    await getSlot(page, /^Swim,/).waitFor();
    await expect.poll(() => listPlan(account, '2026-11-26')).toEqual(['07:00 to 08:00 Swim, Not Started']);
    await getButton(page, 'Save timetable').click();
    await waitForDialogFocus(page.getByRole('dialog'));
    await pressAndConfirm(getButton(page, 'Delete Term'), getButton(page, 'Confirm Delete'));
    await page.getByText('Your saved weeks appear here').waitFor();
  });

  test("a week that can't be saved shows an alert, and its name stays", async () => {
    const page = await openTimetable(site, await site.createPerson());
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.accept();
    });
    await getButton(page, 'Save timetable').click();
    await page.getByRole('textbox', { name: 'Save Name' }).fill('   ');
    await getButton(page, 'Save').click();
    await expect.poll(() => alerts).toEqual(['Error: Enter a name for the saved week']);
    await expect.poll(() => page.getByRole('textbox', { name: 'Save Name' }).inputValue()).toBe('   ');
  });

  test('a switch adds the slots to the calendar feed', async () => {
    const account = await site.createPerson();
    const page = await openTimetable(site, account);
    await getButton(page, 'More').click();
    const feed = page.getByRole('menuitemcheckbox', { name: 'Show slots in the calendar feed' });
    await feed.click();
    await expect.poll(() => feed.getAttribute('aria-checked')).toBe('true');
    expect(await account.call(timetablefeed, {})).toEqual({ on: true });
  });

  test("a week that can't be loaded says why, and is retried", async () => {
    const page = await openTimetable(site, await site.createPerson(), { expects: /ERR_FAILED|500/ });
    await page.route('**/api/getunuseddatesttbl*', (route) => route.abort());
    await navigate(page, '/timetable?day=2027-05-05');
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).waitFor();
    await page.unroute('**/api/getunuseddatesttbl*');
    await getButton(page, 'Try again').click();
    await getDayColumn(page, 'Wednesday').getByText('05/05').waitFor();
  });
});
