import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { navigate, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  createCalendarKit,
  getHeading,
  createDuration,
  createEventOn,
  WEEKLY_REPEAT,
} from '#testing/kits/planning/calendarPage.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';

const site = startTestSite({ rateLimits: false });
const { createPerson, open } = createCalendarKit(site);

const RESTS_MS = 100;
const openCalendar = (account: TestAccount, options: OpenPageOptions = {}): Promise<Page> =>
  open(account, '', { ...options, size: 'phone' });
const getDay = (page: Page, name: string) =>
  page.getByRole('gridcell').getByRole('button', { name: new RegExp(`^${name}`) });
const getSelectedDay = (page: Page) => page.getByRole('region', { name: 'Selected day' });
/**
 * Swipes across the month with one finger. It rests before lifting, because the browser treats a tap right after a
 * fling as its end and fires no click.
 */
async function swipe(page: Page, from: number, to: number): Promise<void> {
  const line = await page.context().newCDPSession(page);
  const sendTouch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
    line.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 300 }] });
  await sendTouch('touchStart', from);
  await sendTouch('touchMove', (from + to) / 2);
  await sendTouch('touchMove', to);
  await page.waitForTimeout(RESTS_MS);
  await sendTouch('touchEnd');
}

describe.skipIf(site.skipReason)(`the month on a phone (${site.skipReason ?? 'in Chromium'})`, () => {
  test('has dots for events, and the events of the selected day below', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Winter training', '09-11-2026', createDuration(25));
    await createEventOn(account, 'Quarterly review', '23-11-2026', { ...WEEKLY_REPEAT, repeateveryamount: 7 });
    for (const name of ['One', 'Two', 'Three', 'Four']) await createEventOn(account, name, '24-11-2026');
    const page = await openCalendar(account);
    await getHeading(page, 'November 2026').waitFor();
    await getSelectedDay(page).getByRole('heading', { name: '21 Nov Saturday' }).waitFor();
    await getDay(page, 'Monday 23 November, 2 events').tap();
    await expect
      .poll(() => getSelectedDay(page).getByRole('listitem').allTextContents())
      .toEqual(['Quarterly reviewevery 7 weeks', 'Winter training10 days left']);
    await expect.poll(() => page.getByRole('gridcell', { selected: true }).count()).toBe(1);
    await expect.poll(() => getDay(page, 'Monday 23 November').locator('i').count()).toBe(1);
    await expect.poll(() => getDay(page, 'Tuesday 24 November').locator('i').count()).toBe(3);
    await expect.poll(() => getDay(page, 'Tuesday 24 November').locator('svg').count()).toBe(1);
    const { height = 0 } =
      (await getSelectedDay(page)
        .getByRole('button', { name: /Quarterly/ })
        .boundingBox()) ?? {};
    expect(height).toBeGreaterThanOrEqual(44);
    await getDay(page, 'Friday 4 December').tap();
    await getSelectedDay(page).getByText('No events on this day').waitFor();
    await getHeading(page, 'November 2026').waitFor();
  });

  test('opens an event by a tap, and creates one on the selected day with the plus', async () => {
    const account = await createPerson();
    const id = await createEventOn(account, 'Dentist', '25-11-2026');
    const page = await openCalendar(account);
    await getDay(page, 'Thursday 26 November').tap();
    await page.getByRole('button', { name: 'New event', exact: true }).tap();
    await page.waitForURL((url) => url.searchParams.get('new') === '2026-11-26');
    await navigate(page, '/calendar');
    await getDay(page, 'Wednesday 25 November, 1 event').tap();
    await getSelectedDay(page).getByRole('button', { name: 'Dentist' }).tap();
    await page.waitForURL((url) => url.searchParams.get('event') === String(id));
  });

  test('turns the month by a horizontal swipe, and returns to today', async () => {
    const page = await openCalendar(await createPerson());
    await swipe(page, 300, 120);
    await getHeading(page, 'December 2026').waitFor();
    await swipe(page, 120, 300);
    await getHeading(page, 'November 2026').waitFor();
    await swipe(page, 120, 300);
    await getHeading(page, 'October 2026').waitFor();
    await page.getByRole('button', { name: 'Today', exact: true }).tap();
    await getHeading(page, 'November 2026').waitFor();
    await getSelectedDay(page).getByRole('heading', { name: '21 Nov Saturday' }).waitFor();
  });

  test('moves an event by a long press, and asks if it repeats', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Choir', '18-11-2026', WEEKLY_REPEAT);
    const page = await openCalendar(account);
    await getDay(page, 'Wednesday 25 November, 1 event').tap();
    const { x = 0, y = 0 } = (await getSelectedDay(page).getByRole('button', { name: /Choir/ }).boundingBox()) ?? {};
    const line = await page.context().newCDPSession(page);
    await line.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + 60, y: y + 20 }] });
    await page.getByRole('menu', { name: 'Menu for Choir' }).waitFor();
    await line.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('menuitem', { name: /^Move to/ }).tap();
    await page.getByLabel('New day').fill('2026-11-27');
    await page.getByRole('button', { name: 'Only this day' }).tap();
    await getSelectedDay(page).getByRole('heading', { name: '27 Nov Friday' }).waitFor();
    await getSelectedDay(page).getByRole('button', { name: 'Choir' }).waitFor();
    await getDay(page, 'Wednesday 25 November, no events').waitFor();
  });

  test.for<OpenPageOptions>([{ scheme: 'light' }, { scheme: 'dark' }])(
    'has no barrier, and nothing beside a narrow window: $scheme',
    { tags: 'matrix' },
    async (options) => {
      const account = await createPerson();
      await createEventOn(account, 'A name that is far too long for the width of any telephone', '21-11-2026', {
        ...WEEKLY_REPEAT,
        repeateveryamount: 7,
      });
      for (const name of ['One', 'Two', 'Three']) await createEventOn(account, name, '21-11-2026', { time: '10:00' });
      const page = await openCalendar(account, options);
      await waitForIdle(page);
      expect(await findBarriers(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 600 });
      const widths = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('main, [role=grid]')].map(
          (part) => part.scrollWidth - part.clientWidth,
        ),
      );
      expect(widths).toEqual(widths.map(() => 0));
    },
  );
});
