import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { waitForIdle } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { eventsbetween, eventssearch, getevent } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false });

interface Opened {
  readonly account: TestAccount;
  readonly page: Page;
}
async function open(options?: OpenPageOptions): Promise<Opened> {
  const account = await site.createPerson();
  return { account, page: await reusePage(site, account, '/calendar', options) };
}
const getField = (page: Page) => page.getByRole('combobox', { name: 'Quick add' });
const findEvents = async (account: TestAccount, searchterm: string) =>
  (await account.call(eventssearch, { searchterm })).names;

describe.skipIf(site.skipReason)(`quick add (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows how a line is understood, saves it with Enter, and opens the event', async () => {
    const { account, page } = await open();
    await getField(page).fill('dentist tomorrow 15h #health');
    const reading = page.getByRole('option', { name: /^dentist/ });
    await expect.poll(() => reading.innerText()).toMatch(/dentist[\s\S]*, 15:00[\s\S]*#health/);
    expect(await findEvents(account, 'dentist')).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => getField(page).inputValue()).toBe('');
    await expect.poll(() => page.getByRole('textbox', { name: 'Event name' }).inputValue()).toBe('dentist');
    const [event] = await findEvents(account, 'dentist');
    const { data } = await account.call(getevent, { id: String(event?.id) });
    expect(data).toMatchObject({ time: '15:00', style: 'calendar', participants: ['health'] });
    await page
      .getByRole('button', { name: /dentist/ })
      .first()
      .waitFor();
  });

  test('offers every reading of ambiguous words: arrows select, a click saves', async () => {
    const { account, page } = await open();
    await getField(page).fill('call Jo at 9');
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(2);
    await expect.poll(() => options.nth(0).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options.nth(1).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await expect.poll(() => findEvents(account, 'call Jo')).toHaveLength(1);
    const [late] = await findEvents(account, 'call Jo');
    expect((await account.call(getevent, { id: String(late?.id) })).data.time).toBe('21:00');

    await expect.poll(() => getField(page).inputValue()).toBe('');
    await getField(page).fill('call Ann at 9');
    await options.nth(1).click();
    await expect.poll(() => findEvents(account, 'call Ann')).toHaveLength(1);
  });

  test('explains in a sentence what is impossible, saves nothing, and keeps the line through a reload', async () => {
    const { account, page } = await open();
    await getField(page).fill('party 31 February');
    await page.getByText('There is no 31 February').waitFor();
    await page.keyboard.press('Enter');
    await page.reload();
    await expect.poll(() => getField(page).inputValue()).toBe('party 31 February');
    expect(await findEvents(account, 'party')).toEqual([]);
    await getField(page).press('Escape');
    await expect.poll(() => getField(page).inputValue()).toBe('');
  });

  test('keeps the line when the server is unreachable, and saves it later', async () => {
    const { account, page } = await open({ expects: /ERR_INTERNET_DISCONNECTED/ });
    await getField(page).fill('bins out every 2 weeks');
    // Background requests of the page would fail too, with the same message.
    await waitForIdle(page);
    await page.context().setOffline(true);
    await page.keyboard.press('Enter');
    await page.getByText('The server cannot be reached', { exact: true }).first().waitFor();
    await expect.poll(() => getField(page).inputValue()).toBe('bins out every 2 weeks');
    await page.context().setOffline(false);
    await getField(page).press('Enter');
    await expect.poll(() => findEvents(account, 'bins')).toHaveLength(1);
    const [bins] = await findEvents(account, 'bins');
    const { data } = await account.call(getevent, { id: String(bins?.id) });
    expect(data).toMatchObject({ style: 'repeat', repeateveryamount: 2, repeatevery: 'week' });
  });

  test('creates a duration from its first to its last day', async () => {
    const { account, page } = await open();
    await getField(page).fill('holiday 3-7 December 2030');
    await page.keyboard.press('Enter');
    await expect.poll(() => findEvents(account, 'holiday')).toHaveLength(1);
    const { durations } = await account.call(eventsbetween, { from: '2030-12-01', until: '2030-12-31' });
    expect(durations).toMatchObject([{ name: 'holiday', date: '03-12-2030', until: '07-12-2030' }]);
  });
});
