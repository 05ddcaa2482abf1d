import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForConnection, navigate, type OpenPageOptions, waitForIdle } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { formatIsoDay, createEvent, formatWireDay } from '#testing/kits/planning/calendar.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight();
const openCalendar = (account: TestAccount, options?: Parameters<typeof reusePage>[3], query = ''): Promise<Page> =>
  reusePage(site, account, `/calendar${query}`, options);

const getDateRail = (page: Page) => page.getByRole('complementary', { name: 'Date specific events' });
const getEntry = (page: Page, name: string | RegExp) => getDateRail(page).getByRole('button', { name });
const getNameField = (page: Page) => page.getByRole('textbox', { name: 'Event name' });
const getNotice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const EXPECTED = /Failed to load resource|ERR_FAILED|ERR_INTERNET_DISCONNECTED|WebSocket/;
const refuseEvents = (page: Page, message: string): Promise<unknown> =>
  page.route('**/api/getevents*', (route) =>
    route.fulfill({ contentType: 'application/json', body: JSON.stringify({ message }) }),
  );
const createTouch = (x: number) => ({ touchPoints: [{ x, y: 400 }] });

/** Creates an account with two events and a duration. */
async function createPersonWithEvents(): Promise<TestAccount> {
  const anna = await site.createPerson();
  await createEvent(anna, { name: 'Long run', date: formatWireDay(1), participants: ['sport', 'club'] });
  await createEvent(anna, {
    name: 'Dentist',
    date: formatWireDay(4),
    participants: ['health'],
    pinned: 'health',
    time: '09:40',
  });
  const lasting = { style: 'duration', duration: 2, durationtype: 'weeks' };
  await createEvent(anna, { ...lasting, name: 'Winter training', date: formatWireDay(-2) });
  return anna;
}

describe.skipIf(site.skipReason)(`states of the calendar (${site.skipReason ?? 'in Chromium'})`, () => {
  test('says that events are still loading, and then shows them', async () => {
    const anna = await createPersonWithEvents();
    const page = await openCalendar(anna, {}, 'v2');
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/getevents*', (route) => gate.promise.then(() => route.continue()));
    await navigate(page, '/calendar');
    await getDateRail(page).getByText('Events still loading').waitFor();
    gate.resolve();
    await getEntry(page, 'Long run').waitFor();
    await expect.poll(() => page.getByText('Events still loading').count()).toBe(0);
  });

  test('says log in for events if nothing loads, with the reason, and tries again', async () => {
    const anna = await createPersonWithEvents();
    const page = await openCalendar(anna, {}, 'v2');
    await refuseEvents(page, 'The calendar is resting');
    const line = waitForConnection(page);
    await page.goto('/calendar');
    await page.getByText('log in for events').waitFor();
    await getNotice(page, 'The calendar is resting').waitFor();
    const again = page.getByRole('button', { name: 'Try again' });
    // The first connection loads everything again. An earlier click would join that request.
    await line;
    await waitForIdle(page);
    await refuseEvents(page, 'The calendar still rests');
    await again.click();
    await getNotice(page, 'The calendar still rests').waitFor();
    await page.unroute('**/api/getevents*');
    await again.click();
    await getEntry(page, 'Long run').waitFor();
  });

  test('sends a visitor to the login, and returns to the linked event', async () => {
    const page = await site.browser.openPage(site.server.origin, '/calendar?event=1&date=2026-11-23');
    await page.waitForURL('**/login');
  });

  test('keeps five notices, newest first, and each can be dismissed', async () => {
    const anna = await site.createPerson();
    // The page loads everything again once it is connected.
    const page = await openCalendar(anna, { waitsForConnection: true }, 'v2');
    await waitForIdle(page);
    for (let at = 1; at <= 6; at += 1) {
      // Without the newest answer, a request of the page itself would be answered first.
      await refuseEvents(page, `Refused ${at}`);
      if (at === 1) await navigate(page, '/calendar');
      else await page.getByRole('button', { name: 'Try again' }).click();
      await getNotice(page, `Refused ${at}`).first().waitFor();
    }
    const readAlerts = () => page.getByRole('alert').allInnerTexts();
    await expect.poll(async () => (await readAlerts()).length).toBe(5);
    expect((await readAlerts())[0]).toContain('Refused 6');
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await expect.poll(async () => (await readAlerts()).length).toBe(4);
  });

  test('keeps loaded days if loading more fails, and the button tries again', async () => {
    const anna = await site.createPerson();
    for (let day = 0; day < 30; day += 1) await createEvent(anna, { name: `Event ${day}`, date: formatWireDay(day) });
    const page = await openCalendar(anna, {}, 'v2');
    const more = '**/api/getevents*specificload=*';
    await page.route(more, (route) =>
      route.fulfill({ contentType: 'application/json', body: JSON.stringify({ message: 'Not these days' }) }),
    );
    const line = waitForConnection(page);
    await page.goto('/calendar');
    await getNotice(page, 'Not these days').waitFor();
    await expect.poll(() => getNotice(page, 'Not these days').count()).toBe(1);
    // The first connection loads everything again.
    await line;
    await waitForIdle(page);
    await page.unroute(more);
    await getDateRail(page).getByRole('button', { name: 'Load more events' }).click();
    await getEntry(page, 'Event 14').waitFor();
  });

  test('offers to add a first event or another calendar if there are no events', async () => {
    const page = await openCalendar(await site.createPerson());
    await page.getByText('Your events appear here by day').waitFor();
    await page.getByRole('button', { name: 'Import or subscribe' }).click();
    await page.getByRole('dialog', { name: 'Phones and other calendars' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Event' }).getByRole('button', { name: 'New event' }).click();
    await getNameField(page).waitFor();
    expect(new URL(page.url()).searchParams.get('new')).toBe(formatIsoDay(0));
  });

  test('keeps the data while disconnected, and loads changes after the reconnect', async () => {
    const anna = await createPersonWithEvents();
    const page = await openCalendar(anna, { expects: EXPECTED });
    await getEntry(page, 'Long run').waitFor();
    await waitForIdle(page);
    await page.context().setOffline(true);
    await page.getByText(/^Offline\./).waitFor();
    await getEntry(page, 'Long run').waitFor();
    await createEvent(anna, { name: 'Choir', date: formatWireDay(2) });
    await page.context().setOffline(false);
    await getEntry(page, 'Choir').waitFor();
  });

  test('collapses the rails below 650 px, restores them above, and keeps hidden ones hidden', async () => {
    const page = await openCalendar(await createPersonWithEvents());
    await getEntry(page, 'Long run').waitFor();
    await page.setViewportSize({ width: 649, height: 800 });
    await getDateRail(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show dates' }).waitFor();
    await page.setViewportSize({ width: 650, height: 800 });
    await getEntry(page, 'Long run').waitFor();
    await page.getByRole('button', { name: 'Hide dates' }).click();
    await getDateRail(page).waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 500, height: 800 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Show dates' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Show dates' }).click();
    await getEntry(page, 'Long run').waitFor();
  });

  test('on a phone shows the month, the dates as a sheet, and an event as a screen with a back button', async () => {
    const page = await openCalendar(await createPersonWithEvents(), { size: 'phone' });
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'Show dates' }).click();
    const sheet = page.getByRole('dialog', { name: 'Dates' });
    await sheet.getByRole('tab', { name: 'Duration events' }).click();
    await sheet.getByRole('button', { name: 'Winter training' }).waitFor();
    await sheet.getByRole('tab', { name: 'Date specific events' }).click();
    await sheet.getByRole('button', { name: 'Dentist' }).click();
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => getNameField(page).inputValue()).toBe('Dentist');
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'New event' }).click();
    await getNameField(page).waitFor();
    await page.goBack();
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('textbox', { name: 'Search events' }).fill('dent');
    await page.getByRole('list', { name: 'Events found' }).getByRole('button', { name: 'Dentist' }).click();
    await expect.poll(() => getNameField(page).inputValue()).toBe('Dentist');
    await page.goBack();
    await page.getByRole('grid').waitFor();
  });

  test('opens the dates by a swipe from the left edge', async () => {
    const page = await openCalendar(await createPersonWithEvents(), { size: 'phone' });
    await page.getByRole('grid').waitFor();
    const touch = await page.context().newCDPSession(page);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', ...createTouch(4) });
    for (const x of [20, 40, 70, 100])
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', ...createTouch(x) });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('dialog', { name: 'Dates' }).getByRole('button', { name: 'Dentist' }).waitFor();
  });

  test.for<OpenPageOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])('has no barriers with events, selected and in the sheet: $size $scheme', { tags: 'matrix' }, async (options) => {
    const page = await openCalendar(await createPersonWithEvents(), options);
    if (options.size === 'phone') await page.getByRole('button', { name: 'Show dates' }).click();
    await getEntry(page, 'Long run').waitFor();
    await waitForIdle(page);
    expect(await findBarriers(page)).toEqual([]);
    await getEntry(page, 'Long run').click();
    await expect.poll(() => getNameField(page).inputValue()).toBe('Long run');
    await waitForIdle(page);
    expect(await findBarriers(page)).toEqual([]);
  });
});
