import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus, waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createCalendarKit, getFocusedName } from '#testing/kits/planning/calendarPage.ts';
import { getevents } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false });
const { createPerson, open } = createCalendarKit(site);

const getSearchField = (page: Page) => page.getByRole('textbox', { name: 'Search events' });
const getNameField = (page: Page) => page.getByRole('textbox', { name: 'Event name' });
const getQuickAddField = (page: Page) => page.getByRole('combobox', { name: 'Quick add' });
const getView = (page: Page): string | null => new URL(page.url()).searchParams.get('view');

/** Opens the month and delays the loading of a part until it is released. */
async function openMonth(part: 'SearchView' | 'Editor' | 'QuickAdd', { hidden = false, letters = true } = {}) {
  const account = await createPerson();
  const requested = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<undefined>();
  const page = await open(account, 'view=month', {
    stored: {
      ...(hidden && { 'pegboard.calendar.dates': 'hidden' }),
      ...(!letters && { 'pegboard.singleletters': 'off' }),
    },
    before: (blank) =>
      blank.route(`**/assets/${part}-*.js`, async (route) => {
        requested.resolve(undefined);
        await answer.promise;
        await route.continue();
      }),
  });
  return { account, page, requested: requested.promise, release: () => answer.resolve(undefined) };
}

describe.skipIf(site.skipReason)(
  `what is typed ahead of a field that a key opens (${site.skipReason ?? 'in Chromium'})`,
  () => {
    test('appears in the search once that is loaded, and can be undone as if typed there', async () => {
      const { page, requested, release } = await openMonth('SearchView');
      await page.keyboard.press('/');
      await requested;
      await page.keyboard.type('dentisst');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('t now');
      // Pressed before the part is loaded, Enter must not open something else.
      await page.keyboard.press('Enter');
      release();
      await waitForFocus(getSearchField(page));
      await expect.poll(() => getSearchField(page).inputValue()).toBe('dentist now');
      await page.getByRole('heading', { name: 'No events found' }).waitFor();
      expect(getView(page)).toBe('search');
      await page.keyboard.type(' and then');
      await expect.poll(() => getSearchField(page).inputValue()).toBe('dentist now and then');
      for (let step = 0; step < 2; step += 1) await page.keyboard.press('Control+z');
      await expect.poll(() => getSearchField(page).inputValue()).toBe('');
    });

    test('appears in the name of a new event, opened by n in the month or on its focused day', async () => {
      for (const at of ['page', 'day'] as const) {
        const { account, page, requested, release } = await openMonth('Editor');
        if (at === 'day') {
          await page.keyboard.press('t');
          await expect.poll(() => getFocusedName(page)).toContain('21 November');
          await page.keyboard.press('ArrowRight');
          await expect.poll(() => getFocusedName(page)).toContain('22 November');
        }
        await page.keyboard.press('n');
        await requested;
        await page.keyboard.type('Tomato, m and t');
        for (const key of ['ArrowDown', 'Enter', 'Tab']) await page.keyboard.press(key);
        release();
        await waitForFocus(getNameField(page));
        await expect.poll(() => getNameField(page).inputValue()).toBe('Tomato, m and t');
        const { searchParams } = new URL(page.url());
        expect(searchParams.get('view')).toBe('event');
        expect(searchParams.get('new')).toBe(at === 'day' ? '2026-11-22' : '2026-11-21');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Saved', exact: true }).waitFor();
        expect(JSON.stringify(await account.call(getevents, { specificload: '2026-11-20' }))).toContain(
          'Tomato, m and t',
        );
      }
    });

    test('appears in quick add, whose rail was hidden', async () => {
      const { page, requested, release } = await openMonth('QuickAdd', { hidden: true });
      await page.keyboard.press('q');
      await requested;
      await page.keyboard.type('swim on 3-12-2026');
      release();
      await waitForFocus(getQuickAddField(page));
      await expect.poll(() => getQuickAddField(page).inputValue()).toBe('swim on 3-12-2026');
      await page.getByRole('option').first().waitFor();
      expect(getView(page)).toBe('month');
    });

    test.for(['Escape', 'Control+Shift+Y', 'a press', 'three seconds'] as const)('is dropped by %s', async (by) => {
      const { page, requested, release } = await openMonth('SearchView');
      await page.keyboard.press('/');
      await requested;
      await page.keyboard.type('dentist');
      if (by === 'three seconds') await page.clock.setFixedTime(new Date('2026-11-21T12:00:03.001'));
      else if (by === 'a press') await page.getByRole('complementary', { name: 'Duration events' }).click();
      else await page.keyboard.press(by);
      // Keys are commands again.
      await page.keyboard.press('w');
      await page.waitForURL((url) => url.searchParams.get('view') === 'week');
      await page.keyboard.press('/');
      release();
      await waitForFocus(getSearchField(page));
      await waitForIdle(page);
      expect(await getSearchField(page).inputValue()).toBe('');
    });

    test('is nothing if single-letter keys are switched off', async () => {
      const { page } = await openMonth('SearchView', { letters: false });
      const grid = page.getByRole('grid');
      await page.keyboard.type('/n dentist');
      await page.getByRole('button', { name: /^Saturday 21 November/ }).focus();
      await page.keyboard.type('tn');
      // The arrow follows the letters: they had no effect and don't delay it.
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => getFocusedName(page)).toContain('22 November');
      await grid.waitFor();
      expect(getView(page)).toBe('month');
    });

    test('has no effect if the field exists: the key focuses it', async () => {
      const { page, release } = await openMonth('SearchView');
      release();
      await page.keyboard.press('/');
      await waitForFocus(getSearchField(page));
      await getSearchField(page).blur();
      await page.keyboard.type('/tax');
      await expect.poll(() => getSearchField(page).inputValue()).toBe('tax');
      await getSearchField(page).blur();
      await page.keyboard.type('nRent');
      await waitForFocus(getNameField(page));
      await expect.poll(() => getNameField(page).inputValue()).toBe('Rent');
      await getNameField(page).blur();
      await page.keyboard.type('n due');
      await expect.poll(() => getNameField(page).inputValue()).toBe('Rent due');
    });
  },
);
