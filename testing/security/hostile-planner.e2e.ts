import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenOptions } from '../browser.ts';
import { MILK, makeShoplist, sendChanges, shareWith } from '../planner.ts';
import type { TestAccount } from '../server.ts';
import { serveSite } from '../site.ts';
import { HOSTILE, lookAt, openWary } from './hostile.ts';

const site = serveSite({ rateLimits: false });
const open = openWary(site);
const LISTS = 3;

/** As long as a name may be. */
const nameOf = (text: string): string => Array.from(text).slice(0, 100).join('');

describe.skipIf(site.lack)(`hostile texts of a shared list${site.lack === undefined ? '' : `, ${site.lack}`}`, () => {
  let guest: TestAccount;
  let list = 0;

  beforeAll(async () => {
    const host = await site.server.account('host');
    guest = await site.server.account('guest');
    for (const text of HOSTILE.slice(0, LISTS)) {
      list = await makeShoplist(host, nameOf(text));
      await shareWith(host, guest, list);
    }
    const things = HOSTILE.map((text, at) => [`new${at}`, nameOf(text)] as const);
    await sendChanges(host, list, {
      types: Object.fromEntries(
        things.map(([key, name]) => [`${key}9`, { name, colour: ['#885522', '#ffffff'], visualised: true }]),
      ),
      items: Object.fromEntries(things.map(([key, name], at) => [key, { ...MILK, name, emoji: '<b>', state: at % 4 }])),
      links: Object.fromEntries(things.map(([key]) => [key, [`${key}9`]])),
    });
  });

  test.for<OpenOptions>([{ size: 'wide' }, { size: 'phone', scheme: 'dark' }])(
    'run nowhere and push nothing aside, as they are ticked and as they are changed: $size',
    async (options) => {
      const page = await open(guest, `/shopplanner?list=${list}`, options);
      await expect.poll(() => page.locator('[data-item]').count()).toBe(HOSTILE.length);
      await lookAt(page);
      await page.getByRole('switch', { name: 'Edit mode' }).click();
      await expect.poll(() => page.getByRole('textbox', { name: 'Type name' }).count()).toBeGreaterThan(HOSTILE.length);
      await lookAt(page);
    },
  );
});
