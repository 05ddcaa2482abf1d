import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenPageOptions } from '../kits/browser/browser.ts';
import { startTestSite } from '../kits/browser/site.ts';
import { MILK_ITEM, createShoplist, sendChanges, shareWith } from '../kits/planning/planner.ts';
import type { TestAccount } from '../kits/server/server.ts';
import { HOSTILE_TEXTS, expectUntouched, createGuardedOpen } from './hostile.ts';

const site = startTestSite({ rateLimits: false });
const open = createGuardedOpen(site);
const LISTS = 3;

/** Shortened to the maximum length of a name. */
const getName = (text: string): string => Array.from(text).slice(0, 100).join('');

describe.skipIf(site.skipReason)(
  `hostile texts of a shared list${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    let guest: TestAccount;
    let list = 0;

    beforeAll(async () => {
      const host = await site.server.createAccount('host');
      guest = await site.server.createAccount('guest');
      for (const text of HOSTILE_TEXTS.slice(0, LISTS)) {
        list = await createShoplist(host, getName(text));
        await shareWith(host, guest, list);
      }
      const things = HOSTILE_TEXTS.map((text, at) => [`new${at}`, getName(text)] as const);
      await sendChanges(host, list, {
        types: Object.fromEntries(
          things.map(([key, name]) => [`${key}9`, { name, colour: ['#885522', '#ffffff'], visualised: true }]),
        ),
        items: Object.fromEntries(
          things.map(([key, name], at) => [key, { ...MILK_ITEM, name, emoji: '<b>', state: at % 4 }]),
        ),
        links: Object.fromEntries(things.map(([key]) => [key, [`${key}9`]])),
      });
    });

    test.for<OpenPageOptions>([{ size: 'wide' }, { size: 'phone', scheme: 'dark' }])(
      'do not run or break the layout, in view mode and edit mode: $size',
      async (options) => {
        const page = await open(guest, `/shopplanner?list=${list}`, options);
        await expect.poll(() => page.locator('[data-item]').count()).toBe(HOSTILE_TEXTS.length);
        await expectUntouched(page);
        await page.getByRole('switch', { name: 'Edit mode' }).click();
        await expect
          .poll(() => page.getByRole('textbox', { name: 'Type name' }).count())
          .toBeGreaterThan(HOSTILE_TEXTS.length);
        await expectUntouched(page);
      },
    );
  },
);
