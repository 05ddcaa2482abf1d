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
let people = 0;
const newPerson = (): Promise<TestAccount> => site.server.createAccount(`person ${++people}`);
const slots = (page: Page): Locator => page.locator('[data-slot]');
const slotNamed = (page: Page, name: RegExp | string) => slots(page).and(page.getByRole('button', { name }));
const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

const THURSDAY = '2026-11-19';
const MARKER = 'byebyeSLOT';

/** Collects the messages of alerts, and closes each. */
const collectAlerts = (page: Page): readonly string[] => {
  const alerts: string[] = [];
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message());
    void dialog.accept();
  });
  return alerts;
};

/** Makes the page paste a text at the focus, as if by keyboard. */
const paste = (page: Page, text: string): Promise<void> =>
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
    account = await newPerson();
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
      await expect.poll(() => slots(page).count()).toBe(HOSTILE_TEXTS.length);
      await expectUntouched(page);
      for (const [at, text] of HOSTILE_TEXTS.entries()) {
        await slotNamed(page, new RegExp(`${toClock(at * 100)} to ${toClock(at * 100 + 150)}`)).focus();
        await page.keyboard.press('Enter');
        await expect.poll(() => field(page, 'Name').inputValue()).toBe(text);
        await expect.poll(() => field(page, 'Description').inputValue()).toBe(`${text}\n${text}`);
        await expectUntouched(page);
        await button(page, 'Cancel').click();
        await expect.poll(() => field(page, 'Name').count()).toBe(0);
      }
      if (look.size === 'wide') await button(page, 'Save timetable').click();
      else {
        await page.locator('[aria-label="More"]').click();
        await page.getByRole('menuitem', { name: 'Save timetable' }).click();
      }
      await field(page, 'Save Name').waitFor();
      for (const text of HOSTILE_TEXTS.slice(0, 2)) await page.getByText(text, { exact: true }).first().waitFor();
      await expectUntouched(page);
      expect(alerts).toEqual([]);
    },
  );

  test('change nothing when pasted', async () => {
    const person = await newPerson();
    const page = await openTimetable(site, person);
    const slot = { name: 'Tea', description: '', start: 540, end: 600, colour: [1, 2, 3], status: 'Done' };
    const text = (change: object, version = 'pegboard timetable 1') =>
      JSON.stringify({ version, slots: [{ ...slot, ...change }] });
    for (const foreign of [
      ...HOSTILE_TEXTS,
      text({ start: 600, end: 540 }),
      text({ end: 1e9 }),
      text({ colour: [1, 2, 999] }),
      text({ colour: ['1;background:url(http://elsewhere.invalid)', 0, 0] }),
      text({ status: 'constructor' }),
      text({ name: MARKER }),
      text({ name: 'a'.repeat(201) }),
      text({}, 'pegboard timetable 2'),
      text({ id: 1, updatedid: 1 }),
      '{"version":"pegboard timetable 1","__proto__":{"slots":[]}}',
      `{"version":"pegboard timetable 1","slots":${'['.repeat(100_000)}`,
    ])
      await paste(page, foreign);
    await page.getByText('The clipboard has no slot or day. Copy one first').first().waitFor();
    await paste(page, text({}));
    await getDayColumn(page, 'Thursday').and(page.locator('section')).waitFor();
    await slotNamed(page, 'Tea, 09:00 to 10:00, Not Started').waitFor();
    expect(await listPlan(person, THURSDAY)).toEqual(['09:00 to 10:00 Tea, Not Started']);
  });
});

describe.skipIf(site.skipReason)(`a timetable under hostile use (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a slot with the name that marks deleted ones is refused, not deleted', async () => {
    const person = await newPerson();
    await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    const alerts = collectAlerts(page);
    await slotNamed(page, /^Run,/).click();
    await field(page, 'Description').fill('typed with care');
    await field(page, 'Name').fill(MARKER);
    await button(page, 'Save').click();
    await expect.poll(() => alerts).toEqual([expect.stringMatching(/^Error: A slot can't be called byebyeSLOT/)]);
    expect(await listPlan(person, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
    await expect.poll(() => field(page, 'Description').inputValue()).toBe('typed with care');
    await button(page, 'Cancel').click();
    await button(page, 'Add slot on Friday').click();
    await waitForFocus(field(page, 'Name'));
    await page.keyboard.type(MARKER);
    await button(page, 'Save').click();
    await expect.poll(() => alerts.length).toBe(2);
    await expect.poll(() => field(page, 'Name').inputValue()).toBe(MARKER);
  });

  test('by keyboard in a narrow window, every slot opens with the focus in its name', async () => {
    const person = await newPerson();
    const hours = [9, 11, 13];
    for (const hour of hours)
      await planSlot(person, THURSDAY, { name: `At ${hour}`, start: `${hour}:00`, end: `${hour}:50` });
    const page = await openTimetable(site, person, { size: 'phone' });
    for (const hour of hours) {
      await slotNamed(page, new RegExp(`^At ${hour},`)).focus();
      await page.keyboard.press('Enter');
      await waitForFocus(field(page, 'Name'));
      await page.keyboard.press('Escape');
      await expect.poll(() => field(page, 'Name').count()).toBe(0);
    }
  });

  test('two tabs: typing continues while the slot moves to another day, and saves it there', async () => {
    const person = await newPerson();
    const id = await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    await slotNamed(page, /^Run,/).click();
    await field(page, 'Description').click();
    await waitForFocus(field(page, 'Description'));
    await page.keyboard.type('half a ');
    await person.call(moveslot, { id, date: '2026-11-20', start: '11:00', end: '12:00' });
    await getDayColumn(page, 'Friday').getByRole('button', { name: 'Run, 11:00 to 12:00, Not Started' }).waitFor();
    await waitForFocus(field(page, 'Description'));
    await page.keyboard.type('sentence');
    await expect.poll(() => field(page, 'Description').inputValue()).toBe('half a sentence');
    await button(page, 'Save').click();
    await expect.poll(() => field(page, 'Name').count()).toBe(0);
    expect([await listPlan(person, THURSDAY), await listPlan(person, '2026-11-20')]).toEqual([
      [],
      ['11:00 to 12:00 Run, Not Started'],
    ]);
  });

  test('two tabs: a slot that moves to another week while it is edited is not created twice', async () => {
    const person = await newPerson();
    const id = await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    await slotNamed(page, /^Run,/).click();
    await field(page, 'Name').fill('Long run');
    await person.call(moveslot, { id, date: '2026-11-26', start: '11:00', end: '12:00' });
    await slotNamed(page, /^Run,/).waitFor({ state: 'detached' });
    await expect.poll(() => field(page, 'Name').inputValue()).toBe('Long run');
    await page.getByText('Thursday 26/11').waitFor();
    await button(page, 'Save').click();
    await expect.poll(() => field(page, 'Name').count()).toBe(0);
    expect(await listPlan(person, '2026-11-26')).toEqual(['11:00 to 12:00 Long run, Not Started']);
    expect(await listPlan(person, THURSDAY)).toEqual([]);
  });

  test('two tabs: undo after another tab deleted the slot is refused with a message', async () => {
    const person = await newPerson();
    const id = await planSlot(person, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, person);
    const alerts = collectAlerts(page);
    await slotNamed(page, /^Run,/).focus();
    await page.keyboard.press('ArrowDown');
    await slotNamed(page, 'Run, 09:05 to 10:05, Not Started').waitFor();
    await expect.poll(() => listPlan(person, THURSDAY)).toEqual(['09:05 to 10:05 Run, Not Started']);
    await person.call(savespecific, { date: THURSDAY, data: { [id]: { name: MARKER } } });
    await slots(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await expect.poll(() => alerts).toEqual([expect.stringMatching(/^Error: There is no such slot/)]);
    await expect.poll(() => slots(page).count()).toBe(0);
  });
});
