import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForFocus, navigate, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createEvent, formatWireDay } from '#testing/kits/planning/calendar.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight();

/** Creates an account with some events and opens the search. */
async function openSearch(options?: OpenPageOptions): Promise<{ readonly anna: TestAccount; readonly page: Page }> {
  const anna = await site.createPerson();
  const work = ['work', 'planning'];
  await createEvent(anna, { name: 'Long run', date: formatWireDay(1), participants: ['club'] });
  await createEvent(anna, {
    name: 'Quarterly review',
    date: formatWireDay(2),
    participants: work,
    description: 'the plan',
  });
  await createEvent(anna, { name: 'Café plan', date: formatWireDay(9), participants: ['planning'] });
  const lasting = { style: 'duration', duration: 2, durationtype: 'weeks' };
  await createEvent(anna, { ...lasting, name: 'Plan the winter', date: formatWireDay(20) });
  const page = await reusePage(site, anna, '/calendar?view=search', options);
  await getSearchField(page).waitFor();
  return { anna, page };
}

const getSearchField = (page: Page) => page.getByRole('textbox', { name: 'Search events' });
const getResults = (page: Page) => page.getByRole('list', { name: 'Events found' }).getByRole('button');
const listNames = (page: Page) => getResults(page).locator('b').allTextContents();
const getNameField = (page: Page) => page.getByRole('textbox', { name: 'Event name' });
const getNotice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

describe.skipIf(site.skipReason)(`the search of events (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows the next events, then matches while typing, and selects events that have all selected tags', async () => {
    const { page } = await openSearch();
    await page.getByRole('heading', { name: 'Upcoming events' }).waitFor();
    expect((await listNames(page))[0]).toBe('Long run');
    await getSearchField(page).fill('plan');
    await page.getByRole('heading', { name: '3 events' }).waitFor();
    expect(await listNames(page)).toEqual(['Quarterly review', 'Café plan', 'Plan the winter']);
    await expect.poll(() => getResults(page).nth(1).locator('mark').allTextContents()).toEqual(['plan']);
    const first = await getResults(page).first().innerText();
    for (const part of ['work', 'planning', 'in the description', 'date', formatWireDay(2)])
      expect(first).toContain(part);
    await getResults(page).nth(2).getByText('duration').waitFor();
    await getSearchField(page).fill('cafe');
    await expect.poll(() => listNames(page)).toEqual(['Café plan']);
    await expect.poll(() => getResults(page).first().locator('mark').allTextContents()).toEqual(['Café']);
    await getSearchField(page).fill('nothing like it');
    await page.getByRole('heading', { name: 'No events found' }).waitFor();

    await getSearchField(page).fill('');
    await page.getByRole('button', { name: 'Filter tags' }).click();
    await page.getByRole('textbox', { name: 'Find a tag' }).fill('pla');
    const planning = page.getByRole('button', { name: 'planning', exact: true });
    await planning.click();
    await expect.poll(() => planning.getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => listNames(page)).toEqual(['Quarterly review', 'Café plan']);
    await page.getByRole('textbox', { name: 'Find a tag' }).fill('');
    await page.getByRole('button', { name: 'work', exact: true }).click();
    await expect.poll(() => listNames(page)).toEqual(['Quarterly review']);
    await page.getByRole('button', { name: 'Remove tag work' }).click();
    await expect.poll(() => listNames(page)).toEqual(['Quarterly review', 'Café plan']);
  });

  test('returns to the view that it was opened from', async () => {
    const { page } = await openSearch();
    await navigate(page, '/calendar?view=month');
    await page.getByRole('grid').waitFor();
    await page.keyboard.press('/');
    await waitForFocus(getSearchField(page));
    await page.keyboard.press('Escape');
    await page.getByRole('grid').waitFor();
    expect(new URL(page.url()).searchParams.get('view')).toBe('month');
  });

  test('opens a result by a click, and returns to the editor', async () => {
    const { page } = await openSearch();
    await getSearchField(page).fill('review');
    await page.getByRole('heading', { name: '1 event', exact: true }).waitFor();
    await getResults(page).filter({ hasText: 'Quarterly review' }).click();
    await expect.poll(() => getNameField(page).inputValue()).toBe('Quarterly review');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.poll(() => getNameField(page).inputValue()).toBe('Quarterly review');
  });

  test('works with the keyboard alone', async () => {
    const { page } = await openSearch();
    await waitForFocus(getSearchField(page));
    await page.keyboard.type('plan');
    await page.getByRole('heading', { name: '3 events' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => getNameField(page).inputValue()).toBe('Café plan');
    await page.locator('[data-rail] [aria-current]').focus();
    await page.keyboard.press('/');
    await waitForFocus(getSearchField(page));
    await page.keyboard.type('long');
    await page.getByRole('heading', { name: '1 event' }).waitFor();
    // The results are those of the current text, not of its first letters.
    await page.getByRole('list', { name: 'Events found' }).and(page.locator('[data-first]')).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => getNameField(page).inputValue()).toBe('Long run');
  });

  test('explains failures with the three texts of the specification, and again on retry', async () => {
    const { page } = await openSearch({ expects: /Failed to load resource|ERR_FAILED/ });
    async function answerSearch(status: number, body: string): Promise<void> {
      await page.unroute('**/api/eventssearch*');
      await page.route('**/api/eventssearch*', (route) =>
        route.fulfill({ status, contentType: 'application/json', body }),
      );
    }
    const button = page.getByRole('search').getByRole('button', { name: 'Search' });
    await answerSearch(503, JSON.stringify({ message: 'busy' }));
    await getSearchField(page).fill('one');
    await getNotice(page, 'http error 503').waitFor();
    await answerSearch(200, JSON.stringify({ message: 'No such words here' }));
    await getSearchField(page).fill('two');
    await getNotice(page, 'No such words here').waitFor();
    await page.unroute('**/api/eventssearch*');
    await page.route('**/api/eventssearch*', (route) => route.abort());
    await getSearchField(page).fill('three');
    await getNotice(page, 'failed to search').waitFor();
    await expect.poll(() => getNotice(page, 'failed to search').count()).toBe(1);
    await button.click();
    await expect.poll(() => getNotice(page, 'failed to search').count()).toBe(2);
    await expect.poll(() => getSearchField(page).inputValue()).toBe('three');
    await page.unroute('**/api/eventssearch*');
    await getSearchField(page).fill('plan');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '3 events' }).waitFor();
  });

  test.for<OpenPageOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])('has no barriers with results and tags open: $size $scheme', { tags: 'matrix' }, async (options) => {
    const { page } = await openSearch(options);
    await getSearchField(page).fill('plan');
    await page.getByRole('button', { name: 'Filter tags' }).click();
    await page.getByRole('button', { name: 'planning', exact: true }).click();
    await page.getByRole('heading', { name: '2 events' }).waitFor();
    await waitForIdle(page);
    expect(await findBarriers(page)).toEqual([]);
  });
});
