import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { navigate, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  createCalendarKit,
  getDayCell,
  getFocusedName,
  getHeading,
  getCellButton,
  createDuration,
  createEventOn,
  WEEKLY_REPEAT,
} from '#testing/kits/planning/calendarPage.ts';
import { eventsbetween } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false });
const { createPerson, open: calendar } = createCalendarKit(site);

describe.skipIf(site.skipReason)(`the month (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows the entries of each day, bars across their days, three a day, and counts the others', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Library loan', '29-10-2026', createDuration(28));
    await createEventOn(account, 'Winter training', '09-11-2026', createDuration(25));
    await createEventOn(account, 'Bins out', '02-11-2026', WEEKLY_REPEAT);
    await createEventOn(account, 'Dentist', '18-11-2026', { time: '09:40' });
    await createEventOn(account, 'Choir', '18-11-2026', { participants: ['club'], pinned: 'club' });
    await createEventOn(account, 'Film night', '18-11-2026');
    const page = await calendar(account, 'view=month');
    await getHeading(page, 'November 2026').waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Monday',
      'Tuesday',
      'Wednesday',
      'Thursday',
      'Friday',
      'Saturday',
      'Sunday',
    ]);
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(42);
    await expect.poll(() => getDayCell(page, 'Saturday 21 November').getAttribute('aria-current')).toBe('date');
    const wednesday = getDayCell(page, 'Wednesday 18 November, 5 events');
    await expect
      .poll(() => wednesday.getByRole('button').evaluateAll((all) => all.map((each) => each.ariaLabel)))
      .toEqual([
        'Wednesday 18 November, 5 events',
        '2 more on Wednesday 18 November',
        'Library loan, until Wednesday 25 November',
        'Winter training, until Thursday 3 December',
        'Choir, pinned',
      ]);
    const bar = page.getByRole('gridcell').filter({ has: page.getByRole('button', { name: /^Library loan/ }) });
    await expect.poll(() => bar.count()).toBe(28);
    await wednesday.getByRole('button', { name: '2 more' }).click();
    const list = page.getByRole('dialog', { name: /18 Nov/ }).getByRole('listitem');
    await expect
      .poll(() => list.allTextContents())
      .toEqual(['Choir', 'Film night', 'Dentist09:40', 'Library loan7 days left', 'Winter training15 days left']);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await getFocusedName(page)).toContain('Wednesday 18 November');
  });

  test('shows the selected event even if not everything fits, and selects a pressed one', async () => {
    const account = await createPerson();
    const ids: number[] = [];
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five'])
      ids.push(await createEventOn(account, name, '24-11-2026'));
    const page = await calendar(account, `view=month&event=${ids[4]}&date=2026-11-24&type=calendar`);
    await getCellButton(page, 'Tuesday 24 November', 'Five').waitFor();
    await expect
      .poll(() => getCellButton(page, 'Tuesday 24 November', 'Five').getAttribute('aria-current'))
      .toBe('true');
    await getCellButton(page, 'Tuesday 24 November', '2 more').waitFor();
    await getCellButton(page, 'Tuesday 24 November', 'One').click();
    await page.waitForURL((url) => url.searchParams.get('event') === String(ids[0]));
    expect(new URL(page.url()).searchParams.get('date')).toBe('2026-11-24');
  });

  test('turns to prefetched pages, and returns to today', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Rent', '15-12-2026');
    const page = await calendar(account, 'view=month');
    await waitForIdle(page);
    // No further requests for December are answered.
    await page.route('**/api/eventsbetween?from=2026-11-30*', () => undefined);
    await page.getByRole('button', { name: 'Next month' }).click();
    await getHeading(page, 'December 2026').waitFor();
    await getCellButton(page, 'Tuesday 15 December, 1 event', 'Rent').waitFor();
    await page.getByRole('button', { name: 'Previous month' }).click();
    await page.getByRole('button', { name: 'Previous month' }).click();
    await getHeading(page, 'October 2026').waitFor();
    await page.getByRole('button', { name: 'Today', exact: true }).click();
    await getHeading(page, 'November 2026').waitFor();
  });

  test('accepts the arrows as soon as it is opened, by its key or its button', async () => {
    const page = await calendar(await createPerson(), 'view=week');
    const expectFocus = (name: string) => expect.poll(() => getFocusedName(page)).toContain(name);
    await page.keyboard.press('m');
    await getHeading(page, 'November 2026').waitFor();
    await page.keyboard.press('ArrowRight');
    await expectFocus('Sunday 22 November');
    await page.getByRole('button', { name: 'Week', exact: true }).click();
    await getHeading(page, '16 to 22 November 2026, week 47').waitFor();
    await page.keyboard.press('ArrowLeft');
    await expectFocus('Friday 20 November');
    await page.keyboard.press('PageDown');
    await expectFocus('Friday 27 November');
  });

  test('can be navigated with the keyboard alone', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026');
    const page = await calendar(account, 'view=month');
    await page.keyboard.press('t');
    const expectFocus = (name: string) => expect.poll(() => getFocusedName(page)).toContain(name);
    await expectFocus('Saturday 21 November, no events, today');
    await page.keyboard.press('ArrowRight');
    await expectFocus('Sunday 22 November');
    await page.keyboard.press('ArrowDown');
    await expectFocus('Sunday 29 November');
    await page.keyboard.press('Home');
    await expectFocus('Monday 23 November');
    await page.keyboard.press('End');
    await expectFocus('Sunday 29 November');
    await page.keyboard.press('ArrowDown');
    await expectFocus('Sunday 6 December');
    await getHeading(page, 'December 2026').waitFor();
    await page.keyboard.press('PageUp');
    await expectFocus('Friday 6 November');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await expectFocus('Wednesday 6 January 2027');
    await page.keyboard.press('t');
    await expectFocus('Saturday 21 November');
    for (const key of ['ArrowDown', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    await expectFocus('Wednesday 25 November, 1 event');
    await page.keyboard.press('Tab');
    await expectFocus('Dentist');
    await page.keyboard.press('Escape');
    await expectFocus('Wednesday 25 November');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /25 Nov/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('date') === '2026-11-25');
  });

  test('creates an event on the focused day with n or Enter, or with a press on an empty day', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026');
    const page = await calendar(account, 'view=month');
    async function returnToMonth(): Promise<void> {
      // From the key that opens the field of the new event until the field has gone, it takes what is typed.
      const field = page.getByRole('textbox', { name: 'Event name' });
      await field.waitFor();
      await navigate(page, '/calendar?view=month');
      await field.waitFor({ state: 'detached' });
      await getDayCell(page, 'Wednesday 25 November, 1 event').waitFor();
    }
    const waitForNewEvent = (date: string) => page.waitForURL((url) => url.searchParams.get('new') === date);
    await page.keyboard.press('t');
    await expect.poll(() => getFocusedName(page)).toContain('21 November');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('n');
    await waitForNewEvent('2026-11-28');
    await returnToMonth();
    await page.keyboard.press('t');
    await expect.poll(() => getFocusedName(page)).toContain('21 November');
    await page.keyboard.press('Enter');
    await waitForNewEvent('2026-11-21');
    await returnToMonth();
    await getDayCell(page, 'Thursday 12 November').click({ position: { x: 50, y: 80 } });
    await waitForNewEvent('2026-11-12');
    await returnToMonth();
    await getDayCell(page, 'Wednesday 25 November, 1 event').dblclick({ position: { x: 50, y: 90 } });
    await waitForNewEvent('2026-11-25');
  });

  test('moves an event with M, deletes it with Del, and undoes both; a right click opens its menu', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026');
    const page = await calendar(account, 'view=month');
    await getCellButton(page, 'Wednesday 25 November', 'Dentist').focus();
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Move Dentist to…' });
    await dialog.getByLabel('New day').fill('');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await dialog.getByText('Choose a day').waitFor();
    await dialog.getByLabel('New day').fill('2026-11-27');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Dentist moved to Friday 27 November' }).waitFor();
    await getCellButton(page, 'Friday 27 November, 1 event', 'Dentist').waitFor();
    await expect.poll(() => getFocusedName(page)).toContain('Friday 27 November');
    await page.getByRole('button', { name: 'Undo' }).click();
    await getCellButton(page, 'Wednesday 25 November, 1 event', 'Dentist').waitFor();

    await getCellButton(page, 'Wednesday 25 November', 'Dentist').focus();
    await page.keyboard.press('Delete');
    await getDayCell(page, 'Wednesday 25 November, no events').waitFor();
    await expect.poll(() => getFocusedName(page)).toContain('Wednesday 25 November');
    await page.getByRole('button', { name: 'Undo' }).click();
    await getCellButton(page, 'Wednesday 25 November, 1 event', 'Dentist').waitFor();

    await getCellButton(page, 'Wednesday 25 November', 'Dentist').click({ button: 'right' });
    await page.getByRole('menu', { name: 'Menu for Dentist' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
  });

  test('asks which days of a repeat are deleted', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Choir', '04-11-2026', WEEKLY_REPEAT);
    const page = await calendar(account, 'view=month');
    await getCellButton(page, 'Wednesday 18 November', 'Choir').focus();
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete a repeating event' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await getCellButton(page, 'Wednesday 18 November, 1 event', 'Choir').waitFor();
    await getCellButton(page, 'Wednesday 18 November', 'Choir').focus();
    await page.keyboard.press('Delete');
    await dialog.getByRole('button', { name: 'Only this day' }).click();
    await getDayCell(page, 'Wednesday 18 November, no events').waitFor();
    await getCellButton(page, 'Wednesday 25 November, 1 event', 'Choir').waitFor();
    await expect
      .poll(async () =>
        Object.keys((await account.call(eventsbetween, { from: '2026-11-01', until: '2026-11-30' })).dates),
      )
      .toEqual(['2026-11-04', '2026-11-11', '2026-11-25']);
  });

  test('immediately shows changes of another browser', async () => {
    const account = await createPerson();
    await createEventOn(account, 'Dentist', '25-11-2026');
    const one = await calendar(account, 'view=month');
    const other = await calendar(account, 'view=month');
    await getCellButton(other, 'Wednesday 25 November', 'Dentist').waitFor();
    await getCellButton(one, 'Wednesday 25 November', 'Dentist').focus();
    await one.keyboard.press('m');
    await one.getByLabel('New day').fill('2026-11-12');
    await one.keyboard.press('Enter');
    await getCellButton(other, 'Thursday 12 November, 1 event', 'Dentist').waitFor();
    await getDayCell(other, 'Wednesday 25 November, no events').waitFor();
  });

  test('draws the first and the last supported month', async () => {
    const account = await createPerson();
    await createEventOn(account, 'The end', '31-12-9999');
    await createEventOn(account, 'The beginning', '01-01-0001');
    const page = await calendar(account, 'view=month&new=9999-12-31');
    await getHeading(page, 'December 9999').waitFor();
    await getCellButton(page, 'Friday 31 December 9999, 1 event', 'The end').waitFor();
    await expect.poll(() => page.getByRole('gridcell', { name: 'No day' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Next month' }).click();
    await getHeading(page, 'December 9999').waitFor();
    await navigate(page, '/calendar?view=month&new=0001-01-01');
    await getCellButton(page, 'Monday 1 January 1, 1 event', 'The beginning').waitFor();
    await page.getByRole('button', { name: 'Previous month' }).click();
    await getHeading(page, 'January 1').waitFor();
  });

  test('stays intact with a hundred events a day and sixty durations', async () => {
    const account = await createPerson();
    for (let index = 0; index < 60; index++)
      await createEventOn(account, `Stay ${index}`, '05-11-2026', createDuration(20));
    for (let index = 0; index < 100; index++)
      await createEventOn(account, `Daily ${index}`, '01-11-2026', { ...WEEKLY_REPEAT, repeatevery: 'day' });
    const page = await calendar(account, 'view=month');
    await getDayCell(page, 'Saturday 21 November, 160 events, today')
      .getByRole('button', { name: '157 more' })
      .waitFor();
    await getDayCell(page, 'Monday 30 November, 100 events').getByRole('button', { name: '97 more' }).click();
    await expect.poll(() => page.getByRole('dialog').getByRole('listitem').count()).toBe(100);
  });

  test.for<OpenPageOptions>([{ scheme: 'light' }, { scheme: 'dark' }])(
    'has no barrier: $scheme',
    { tags: 'matrix' },
    async (options) => {
      const account = await createPerson();
      await createEventOn(account, 'Library loan', '29-10-2026', createDuration(28));
      await createEventOn(account, 'Bins out', '02-11-2026', {
        ...WEEKLY_REPEAT,
        participants: ['house', 'chores'],
        pinned: 'house',
      });
      for (const name of ['One', 'Two', 'Three', 'Four'])
        await createEventOn(account, name, '24-11-2026', { time: '10:00' });
      const page = await calendar(account, 'view=month', options);
      await waitForIdle(page);
      expect(await findBarriers(page)).toEqual([]);
      await getCellButton(page, 'Tuesday 24 November', '2 more').click();
      await page.getByRole('dialog').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await getCellButton(page, 'Monday 23 November', 'Bins out').focus();
      await page.keyboard.press('m');
      await page.getByRole('dialog', { name: /Move/ }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    },
  );
});
