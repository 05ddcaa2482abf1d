import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { waitForFocus, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getDayColumn, openTimetable, planSlot, listPlan } from '#testing/kits/planning/timetable.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { HOSTILE_TEXTS, expectUntouched } from '#testing/security/hostile.ts';
import { getunuseddatesttbl, moveslot, savelongtermtbbl, savespecific } from '../contract.ts';
import { toClock } from '../domain/clockTime.ts';

const site = startTestSite({ rateLimits: false });
const getSlots = (page: Page): Locator => page.locator('[data-slot]');
const getSlot = (page: Page, name: RegExp | string) => getSlots(page).and(page.getByRole('button', { name }));
const getField = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const getButton = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

const THURSDAY = '2026-11-19';
const MARKER = 'byebyeSLOT';

/** Collects the messages of alerts, and closes each. */
function collectAlerts(page: Page): readonly string[] {
  const alerts: string[] = [];
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message());
    void dialog.accept();
  });
  return alerts;
}

/** Makes the page paste a text at the focus, as if by keyboard. */
const pasteText = (page: Page, text: string): Promise<void> =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

const looks: readonly OpenPageOptions[] = [
  { size: 'wide', scheme: 'dark' },
  { size: 'phone', scheme: 'light' },
];

describe.skipIf(site.skipReason)(`hostile texts of the timetable (${site.skipReason ?? 'in Chromium'})`, () => {
  let account: TestAccount;
  beforeAll(async () => {
    account = await site.createPerson();
    for (const [at, text] of HOSTILE_TEXTS.entries())
      await planSlot(account, THURSDAY, {
        name: text,
        description: `${text}\n${text}`,
        start: toClock(at * 100),
        end: toClock(at * 100 + 150),
      });
    const { data } = await account.call(getunuseddatesttbl, { tz: 'UTC', from: THURSDAY, weeks: '1' });
    for (const name of HOSTILE_TEXTS) await account.call(savelongtermtbbl, { name, data: data[0]?.dates ?? [] });
  });

  test.for(looks)(
    'are never run and do not break the layout, on the page, in the editor, in saved weeks: $size',
    async (look) => {
      const page = await openTimetable(site, account, look);
      const alerts = collectAlerts(page);
      await expect.poll(() => getSlots(page).count()).toBe(HOSTILE_TEXTS.length);
      await expectUntouched(page);
      for (const [at, text] of HOSTILE_TEXTS.entries()) {
        await getSlot(page, new RegExp(`${toClock(at * 100)} to ${toClock(at * 100 + 150)}`)).focus();
        await page.keyboard.press('Enter');
        await expect.poll(() => getField(page, 'Name').inputValue()).toBe(text);
        await expect.poll(() => getField(page, 'Description').inputValue()).toBe(`${text}\n${text}`);
        await expectUntouched(page);
        await getButton(page, 'Cancel').click();
        await expect.poll(() => getField(page, 'Name').count()).toBe(0);
      }
      if (look.size === 'wide') await getButton(page, 'Save timetable').click();
      else {
        await page.locator('[aria-label="More"]').click();
        await page.getByRole('menuitem', { name: 'Save timetable' }).click();
      }
      await getField(page, 'Save Name').waitFor();
      for (const text of HOSTILE_TEXTS.slice(0, 2)) await page.getByText(text, { exact: true }).first().waitFor();
      await expectUntouched(page);
      expect(alerts).toEqual([]);
    },
  );

  test('change nothing when pasted', async () => {
    const person = await site.createPerson();
    const page = await openTimetable(site, person);
    const slot = { name: 'Tea', description: '', start: 540, end: 600, colour: [1, 2, 3], status: 'Done' };
    const createText = (change: object, version = 'pegboard timetable 1') =>
      JSON.stringify({ version, slots: [{ ...slot, ...change }] });
    for (const foreign of [
      ...HOSTILE_TEXTS,
      createText({ start: 600, end: 540 }),
      createText({ end: 1e9 }),
      createText({ colour: [1, 2, 999] }),
      createText({ colour: ['1;background:url(http://elsewhere.invalid)', 0, 0] }),
      createText({ status: 'constructor' }),
      createText({ name: MARKER }),
      createText({ name: 'a'.repeat(201) }),
      createText({}, 'pegboard timetable 2'),
      createText({ id: 1, updatedid: 1 }),
      '{"version":"pegboard timetable 1","__proto__":{"slots":[]}}',
      `{"version":"pegboard timetable 1","slots":${'['.repeat(100_000)}`,
    ])
      await pasteText(page, foreign);
    await page.getByText('The clipboard has no slot or day. Copy one first').first().waitFor();
    await pasteText(page, createText({}));
    await getDayColumn(page, 'Thursday').and(page.locator('section')).waitFor();
    await getSlot(page, 'Tea, 09:00 to 10:00, Not Started').waitFor();
    expect(await listPlan(person, THURSDAY)).toEqual(['09:00 to 10:00 Tea, Not Started']);
  });
});

describe.skipIf(site.skipReason)(`a timetable under hostile use (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a slot with the name that marks deleted ones is refused, not deleted', async () => {
    const person = await site.createPerson();
    await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    const alerts = collectAlerts(page);
    await getSlot(page, /^Run,/).click();
    await getField(page, 'Description').fill('typed with care');
    await getField(page, 'Name').fill(MARKER);
    await getButton(page, 'Save').click();
    await expect.poll(() => alerts).toEqual([expect.stringMatching(/^Error: A slot can't be called byebyeSLOT/)]);
    expect(await listPlan(person, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
    await expect.poll(() => getField(page, 'Description').inputValue()).toBe('typed with care');
    await getButton(page, 'Cancel').click();
    await getButton(page, 'Add slot on Friday').click();
    await waitForFocus(getField(page, 'Name'));
    await page.keyboard.type(MARKER);
    await getButton(page, 'Save').click();
    await expect.poll(() => alerts.length).toBe(2);
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe(MARKER);
  });

  test('by keyboard in a narrow window, every slot opens with the focus in its name', async () => {
    const person = await site.createPerson();
    const hours = [9, 11, 13];
    for (const hour of hours)
      await planSlot(person, THURSDAY, { name: `At ${hour}`, start: `${hour}:00`, end: `${hour}:50` });
    const page = await openTimetable(site, person, { size: 'phone' });
    for (const hour of hours) {
      await getSlot(page, new RegExp(`^At ${hour},`)).focus();
      await page.keyboard.press('Enter');
      await waitForFocus(getField(page, 'Name'));
      await page.keyboard.press('Escape');
      await expect.poll(() => getField(page, 'Name').count()).toBe(0);
    }
  });

  test('two tabs: typing continues while the slot moves to another day, and saves it there', async () => {
    const person = await site.createPerson();
    const id = await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    await getSlot(page, /^Run,/).click();
    await getField(page, 'Description').click();
    await waitForFocus(getField(page, 'Description'));
    await page.keyboard.type('half a ');
    await person.call(moveslot, { id, date: '2026-11-20', start: '11:00', end: '12:00' });
    await getDayColumn(page, 'Friday').getByRole('button', { name: 'Run, 11:00 to 12:00, Not Started' }).waitFor();
    await waitForFocus(getField(page, 'Description'));
    await page.keyboard.type('sentence');
    await expect.poll(() => getField(page, 'Description').inputValue()).toBe('half a sentence');
    await getButton(page, 'Save').click();
    await expect.poll(() => getField(page, 'Name').count()).toBe(0);
    expect([await listPlan(person, THURSDAY), await listPlan(person, '2026-11-20')]).toEqual([
      [],
      ['11:00 to 12:00 Run, Not Started'],
    ]);
  });

  test('two tabs: a slot that moves to another week while it is edited is not created twice', async () => {
    const person = await site.createPerson();
    const id = await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    await getSlot(page, /^Run,/).click();
    await getField(page, 'Name').fill('Long run');
    await person.call(moveslot, { id, date: '2026-11-26', start: '11:00', end: '12:00' });
    await getSlot(page, /^Run,/).waitFor({ state: 'detached' });
    await expect.poll(() => getField(page, 'Name').inputValue()).toBe('Long run');
    await page.getByText('Thursday 26/11').waitFor();
    await getButton(page, 'Save').click();
    await expect.poll(() => getField(page, 'Name').count()).toBe(0);
    expect(await listPlan(person, '2026-11-26')).toEqual(['11:00 to 12:00 Long run, Not Started']);
    expect(await listPlan(person, THURSDAY)).toEqual([]);
  });

  test('two tabs: undo after another tab deleted the slot is refused with a message', async () => {
    const person = await site.createPerson();
    const id = await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    const alerts = collectAlerts(page);
    await getSlot(page, /^Run,/).focus();
    await page.keyboard.press('ArrowDown');
    await getSlot(page, 'Run, 09:05 to 10:05, Not Started').waitFor();
    await expect.poll(() => listPlan(person, THURSDAY)).toEqual(['09:05 to 10:05 Run, Not Started']);
    await person.call(savespecific, { date: THURSDAY, data: { [id]: { name: MARKER } } });
    await getSlots(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await expect.poll(() => alerts).toEqual([expect.stringMatching(/^Error: There is no such slot/)]);
    await expect.poll(() => getSlots(page).count()).toBe(0);
  });
});
