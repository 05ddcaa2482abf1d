import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import type { OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { openTimetable, planSlot } from '#testing/kits/planning/timetable.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';

const site = startTestSite({ rateLimits: false });

const getSlot = (page: Page, name: RegExp | string) =>
  page.locator('[data-slot]').and(page.getByRole('button', { name }));

/** Plans the week of the design mock. */
async function fillWeek(account: TestAccount): Promise<void> {
  const slots: readonly (readonly [string, string, readonly [string, string], string, readonly number[], string?])[] = [
    ['2026-11-16', 'Run', ['07:00', '08:00'], 'Done', [46, 158, 91]],
    ['2026-11-16', 'Deep work', ['09:00', '12:00'], 'Done', [91, 75, 212], 'Chapter two'],
    ['2026-11-16', 'Default', ['14:00', '16:00'], 'Skipped', [133, 133, 143]],
    ['2026-11-17', 'Deep work', ['09:00', '12:00'], 'Done', [91, 75, 212]],
    ['2026-11-17', 'Piano', ['18:00', '19:30'], 'Done', [192, 82, 153]],
    ['2026-11-18', 'Swim', ['07:00', '08:30'], 'Skipped', [31, 143, 178]],
    ['2026-11-18', 'Calls', ['13:00', '15:00'], 'Done', [201, 138, 27]],
    ['2026-11-18', 'Lunch with Ben and Cleo', ['13:30', '14:15'], 'Done', [194, 65, 59]],
    ['2026-11-18', 'Tea', ['14:00', '14:15'], 'Not Started', [46, 158, 91]],
    ['2026-11-19', 'Run', ['07:00', '08:00'], 'Done', [46, 158, 91]],
    ['2026-11-19', 'Deep work', ['09:00', '12:00'], 'Done', [91, 75, 212], 'Chapter three'],
    [
      '2026-11-19',
      'Read papers',
      ['13:00', '16:00'],
      'In Progress',
      [31, 143, 178],
      'Two from the pile, notes into the wiki',
    ],
    ['2026-11-19', 'Piano', ['18:00', '19:30'], 'Not Started', [192, 82, 153]],
    ['2026-11-20', 'Deep work', ['09:00', '12:00'], 'Not Started', [91, 75, 212]],
    ['2026-11-21', 'Climbing', ['10:00', '13:00'], 'Not Started', [194, 65, 59]],
    ['2026-11-22', 'Long run', ['08:30', '10:30'], 'Not Started', [46, 158, 91]],
  ];
  for (const [date, name, span, state, colour, description = ''] of slots)
    await planSlot(account, date, { name, start: span[0], end: span[1], state, colour: [...colour], description });
}

const looks: readonly OpenPageOptions[] = [
  { size: 'wide', scheme: 'light' },
  { size: 'wide', scheme: 'dark' },
  { size: 'phone', scheme: 'light' },
  { size: 'phone', scheme: 'dark' },
];

describe.skipIf(site.skipReason)(`timetable (${site.skipReason ?? 'in Chromium'})`, () => {
  test.for(looks)(
    'shows the week with slots and the editor, without axe violations: $size $scheme',
    { tags: 'matrix' },
    async (look) => {
      const account = await site.createPerson();
      await fillWeek(account);
      const page = await openTimetable(site, account, look);
      const slot = getSlot(page, 'Read papers, 13:00 to 16:00, In Progress');
      await slot.waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await slot.click();
      await page.getByRole('textbox', { name: 'Name' }).waitFor();
      await expect.poll(() => page.getByRole('textbox', { name: 'End time' }).inputValue()).toBe('16:00');
      expect(await findBarriers(page)).toEqual([]);
    },
  );

  test(
    'an empty week, the menu and the save overlay have no axe violations: wide light',
    { tags: 'matrix' },
    async () => {
      const page = await openTimetable(site, await site.createPerson());
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Show slots in the calendar feed' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Save timetable' }).click();
      await page.getByText('Your saved weeks appear here').waitFor();
      expect(await findBarriers(page)).toEqual([]);
    },
  );
});
