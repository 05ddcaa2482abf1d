import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForDialogFocus, waitForFocus, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import {
  formatDayAgo,
  getMapDay,
  openStory,
  openUsagePage,
  formatTimeAgo,
  BROWSER_ZONE,
} from '#testing/kits/usage/usagePage.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { usageperiod, usagestory } from '#tools/screentime/contract.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight(BROWSER_ZONE);

/** Creates a user with three applications used yesterday, and one of them a month ago. */
async function createUser(): Promise<TestAccount> {
  const account = await site.createPerson();
  const desk = await pairUsageComputer(site.server, account, 'desk');
  await desk.reportUse(
    ['code', 'on', formatTimeAgo(30, '10:00'), formatTimeAgo(30, '11:00')],
    ['code', 'on', formatTimeAgo(1, '09:00'), formatTimeAgo(1, '10:00')],
    ['mail', 'on', formatTimeAgo(1, '10:00'), formatTimeAgo(1, '10:20'), 'Re: lunch'],
    ['vlc', 'on', formatTimeAgo(1, '20:00'), formatTimeAgo(1, '21:30')],
    ['vlc', 's', formatTimeAgo(1, '20:05'), formatTimeAgo(1, '21:30')],
    ['mail', 'off', formatTimeAgo(1, '20:00'), formatTimeAgo(1, '22:00')],
  );
  return account;
}

const open = async (account: TestAccount, options: OpenPageOptions = {}): Promise<Page> =>
  openUsagePage(site, account, { ...options, on: ['code', 'mail', 'vlc'] });

/** Returns the listed intervals: `09:00 to 10:00 code`. */
const listIntervals = (story: Locator): Promise<readonly string[]> =>
  story.getByRole('listitem').evaluateAll((rows) =>
    rows.map((row) =>
      [...row.querySelectorAll('span')]
        .slice(0, 2)
        .map((one) => one.textContent)
        .join(' '),
    ),
  );

/** Returns yesterday's usage on the server, in seconds by application. */
async function readSeconds(account: TestAccount): Promise<Readonly<Record<string, number>>> {
  const { applications } = await account.call(usageperiod, {
    tz: BROWSER_ZONE,
    from: formatDayAgo(1),
    until: formatDayAgo(1),
  });
  return Object.fromEntries(applications.map(({ name, seconds }) => [name, seconds]));
}

describe.skipIf(site.skipReason)(`days of screen time (${site.skipReason ?? 'in Chromium'})`, () => {
  test('the calendar shows every day, keys walk over it, and Enter opens one; a bar opens its card', async () => {
    const page = await open(await createUser(), { scheme: 'dark' });
    const map = page.getByRole('region', { name: 'Days of the year' });
    await map.getByText('3h 50m on 2 days').waitFor();
    const yesterday = getMapDay(page, 1);
    expect(await yesterday.getAttribute('aria-label')).toMatch(/, 2h 50m$/);
    await getMapDay(page, 0).focus();
    await page.keyboard.press('ArrowUp');
    await waitForFocus(yesterday);
    await page.keyboard.press('ArrowLeft');
    await waitForFocus(getMapDay(page, 8));
    await map.getByRole('button', { name: 'Previous year' }).click();
    await map.getByText('0m on 0 days').waitFor();
    await map.getByRole('button', { name: 'Next year' }).click();
    expect(await findBarriers(page)).toEqual([]);

    const bars = page.getByRole('group', { name: 'Hours of the past two weeks' });
    await bars.getByRole('button', { name: '1.5 hours of vlc' }).waitFor();
    await bars.getByRole('button', { name: '1.0 hours of code' }).click();
    const card = page.getByRole('article', { name: 'code' });
    await card.waitFor();
    expect(await card.getByRole('term').allTextContents()).toEqual([
      'Past two weeks',
      'Average daily use',
      'Change',
      'Last Used',
      'Total time',
      'Percent of total time',
      'Percent of total time in last two weeks',
      'Times opened',
      'Longest session',
    ]);
    expect((await card.getByRole('definition').allTextContents())[4]).toBe('2h 00m');
    await page.keyboard.press('ArrowLeft');
    await waitForFocus(bars.getByRole('button', { name: '1.5 hours of vlc' }));
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'vlc' }).waitFor();
    const density = page.getByRole('region', { name: 'App usage through day (past 14 days)' });
    await density.getByRole('slider').focus();
    for (let hour = 23; hour > 9; hour -= 1) await page.keyboard.press('ArrowLeft');
    expect(await density.getByRole('slider').getAttribute('aria-valuetext')).toBe('09:00, code 7%');

    await yesterday.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Day details' }).waitFor();
  });

  test('a day is shown to the minute, and intervals can be deleted, changed, added and undone', async () => {
    const account = await createUser();
    const page = await open(account);
    const story = await openStory(page, 1);
    expect(await listIntervals(story)).toEqual([
      '09:00 to 10:00 code',
      '10:00 to 10:20 mailRe: lunch',
      '20:00 to 21:30 vlc',
    ]);
    expect(await findBarriers(page)).toEqual([]);
    const strip = await story.locator('canvas').boundingBox();
    if (!strip) throw new Error('the strip is not drawn');
    await page.mouse.move(strip.x + (strip.width * (20.5 * 60 + 0.5)) / 1440, strip.y + 10);
    await story.getByText('20:30: in focus vlc; playing vlc; open mail').waitFor();
    await page.mouse.move(0, 0);

    await story.getByRole('button', { name: 'Delete mail, 10:00' }).click();
    await story.getByText('Deleted mail, 10:00 to 10:20').waitFor();
    expect(await readSeconds(account)).toEqual({ code: 3600, vlc: 5400 });
    const undo = story.getByRole('button', { name: 'Undo' });
    await waitForFocus(undo);
    await page.keyboard.press('Enter');
    await story.getByRole('button', { name: 'Edit mail, 10:00' }).waitFor();
    expect((await listIntervals(story))[1]).toBe('10:00 to 10:20 mailRe: lunch');
    expect(await readSeconds(account)).toEqual({ code: 3600, mail: 1200, vlc: 5400 });

    await story.getByRole('button', { name: 'Edit mail, 10:00' }).click();
    const form = story.getByRole('form', { name: 'Edit entry' });
    await waitForFocus(form.getByRole('combobox', { name: 'Application' }));
    await form.getByLabel('From').fill(`${formatDayAgo(1)}T09:30:00`);
    await form.getByRole('button', { name: 'Save entry' }).click();
    await form.getByText('code is in focus, 09:00 to 10:00. Delete that entry first, or change the times').waitFor();
    await form.getByLabel('From').fill(`${formatDayAgo(1)}T10:02:00`);
    await form.getByRole('button', { name: 'Save entry' }).click();
    await story.getByText('Changed mail, 10:02 to 10:20').waitFor();
    expect((await listIntervals(story))[1]).toBe('10:02 to 10:20 mailRe: lunch');
    await story.getByRole('button', { name: 'Edit mail, 10:02' }).click();
    await form.getByLabel('From').fill(`${formatDayAgo(1)}T10:05:00`);
    await form.getByRole('combobox', { name: 'Application' }).fill('gimp');
    await page.keyboard.press('Enter');
    await story.getByText('Changed gimp, 10:05 to 10:20').waitFor();
    expect(await readSeconds(account)).toEqual({ code: 3600, gimp: 900, vlc: 5400 });

    await story.getByRole('button', { name: 'Add entry' }).click();
    const added = story.getByRole('form', { name: 'Add entry' });
    await added.getByRole('combobox', { name: 'Application' }).fill('code');
    await added.getByLabel('From').fill(`${formatDayAgo(1)}T23:00:00`);
    await added.getByLabel('Until').fill(`${formatDayAgo(0)}T00:00:00`);
    await added.getByRole('button', { name: 'Save entry' }).click();
    await story.getByText('Added code, 23:00 to 24:00').waitFor();
    expect((await readSeconds(account))['code']).toBe(7200);

    await story.getByRole('button', { name: 'Open', exact: true }).click();
    expect(await listIntervals(story)).toEqual(['20:00 to 22:00 mail']);
    // Escape closes the form before it closes the dialog.
    await story.getByRole('button', { name: 'Edit mail, 20:00' }).click();
    await page.keyboard.press('Escape');
    await waitForFocus(story.getByRole('button', { name: 'Edit mail, 20:00' }));
    // Unsaved input is not discarded without a question.
    await page.keyboard.press('Enter');
    const name = form.getByRole('combobox', { name: 'Application' });
    await waitForFocus(name);
    await name.fill('mutt');
    await page.keyboard.press('Escape');
    const asking = page.getByRole('dialog', { name: 'Close without saving?' });
    await waitForFocus(asking.getByRole('button', { name: 'Keep editing' }));
    await page.keyboard.press('Escape');
    await waitForFocus(name);
    expect(await name.inputValue()).toBe('mutt');
    // The same if another day or interval would replace it.
    for (const other of ['Previous day', 'Add entry']) {
      await story.getByRole('button', { name: other }).click();
      await waitForFocus(asking.getByRole('button', { name: 'Keep editing' }));
      await page.keyboard.press('Enter');
      await asking.waitFor({ state: 'detached' });
      expect(await name.inputValue()).toBe('mutt');
    }
    await waitForFocus(story.getByRole('button', { name: 'Add entry' }));
    await name.focus();
    await page.keyboard.press('Escape');
    await asking.getByRole('button', { name: 'Discard' }).click();
    await waitForFocus(story.getByRole('button', { name: 'Edit mail, 20:00' }));
    await page.keyboard.press('Escape');
    await story.waitFor({ state: 'detached' });
    await waitForFocus(getMapDay(page, 1));
  });

  test('with all devices selected, an interval belongs to the chosen computer, or else to the selected one', async () => {
    const account = await createUser();
    // Paired, but not used yet.
    const fresh = await pairUsageComputer(site.server, account, 'aspire');
    const laptop = await pairUsageComputer(site.server, account, 'laptop');
    await laptop.reportUse(['code', 'on', formatTimeAgo(1, '05:00'), formatTimeAgo(1, '06:00')]);
    const page = await open(account);
    const story = await openStory(page, 1);
    const form = story.getByRole('form', { name: 'Add entry' });
    const computer = form.getByRole('button', { name: /^Computer / });
    async function add(from: string, until: string): Promise<void> {
      await form.getByRole('combobox', { name: 'Application' }).fill('vlc');
      await form.getByLabel('From').fill(`${formatDayAgo(1)}T${from}:00`);
      await form.getByLabel('Until').fill(`${formatDayAgo(1)}T${until}:00`);
      await form.getByRole('button', { name: 'Save entry' }).click();
      await story.getByText(`Added vlc, ${from} to ${until}`).waitFor();
    }
    async function listUsage(id: number) {
      const from = Temporal.Instant.from(formatTimeAgo(1, '00:00')).epochMilliseconds;
      const day = { from: String(from), until: String(from + DAY_MS), deviceid: String(id) };
      const { stretches: intervals } = await account.call(usagestory, day);
      return intervals.map(({ application, until, from: begins }) => `${application} ${(until - begins) / MINUTE_MS}`);
    }
    await story.getByRole('button', { name: 'Add entry' }).click();
    await computer.click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['desk', 'aspire', 'laptop']);
    await page.getByRole('option', { name: 'aspire' }).click();
    await waitForIdle(page);
    expect(await findBarriers(page)).toEqual([]);
    // Focus of another computer at that time does not conflict.
    await add('09:10', '09:40');
    expect(await listUsage(fresh.id)).toEqual(['vlc 30']);
    await page.keyboard.press('Escape');
    await story.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: /^Device / }).click();
    await page.getByRole('option', { name: 'laptop' }).click();
    await openStory(page, 1);
    await story.getByRole('button', { name: 'Add entry' }).click();
    await form.waitFor();
    expect(await computer.count()).toBe(0);
    await form.getByText('on laptop').waitFor();
    await add('11:00', '11:05');
    expect(await listUsage(laptop.id)).toEqual(['code 60', 'vlc 5']);
  });

  test('any period, and another one beside it, is shown by application', async () => {
    const page = await open(await createUser(), { size: 'phone' });
    await waitForIdle(page);
    await page.getByRole('button', { name: 'Choose period' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose period' });
    await waitForDialogFocus(dialog);
    await dialog.getByLabel('From').fill(formatDayAgo(1));
    await dialog.getByLabel('Until').fill(formatDayAgo(1));
    await dialog.getByText('2h 50m in total').waitFor();
    const rows = (): Promise<readonly string[]> =>
      dialog
        .locator('tbody tr')
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent).join(' ')));
    expect(await rows()).toEqual([
      'vlc unassigned 1h 30m 1 1h 30m',
      'code unassigned 1h 00m 1 1h 00m',
      'mail unassigned 20m 1 20m',
    ]);
    await dialog.getByRole('switch', { name: 'Compare with another period' }).click();
    const second = dialog.getByRole('group', { name: 'Second period' });
    await second.getByLabel('From').fill(formatDayAgo(30));
    await second.getByLabel('Until').fill(formatDayAgo(30));
    await dialog.getByText('2h 50m in total, compared with 1h 00m: 183% more than before').waitFor();
    expect(await rows()).toEqual([
      'vlc unassigned 1h 30m 1 1h 30m – – – new',
      'code unassigned 1h 00m 1 1h 00m 1h 00m 1 1h 00m 0%',
      'mail unassigned 20m 1 20m – – – new',
    ]);
    expect(await findBarriers(page)).toEqual([]);
    await second.getByLabel('Until').fill(formatDayAgo(40));
    await second.getByText('The last day must not be before the first day').waitFor();
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'CSV' }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.csv$/);
  });
});
