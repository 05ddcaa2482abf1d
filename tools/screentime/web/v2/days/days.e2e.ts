import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/axe.ts';
import { dialogOpen, inFocus, settle, type OpenOptions } from '#testing/browser.ts';
import { notOverMidnight } from '#testing/midnight.ts';
import type { TestAccount } from '#testing/server.ts';
import { serveSite } from '#testing/site.ts';
import { dayAgo, dayOf, openStory, openUsage, timeAgo, ZONE } from '#testing/usagePage.ts';
import { pairUsed } from '#testing/usedComputer.ts';
import { usageperiod, usagestory } from '../../../contract.ts';

const site = serveSite({ rateLimits: false });
notOverMidnight(ZONE);
let people = 0;
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** Yesterday three applications, one after another; a month ago one of them. */
const newPerson = async (): Promise<TestAccount> => {
  const account = await site.server.account(`person ${++people}`);
  const desk = await pairUsed(site.server, account, 'desk');
  await desk.used(
    ['code', 'on', timeAgo(30, '10:00'), timeAgo(30, '11:00')],
    ['code', 'on', timeAgo(1, '09:00'), timeAgo(1, '10:00')],
    ['mail', 'on', timeAgo(1, '10:00'), timeAgo(1, '10:20'), 'Re: lunch'],
    ['vlc', 'on', timeAgo(1, '20:00'), timeAgo(1, '21:30')],
    ['vlc', 's', timeAgo(1, '20:05'), timeAgo(1, '21:30')],
    ['mail', 'off', timeAgo(1, '20:00'), timeAgo(1, '22:00')],
  );
  return account;
};

const open = async (account: TestAccount, options: OpenOptions = {}): Promise<Page> =>
  openUsage(site, account, { ...options, on: ['code', 'mail', 'vlc'] });

/** The stretches that are listed: `09:00 to 10:00 code`. */
const listed = (story: Locator): Promise<readonly string[]> =>
  story.getByRole('listitem').evaluateAll((rows) =>
    rows.map((row) =>
      [...row.querySelectorAll('span')]
        .slice(0, 2)
        .map((one) => one.textContent)
        .join(' '),
    ),
  );

/** What the server has of yesterday, in seconds by application. */
const secondsOf = async (account: TestAccount): Promise<Readonly<Record<string, number>>> => {
  const { applications } = await account.call(usageperiod, { tz: ZONE, from: dayAgo(1), until: dayAgo(1) });
  return Object.fromEntries(applications.map(({ name, seconds }) => [name, seconds]));
};

describe.skipIf(site.lack)(`days of screen time (${site.lack ?? 'in Chromium'})`, () => {
  test('the year shows every day, over which keys walk, and Enter opens one; the bars show the past two weeks, and the card of the one that is tapped', async () => {
    const page = await open(await newPerson(), { scheme: 'dark' });
    const map = page.getByRole('region', { name: 'Days of the year' });
    await map.getByText('3h 50m on 2 days').waitFor();
    const yesterday = dayOf(page, 1);
    expect(await yesterday.getAttribute('aria-label')).toMatch(/, 2h 50m$/);
    await dayOf(page, 0).focus();
    await page.keyboard.press('ArrowUp');
    await inFocus(yesterday);
    await page.keyboard.press('ArrowLeft');
    await inFocus(dayOf(page, 8));
    await map.getByRole('button', { name: 'Earlier year' }).click();
    await map.getByText('0m on 0 days').waitFor();
    await map.getByRole('button', { name: 'Later year' }).click();
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
      'Longest stretch',
    ]);
    expect((await card.getByRole('definition').allTextContents())[4]).toBe('2h 00m');
    await page.keyboard.press('ArrowLeft');
    await inFocus(bars.getByRole('button', { name: '1.5 hours of vlc' }));
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'vlc' }).waitFor();
    const density = page.getByRole('region', { name: 'App usage through day (past 14 days)' });
    await density.getByRole('slider').focus();
    for (let hour = 23; hour > 9; hour -= 1) await page.keyboard.press('ArrowLeft');
    expect(await density.getByRole('slider').getAttribute('aria-valuetext')).toBe('09:00, code 7%');

    await yesterday.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: "The day's story" }).waitFor();
  });

  test('a day is told to the minute; what is wrong is deleted, changed and added, and taken back', async () => {
    const account = await newPerson();
    const page = await open(account);
    const story = await openStory(page, 1);
    expect(await listed(story)).toEqual(['09:00 to 10:00 code', '10:00 to 10:20 mailRe: lunch', '20:00 to 21:30 vlc']);
    expect(await findBarriers(page)).toEqual([]);
    const strip = await story.locator('canvas').boundingBox();
    if (!strip) throw new Error('the strip is not drawn');
    await page.mouse.move(strip.x + (strip.width * (20.5 * 60 + 0.5)) / 1440, strip.y + 10);
    await story.getByText('20:30: in focus vlc; playing vlc; open mail').waitFor();
    await page.mouse.move(0, 0);

    await story.getByRole('button', { name: 'Delete mail, 10:00' }).click();
    await story.getByText('Deleted mail, 10:00 to 10:20').waitFor();
    expect(await secondsOf(account)).toEqual({ code: 3600, vlc: 5400 });
    const undo = story.getByRole('button', { name: 'Undo' });
    await inFocus(undo);
    await page.keyboard.press('Enter');
    await story.getByRole('button', { name: 'Edit mail, 10:00' }).waitFor();
    expect((await listed(story))[1]).toBe('10:00 to 10:20 mailRe: lunch');
    expect(await secondsOf(account)).toEqual({ code: 3600, mail: 1200, vlc: 5400 });

    await story.getByRole('button', { name: 'Edit mail, 10:00' }).click();
    const form = story.getByRole('form', { name: 'Edit stretch' });
    await inFocus(form.getByRole('combobox', { name: 'Application' }));
    await form.getByLabel('From').fill(`${dayAgo(1)}T09:30:00`);
    await form.getByRole('button', { name: 'Save stretch' }).click();
    await form.getByText('code is in focus, 09:00 to 10:00: take that away first, or change the times').waitFor();
    await form.getByLabel('From').fill(`${dayAgo(1)}T10:02:00`);
    await form.getByRole('button', { name: 'Save stretch' }).click();
    await story.getByText('Changed mail, 10:02 to 10:20').waitFor();
    expect((await listed(story))[1]).toBe('10:02 to 10:20 mailRe: lunch');
    await story.getByRole('button', { name: 'Edit mail, 10:02' }).click();
    await form.getByLabel('From').fill(`${dayAgo(1)}T10:05:00`);
    await form.getByRole('combobox', { name: 'Application' }).fill('gimp');
    await page.keyboard.press('Enter');
    await story.getByText('Changed gimp, 10:05 to 10:20').waitFor();
    expect(await secondsOf(account)).toEqual({ code: 3600, gimp: 900, vlc: 5400 });

    await story.getByRole('button', { name: 'Add stretch' }).click();
    const added = story.getByRole('form', { name: 'Add stretch' });
    await added.getByRole('combobox', { name: 'Application' }).fill('code');
    await added.getByLabel('From').fill(`${dayAgo(1)}T23:00:00`);
    await added.getByLabel('Until').fill(`${dayAgo(0)}T00:00:00`);
    await added.getByRole('button', { name: 'Save stretch' }).click();
    await story.getByText('Added code, 23:00 to 24:00').waitFor();
    expect((await secondsOf(account))['code']).toBe(7200);

    await story.getByRole('button', { name: 'Open', exact: true }).click();
    expect(await listed(story)).toEqual(['20:00 to 22:00 mail']);
    // Escape closes what is typed into before it closes the dialog.
    await story.getByRole('button', { name: 'Edit mail, 20:00' }).click();
    await page.keyboard.press('Escape');
    await inFocus(story.getByRole('button', { name: 'Edit mail, 20:00' }));
    // What was typed is not thrown away unasked.
    await page.keyboard.press('Enter');
    const name = form.getByRole('combobox', { name: 'Application' });
    await inFocus(name);
    await name.fill('mutt');
    await page.keyboard.press('Escape');
    const asking = page.getByRole('dialog', { name: 'Close without saving?' });
    await inFocus(asking.getByRole('button', { name: 'Keep editing' }));
    await page.keyboard.press('Escape');
    await inFocus(name);
    expect(await name.inputValue()).toBe('mutt');
    // Nor where another day, or another stretch, would take its place.
    for (const other of ['Day before', 'Add stretch']) {
      await story.getByRole('button', { name: other }).click();
      await inFocus(asking.getByRole('button', { name: 'Keep editing' }));
      await page.keyboard.press('Enter');
      await asking.waitFor({ state: 'detached' });
      expect(await name.inputValue()).toBe('mutt');
    }
    await inFocus(story.getByRole('button', { name: 'Add stretch' }));
    await name.focus();
    await page.keyboard.press('Escape');
    await asking.getByRole('button', { name: 'Discard' }).click();
    await inFocus(story.getByRole('button', { name: 'Edit mail, 20:00' }));
    await page.keyboard.press('Escape');
    await story.waitFor({ state: 'detached' });
    await inFocus(dayOf(page, 1));
  });

  test('with all devices a stretch is put on the computer that is chosen with it, else on the one that is looked at', async () => {
    const account = await newPerson();
    // Paired and not used yet.
    const fresh = await pairUsed(site.server, account, 'aspire');
    const laptop = await pairUsed(site.server, account, 'laptop');
    await laptop.used(['code', 'on', timeAgo(1, '05:00'), timeAgo(1, '06:00')]);
    const page = await open(account);
    const story = await openStory(page, 1);
    const form = story.getByRole('form', { name: 'Add stretch' });
    const computer = form.getByRole('button', { name: /^Computer / });
    const add = async (from: string, until: string): Promise<void> => {
      await form.getByRole('combobox', { name: 'Application' }).fill('vlc');
      await form.getByLabel('From').fill(`${dayAgo(1)}T${from}:00`);
      await form.getByLabel('Until').fill(`${dayAgo(1)}T${until}:00`);
      await form.getByRole('button', { name: 'Save stretch' }).click();
      await story.getByText(`Added vlc, ${from} to ${until}`).waitFor();
    };
    const told = async (id: number) => {
      const from = Temporal.Instant.from(timeAgo(1, '00:00')).epochMilliseconds;
      const span = { from: String(from), until: String(from + DAY_MS), deviceid: String(id) };
      const { stretches } = await account.call(usagestory, span);
      return stretches.map(({ application, until, from: begins }) => `${application} ${(until - begins) / MINUTE_MS}`);
    };
    await story.getByRole('button', { name: 'Add stretch' }).click();
    await computer.click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['desk', 'aspire', 'laptop']);
    await page.getByRole('option', { name: 'aspire' }).click();
    await settle(page);
    expect(await findBarriers(page)).toEqual([]);
    // Another computer's focus at that time is in nobody's way.
    await add('09:10', '09:40');
    expect(await told(fresh.id)).toEqual(['vlc 30']);
    await page.keyboard.press('Escape');
    await story.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: /^Device / }).click();
    await page.getByRole('option', { name: 'laptop' }).click();
    await openStory(page, 1);
    await story.getByRole('button', { name: 'Add stretch' }).click();
    await form.waitFor();
    expect(await computer.count()).toBe(0);
    await form.getByText('on laptop').waitFor();
    await add('11:00', '11:05');
    expect(await told(laptop.id)).toEqual(['code 60', 'vlc 5']);
  });

  test('any period, and another beside it, by application', async () => {
    const page = await open(await newPerson(), { size: 'phone' });
    await settle(page);
    await page.getByRole('button', { name: 'Any period' }).click();
    const dialog = page.getByRole('dialog', { name: 'Any period' });
    await dialogOpen(dialog);
    await dialog.getByLabel('From').fill(dayAgo(1));
    await dialog.getByLabel('Until').fill(dayAgo(1));
    await dialog.getByText('2h 50m in all').waitFor();
    const rows = (): Promise<readonly string[]> =>
      dialog
        .locator('tbody tr')
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent).join(' ')));
    expect(await rows()).toEqual([
      'vlc unassigned 1h 30m 1 1h 30m',
      'code unassigned 1h 00m 1 1h 00m',
      'mail unassigned 20m 1 20m',
    ]);
    await dialog.getByRole('switch', { name: 'Compare with another' }).click();
    const second = dialog.getByRole('group', { name: 'Second period' });
    await second.getByLabel('From').fill(dayAgo(30));
    await second.getByLabel('Until').fill(dayAgo(30));
    await dialog.getByText('2h 50m in all against 1h 00m: 183% more than before').waitFor();
    expect(await rows()).toEqual([
      'vlc unassigned 1h 30m 1 1h 30m – – – new',
      'code unassigned 1h 00m 1 1h 00m 1h 00m 1 1h 00m 0%',
      'mail unassigned 20m 1 20m – – – new',
    ]);
    expect(await findBarriers(page)).toEqual([]);
    await second.getByLabel('Until').fill(dayAgo(40));
    await second.getByText('It ends before it begins').waitFor();
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'CSV' }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.csv$/);
  });
});
