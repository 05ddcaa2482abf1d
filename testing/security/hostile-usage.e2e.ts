import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { returnapplications } from '#tools/screentime/contract.ts';
import { waitForDialogFocus, type OpenPageOptions } from '../kits/browser/browser.ts';
import { startTestSite } from '../kits/browser/site.ts';
import type { TestAccount } from '../kits/server/server.ts';
import { listDayLines, formatTimeAgo, BROWSER_ZONE } from '../kits/usage/usagePage.ts';
import { pairUsageComputer } from '../kits/usage/usedComputer.ts';
import { goToPage, HOSTILE_TEXTS, expectUntouched, createGuardedOpen } from './hostile.ts';

const site = startTestSite({ rateLimits: false });
const wary = createGuardedOpen(site);
const NAMES = [
  ...HOSTILE_TEXTS,
  'W'.repeat(500),
  '\u{1f44b}'.repeat(500),
  `"it's"`,
  'total',
  'total (app)',
  'constructor',
];

/** Also checks that no element is wider than its container, unless it scrolls horizontally. */
async function lookClosely(page: Page): Promise<void> {
  await expectUntouched(page);
  const wider = await page.evaluate(() =>
    [...document.querySelectorAll('main, main [data-flush] > *, [role=dialog]')]
      .filter((part) => part.scrollWidth > part.clientWidth)
      .map((part) => part.outerHTML.slice(0, 100)),
  );
  expect(wider).toEqual([]);
}

const clock = (minutes: number): string => formatTimeAgo(1, `10:${String(minutes).padStart(2, '0')}`);

describe.skipIf(site.skipReason)(
  `hostile names of applications${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    let owner: TestAccount;
    /** The format on the wire. */
    let names: readonly string[] = [];

    beforeAll(async () => {
      if (site.skipReason !== undefined) return;
      owner = await site.server.createAccount('owner');
      const laptop = await pairUsageComputer(site.server, owner, 'laptop');
      await laptop.reportUse(...NAMES.map((name, index) => [name, 'on', clock(index), clock(index + 1)] as const));
      names = (await owner.call(returnapplications, { tz: BROWSER_ZONE })).flat.map(({ name }) => name);
    });

    test('are all distinct', () => {
      expect(new Set(names).size).toBe(NAMES.length);
      expect(names).toEqual(
        expect.arrayContaining(['total (app)', 'total (app) (app)', '__proto__ (app)', 'constructor']),
      );
    });

    describe.each<OpenPageOptions>([{ size: 'wide' }, { size: 'phone', scheme: 'dark' }])(
      'in a $size window',
      (options) => {
        test('each has its bar on /graphyv2, and is among the bars below and in the goal editor', async () => {
          const stored = { 'pegboard.screentime.on': JSON.stringify({ of: owner.name, on: ['total', ...names] }) };
          const page = await wary(owner, '/graphyv2', { timeZone: BROWSER_ZONE, stored, ...options });
          await expect.poll(() => listDayLines(page, 1)).toHaveLength(names.length + 1);
          await lookClosely(page);
          const bars = page.getByRole('group', { name: 'Hours of the past two weeks' }).getByRole('button');
          await expect.poll(() => bars.count()).toBe(names.length + 1);
          for (const name of ['W'.repeat(500), '__proto__ (app)']) {
            await bars.filter({ hasText: name }).click();
            await page.getByRole('article', { name, exact: true }).getByText('1m').first().waitFor();
          }
          await lookClosely(page);
          await page.getByRole('button', { name: 'Add goal' }).click();
          const editor = page.getByRole('dialog', { name: 'Create/Edit Goal' });
          await waitForDialogFocus(editor);
          await editor.getByRole('button', { name: /^Target total/ }).click();
          await page.keyboard.type('WWWW');
          await page.keyboard.press('Enter');
          await editor.getByText('1m of 10h in WWWW').waitFor();
          await lookClosely(page);
        });

        test('each has its line on /graphy and its chip on /catsmmod', async () => {
          const page = await wary(owner, '/graphy', { timeZone: BROWSER_ZONE, ...options });
          await page.getByRole('button', { name: 'Submit' }).click();
          await page.getByText(`1 day, ${names.length} applications`).waitFor();
          const charts = page.getByRole('heading', { name: /Usage Time \(Hours\)$/ });
          // Charts are created when they are near the viewport.
          await expect
            .poll(async () => {
              await charts.last().scrollIntoViewIfNeeded();
              return charts.count();
            })
            .toBe(names.length);
          await lookClosely(page);

          await goToPage(page, '/catsmmod', 'Edit Apps/cats, hotkeys and devices');
          await expect.poll(() => page.getByRole('button', { name: /, move$/ }).count()).toBe(names.length);
          await lookClosely(page);
        });
      },
    );
  },
);
