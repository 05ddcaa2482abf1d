import type { Page } from 'playwright-core';
import { newevent } from '#tools/calendar/contract/events.ts';
import type { OpenPageOptions } from '../browser/browser.ts';
import { reusePage } from '../browser/reusePage.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

/** What tests of the calendar's month and week do over and over: people, and the page on Saturday 21 November 2026. */
export const createCalendarKit = (site: TestSite) => {
  let people = 0;
  return {
    newPerson: (): Promise<TestAccount> => site.server.createAccount(`person ${++people}`),
    /** The days with all their entries; `query` such as 'view=week'. */
    open: async (account: TestAccount, query: string, options?: OpenPageOptions): Promise<Page> => {
      const page = await reusePage(site, account, `/calendar?${query}`, {
        now: new Date('2026-11-21T12:00:00'),
        ...options,
      });
      await page.getByRole('grid').and(page.locator('[aria-busy=false]')).waitFor();
      return page;
    },
  };
};

/** Makes an event on a day, `DD-MM-YYYY`, and gives its id. */
export const createEventOn = async (
  account: TestAccount,
  name: string,
  date: string,
  more: object = {},
): Promise<number> => (await account.call(newevent, { data: { id: 0, name, date, ...more } })).data.id;
export const WEEKLY_REPEAT = {
  style: 'repeat',
  repeatevery: 'week',
  repeateveryamount: 1,
  repeatfromtype: 'forever',
  repeatuntilltype: 'forever',
};
export const createDuration = (days: number) => ({ style: 'duration', duration: days, durationtype: 'days' });

/** A day of the month, by the beginning of what it is announced as. */
export const getDayCell = (page: Page, day: string) =>
  page.getByRole('gridcell').filter({ has: page.getByRole('button', { name: new RegExp(`^${day}`) }) });
export const getCellButton = (page: Page, day: string, name: string) =>
  getDayCell(page, day).getByRole('button', { name });
export const getHeading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });
/** What the focused element is called. */
export const getFocusedName = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
