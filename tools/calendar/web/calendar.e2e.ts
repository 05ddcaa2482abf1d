import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus, navigate, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { formatIsoDay, createEvent, formatWireDay } from '#testing/kits/planning/calendar.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { deleteevent, MAX_LISTED_DURATIONS, getevents } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight();
const openCalendar = (account: TestAccount, options?: OpenPageOptions, query = ''): Promise<Page> =>
  reusePage(site, account, `/calendar${query}`, options);

const getDateRail = (page: Page) => page.getByRole('complementary', { name: 'Date specific events' });
const getDurationRail = (page: Page) => page.getByRole('complementary', { name: 'Duration events' });
const getEntry = (page: Page, name: string | RegExp) => getDateRail(page).getByRole('button', { name });
const getHighlightedEntry = (page: Page) => page.locator('[data-rail] [aria-current=true]');
const getNameField = (page: Page) => page.getByRole('textbox', { name: 'Event name' });

describe.skipIf(site.skipReason)(`the calendar (${site.skipReason ?? 'in Chromium'})`, () => {
  test('lists coming events by day, separated by weeks, and durations by their remaining time', async () => {
    const anna = await site.createPerson();
    await createEvent(anna, { name: 'Water the plants', participants: ['home'] });
    await createEvent(anna, { name: 'Climbing', participants: ['club'], pinned: 'club', time: '18:30' });
    await createEvent(anna, { name: 'Car service', date: formatWireDay(8) });
    const running = { style: 'duration', durationtype: 'weeks' };
    await createEvent(anna, { ...running, name: 'Winter training', date: formatWireDay(-9), duration: 3 });
    await createEvent(anna, { ...running, name: 'Holiday', date: formatWireDay(21), duration: 1 });
    const page = await openCalendar(anna);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Events Calendar');
    await getEntry(page, 'Climbing').waitFor();
    const { dates: groups } = await anna.call(getevents, {});
    const labels = Object.values(groups).map(({ label, weekday }) => `${label}${weekday}`);
    const today = `${labels[0]}today`;
    await expect
      .poll(() => getDateRail(page).getByRole('heading', { level: 3 }).allTextContents())
      .toEqual([today, ...labels.slice(1)]);
    const names = await getDateRail(page).locator('[data-entry]').allInnerTexts();
    expect(names.map((name) => name.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Climbing 18:30',
      'Water the plants',
      'Car service',
    ]);
    await getEntry(page, 'Climbing').getByLabel('Pinned').waitFor();
    await getDateRail(page)
      .getByText(/^Week \d+$/)
      .waitFor();
    await getDurationRail(page).getByRole('button', { name: 'Winter training 11 days left' }).waitFor();
    await getDurationRail(page).getByRole('button', { name: 'Holiday in 3 weeks' }).waitFor();
    await expect
      .poll(() => getDurationRail(page).getByRole('heading').allTextContents())
      .toEqual(['Duration events', 'Now', 'Upcoming']);
  });

  test('says where the list of durations ends, and search finds further ones', async () => {
    const anna = await site.createPerson();
    const addCourse = (at: number) =>
      createEvent(anna, { name: `Course ${at}`, date: formatWireDay(at), style: 'duration', duration: 1 });
    for (let at = 1; at < MAX_LISTED_DURATIONS; at += 1) await addCourse(at);
    const page = await openCalendar(anna);
    const getCourse = (at: number) =>
      getDurationRail(page).getByRole('button', { name: new RegExp(`^Course ${at} in`) });
    const end = getDurationRail(page).getByText('Only 200 events are shown here. Use Search to find others');
    await getCourse(MAX_LISTED_DURATIONS - 1).waitFor();
    await expect.poll(() => end.count()).toBe(0);
    await addCourse(MAX_LISTED_DURATIONS + 1);
    await end.waitFor();
    await getCourse(MAX_LISTED_DURATIONS + 1).waitFor();
    await addCourse(MAX_LISTED_DURATIONS);
    await getCourse(MAX_LISTED_DURATIONS).waitFor();
    await expect.poll(() => getCourse(MAX_LISTED_DURATIONS + 1).count()).toBe(0);
    await end.waitFor();
    await page.keyboard.press('/');
    await waitForFocus(page.getByRole('textbox', { name: 'Search events' }));
    await page.keyboard.type(`course ${MAX_LISTED_DURATIONS + 1}`);
    await page
      .getByRole('list', { name: 'Events found' })
      .getByRole('button', { name: `Course ${MAX_LISTED_DURATIONS + 1}` })
      .waitFor();
  });

  test('opens and highlights the selected event, also after a reload and a change elsewhere', async () => {
    const anna = await site.createPerson();
    await createEvent(anna, { name: 'Long run', date: formatWireDay(1) });
    await createEvent(anna, { name: 'Dentist', date: formatWireDay(4) });
    const page = await openCalendar(anna);
    await page.getByText('select an event').waitFor();
    await getEntry(page, 'Dentist').click();
    await expect.poll(() => getNameField(page).inputValue()).toBe('Dentist');
    await expect.poll(() => getHighlightedEntry(page).innerText()).toBe('Dentist');
    await page.reload();
    await expect.poll(() => getNameField(page).inputValue()).toBe('Dentist');
    await createEvent(anna, { name: 'Choir', date: formatWireDay(2) });
    await getEntry(page, 'Choir').waitFor();
    await expect.poll(() => getHighlightedEntry(page).innerText()).toBe('Dentist');
    await expect.poll(() => getNameField(page).inputValue()).toBe('Dentist');
  });

  test('shows what another browser saves and deletes, while the user is typing', async () => {
    const anna = await site.createPerson();
    await createEvent(anna, { name: 'Long run', date: formatWireDay(1) });
    const [one, other] = [await openCalendar(anna), await openCalendar(anna, {}, '?new')];
    await getEntry(one, 'Long run').click();
    await expect.poll(() => getNameField(one).inputValue()).toBe('Long run');
    await getNameField(one).fill('Long run, half typed');
    await getNameField(other).fill('Film night');
    await other.getByRole('button', { name: 'Not saved' }).click();
    await other.getByRole('button', { name: 'Saved', exact: true }).waitFor();
    await getEntry(one, 'Film night').waitFor();
    await expect.poll(() => getNameField(one).inputValue()).toBe('Long run, half typed');
    const { dates: groups } = await anna.call(getevents, {});
    const film = Object.values(groups).flatMap(({ entries }) => entries.filter(({ name }) => name === 'Film night'));
    await anna.call(deleteevent, { id: film[0]?.eventid ?? 0 });
    await getEntry(one, 'Film night').waitFor({ state: 'detached' });
  });

  test('shows changes of durations and tags made elsewhere', async () => {
    const anna = await site.createPerson();
    await createEvent(anna, { name: 'Long run', participants: ['sport'] });
    const page = await openCalendar(anna, {}, '?view=search');
    await page.getByRole('button', { name: 'Filter tags' }).click();
    await page.getByRole('button', { name: 'sport', exact: true }).waitFor();
    await createEvent(anna, { name: 'Holiday', style: 'duration', duration: 3, participants: ['rest'] });
    await getDurationRail(page)
      .getByRole('button', { name: /^Holiday/ })
      .waitFor();
    await page.getByRole('button', { name: 'rest', exact: true }).waitFor();
  });

  test('loads more days when it is scrolled to the end, each of them once', async () => {
    const anna = await site.createPerson();
    for (let day = 0; day < 40; day += 1)
      await createEvent(anna, { name: `Event ${day}`, date: formatWireDay(day * 2) });
    const page = await openCalendar(anna);
    await getEntry(page, 'Event 0').waitFor();
    const more = getDateRail(page).getByRole('button', { name: 'Load more events' });
    await expect
      .poll(() =>
        getDateRail(page)
          .evaluate((rail) => rail.scrollTo({ top: rail.scrollHeight }))
          .then(() => more.count()),
      )
      .toBe(0);
    // Groups far from the viewport are not drawn, so collect them while scrolling.
    const seen = new Set<string>();
    await expect
      .poll(async () => {
        const drawn = await getDateRail(page).locator('[data-entry]').allTextContents();
        expect(drawn).toEqual(
          [...new Set(drawn)].toSorted((one, other) => Number(one.slice(6)) - Number(other.slice(6))),
        );
        for (const name of drawn) seen.add(name);
        // A busy machine draws later than it scrolls. Missed groups are found in the next round.
        await getDateRail(page).evaluate((rail) =>
          rail.scrollTo({ top: rail.scrollTop === 0 ? rail.scrollHeight : rail.scrollTop - 400 }),
        );
        await waitForIdle(page);
        return seen.size;
      })
      .toBe(40);
  });

  test('works with the keyboard alone', async () => {
    const anna = await site.createPerson();
    for (const [at, name] of ['First', 'Second', 'Third'].entries())
      await createEvent(anna, { name, date: formatWireDay(at) });
    const page = await openCalendar(anna);
    const getFocusedLabel = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await getEntry(page, 'First').waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => getHighlightedEntry(page).innerText()).toBe('First');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(() => getHighlightedEntry(page).innerText()).toBe('Third');
    await page.keyboard.press('k');
    await expect.poll(() => getHighlightedEntry(page).innerText()).toBe('Second');
    await expect.poll(() => getNameField(page).inputValue()).toBe('Second');
    await page.keyboard.press('m');
    await page.getByRole('grid').waitFor();
    await expect.poll(() => getHighlightedEntry(page).innerText()).toBe('Second');
    await page.keyboard.press('w');
    await page.getByRole('region', { name: 'Week' }).waitFor();
    await page.keyboard.press('e');
    await getNameField(page).waitFor();
    await page.keyboard.press('t');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('First');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => getNameField(page).inputValue()).toBe('Third');
    await page.keyboard.press('/');
    await expect.poll(getFocusedLabel).toBe('Search events');
    await page.keyboard.press('Escape');
    await getNameField(page).waitFor();
    await page.keyboard.press('q');
    await expect.poll(getFocusedLabel).toBe('Quick add');
    await getEntry(page, 'Third').focus();
    await page.keyboard.press('n');
    await expect.poll(() => new URL(page.url()).searchParams.get('new')).toBe(formatIsoDay(2));
    await expect.poll(getFocusedLabel).toBe('Event name');
  });

  test('keeps the selected view, uses the one of the address, and opens the event of a link', async () => {
    const anna = await site.createPerson();
    const id = await createEvent(anna, { name: 'Dentist', date: formatWireDay(4) });
    const page = await openCalendar(anna);
    await page.getByRole('button', { name: 'Month', exact: true }).click();
    await page.getByRole('grid').waitFor();
    await page.goto('/calendar');
    await page.getByRole('grid').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Month', exact: true }).getAttribute('aria-pressed'))
      .toBe('true');
    await navigate(page, `/calendar?event=${id}&date=${formatIsoDay(4)}`);
    await expect.poll(() => getNameField(page).inputValue()).toBe('Dentist');
    await expect.poll(() => getHighlightedEntry(page).innerText()).toBe('Dentist');
    await navigate(page, '/calendar?view=week');
    await page.getByRole('region', { name: 'Week' }).waitFor();
  });

  test('offers phones and the bin under More, and by name in the palette', async () => {
    const page = await openCalendar(await site.createPerson());
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Phones and other calendars' }).waitFor();
    await page.getByRole('menuitem', { name: 'Bin', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await waitForFocus(page.getByRole('dialog').getByRole('textbox'));
    await page.keyboard.type('other calendars');
    await page.getByRole('dialog').getByText('Phones and other calendars').waitFor();
  });
});
