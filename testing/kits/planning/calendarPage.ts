import type { Page } from 'playwright-core';
import { newevent } from '#tools/calendar/contract/events.ts';
import type { OpenPageOptions } from '../browser/browser.ts';
import { reusePage } from '../browser/reusePage.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

/** Helpers for the calendar's month and week: accounts, and the page on Saturday 21 November 2026. */
export function createCalendarKit(site: TestSite) {
  return {
    createPerson: site.createPerson,
    /** Opens the days with all their entries; `query` such as 'view=week'. */
    open: async (account: TestAccount, query: string, options?: OpenPageOptions): Promise<Page> => {
      const page = await reusePage(site, account, `/calendar?${query}`, {
        now: new Date('2026-11-21T12:00:00'),
        ...options,
      });
      await page.getByRole('grid').and(page.locator('[aria-busy=false]')).waitFor();
      return page;
    },
  };
}

/** Creates an event on a day, `DD-MM-YYYY`; returns its id. */
export async function createEventOn(
  account: TestAccount,
  name: string,
  date: string,
  more: object = {},
): Promise<number> {
  return (await account.call(newevent, { data: { id: 0, name, date, ...more } })).data.id;
}
export const WEEKLY_REPEAT = {
  style: 'repeat',
  repeatevery: 'week',
  repeateveryamount: 1,
  repeatfromtype: 'forever',
  repeatuntilltype: 'forever',
};
export function createDuration(days: number) {
  return { style: 'duration', duration: days, durationtype: 'days' };
}

/** Returns a day of the month by the start of its accessible name. */
export function getDayCell(page: Page, day: string) {
  return page.getByRole('gridcell').filter({ has: page.getByRole('button', { name: new RegExp(`^${day}`) }) });
}
export function getCellButton(page: Page, day: string, name: string) {
  return getDayCell(page, day).getByRole('button', { name });
}
export function getHeading(page: Page, name: string) {
  return page.getByRole('heading', { level: 2, name, exact: true });
}
/** Returns the accessible name of the focused element. */
export function getFocusedName(page: Page): Promise<string | null> {
  return page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
}
