import type { Page } from 'playwright-core';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { getevent, newevent } from '#tools/calendar/contract/events.ts';
import type { OpenPageOptions } from '../browser/browser.ts';
import { MONDAY_NOON_MS } from '../browser/monday.ts';
import { reusePage } from '../browser/reusePage.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

type Data = RequestInputOf<typeof newevent>['data'];

/** Helpers for the calendar's editor: accounts, events, and the page that shows one. */
export function createEditorKit(site: TestSite) {
  const openAt = (account: TestAccount, path: string, options: OpenPageOptions): Promise<Page> =>
    reusePage(site, account, path, { now: MONDAY_NOON_MS, ...options });
  return {
    createPerson: site.createPerson,
    /** Creates an event on Monday, 23-11-2026, or changes one. */
    make: async (account: TestAccount, data: Partial<Data>) =>
      (await account.call(newevent, { data: { id: 0, name: 'Quarterly review', date: '23-11-2026', ...data } })).data,
    read: async (account: TestAccount, id: number) => (await account.call(getevent, { id: String(id) })).data,
    /** Opens the editor on one day of the event, by default 23-11-2026. */
    open: (
      account: TestAccount,
      { id, style, date = '2026-11-23' }: { readonly id: number; readonly style: string; readonly date?: string },
      options: OpenPageOptions = {},
    ): Promise<Page> => {
      const day = date.replace(/^(\d\d)-(\d\d)-(\d{4})$/, '$3-$2-$1');
      return openAt(account, `/calendar?view=event&event=${id}&date=${day}&type=${style}`, options);
    },
    openNew: (account: TestAccount, options: OpenPageOptions = {}): Promise<Page> =>
      openAt(account, '/calendar?view=event&new=2026-11-23', options),
  };
}

export function getNameField(page: Page) {
  return page.getByRole('textbox', { name: 'Event name' });
}
export function getDescriptionField(page: Page) {
  return page.getByRole('textbox', { name: 'Description' });
}
/** Finds it by its complete name or by a pattern. */
export function getButton(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name, exact: true });
}
