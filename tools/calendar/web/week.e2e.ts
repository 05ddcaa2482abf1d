import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  createCalendarKit,
  getFocusedName,
  getHeading,
  createDuration,
  createEventOn,
  WEEKLY_REPEAT,
} from '#testing/kits/planning/calendarPage.ts';

const site = startTestSite({ rateLimits: false });
const { createPerson, open: calendar } = createCalendarKit(site);

const getColumn = (page: Page, at: number) => page.getByRole('gridcell').nth(at);
const listNames = (page: Page, at: number) =>
  getColumn(page, at)
    .getByRole('button')
    .evaluateAll((all) => all.map((each) => each.ariaLabel));

describe.skipIf(site.skipReason)(`the week (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows durations and all-day events on top, then events by time', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Supper', '19-11-2026', { time: '19:00' });
    await createEventOn(account, 'Stand-up', '19-11-2026', { time: '09:00' });
    await createEventOn(account, 'Bins out', '19-11-2026');
    await createEventOn(account, 'Holiday', '18-11-2026', createDuration(3));
    const page = await calendar(account, 'view=week');
    await getHeading(page, '16 to 22 November 2026, week 47').waitFor();
    await getColumn(page, 3).getByRole('button', { name: 'Bins out' }).waitFor();
    expect(await listNames(page, 3)).toEqual([
      'Holiday, until Friday 20 November',
      'Bins out',
      '09:00 Stand-up',
      '19:00 Supper',
    ]);
    expect(await listNames(page, 4)).toEqual(['Holiday, until Friday 20 November']);
    await expect.poll(() => getColumn(page, 5).getAttribute('aria-current')).toBe('date');
    await getColumn(page, 3).getByRole('button', { name: 'Stand-up' }).click();
    await page.waitForURL((url) => url.searchParams.get('date') === '2026-11-19');
  });

  test('can be turned by buttons and navigated with the keyboard', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026');
    const page = await calendar(account, 'view=week');
    await page.getByRole('button', { name: 'Next week' }).click();
    await getHeading(page, '23 to 29 November 2026, week 48').waitFor();
    await page.getByRole('button', { name: 'Today', exact: true }).click();
    await getHeading(page, '16 to 22 November 2026, week 47').waitFor();
    const expectFocus = (name: string) => expect.poll(() => getFocusedName(page)).toContain(name);
    await page.keyboard.press('t');
    await expectFocus('Saturday 21 November, no events, today');
    await page.keyboard.press('PageDown');
    await getHeading(page, '23 to 29 November 2026, week 48').waitFor();
    await expectFocus('Saturday 28 November');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expectFocus('Wednesday 25 November, 1 event');
    await page.keyboard.press('Tab');
    await expectFocus('Dentist');
    await page.keyboard.press('Escape');
    await expectFocus('Wednesday 25 November');
    await page.keyboard.press('ArrowLeft');
    await expectFocus('Tuesday 24 November');
    await page.keyboard.press('n');
    await page.waitForURL((url) => url.searchParams.get('new') === '2026-11-24');
  });

  test('moves an event that is dragged to another column', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '18-11-2026', { time: '09:40' });
    const page = await calendar(account, 'view=week');
    await getColumn(page, 2)
      .getByRole('button', { name: 'Dentist' })
      .dragTo(getColumn(page, 4), { targetPosition: { x: 50, y: 200 } });
    await getColumn(page, 4).getByRole('button', { name: '09:40 Dentist' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'Dentist moved to Friday 20 November' }).waitFor();
  });

  test('is a list of seven days if columns don’t fit', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '18-11-2026', { time: '09:40' });
    const page = await calendar(account, 'view=week');
    await page.setViewportSize({ width: 700, height: 700 });
    const day = page.getByRole('region', { name: 'Wednesday 18 November' });
    await day
      .getByRole('listitem')
      .getByRole('button', { name: /Dentist/ })
      .waitFor();
    await expect.poll(() => page.getByRole('grid').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'New event on Friday 20 November' }).click();
    await page.waitForURL((url) => url.searchParams.get('new') === '2026-11-20');
  });

  test.for<OpenPageOptions>([{ scheme: 'light' }, { scheme: 'dark' }])(
    'has no barrier: $scheme',
    { tags: 'matrix' },
    async (options) => {
      const account = await createPerson();
      await createEventOn(account, 'Holiday', '18-11-2026', createDuration(3));
      await createEventOn(account, 'Bins out', '16-11-2026', {
        ...WEEKLY_REPEAT,
        participants: ['house', 'chores'],
        pinned: 'house',
      });
      await createEventOn(account, 'Supper', '21-11-2026', { time: '19:00' });
      const page = await calendar(account, 'view=week', options);
      await waitForIdle(page);
      expect(await findBarriers(page)).toEqual([]);
    },
  );
});
