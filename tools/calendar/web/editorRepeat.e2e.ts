import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { nowOnMonday } from '#testing/kits/browser/monday.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getButton, createEditorKit, getNameField } from '#testing/kits/planning/editor.ts';

const site = startTestSite({ rateLimits: false, now: nowOnMonday });
const { createPerson, make, read, open, openNew } = createEditorKit(site);
const selectOption = (page: Page, group: string, name: string): Promise<void> =>
  page.getByRole('group', { name: group }).getByRole('button', { name, exact: true }).click();
const getSelectedOption = (page: Page, group: string): Promise<string> =>
  page.getByRole('group', { name: group }).locator('[aria-pressed=true]').innerText();
const getSlider = (page: Page, name: string) => page.getByRole('slider', { name });
const getEventId = (page: Page): number => Number(new URL(page.url()).searchParams.get('event'));
async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s');
  await getButton(page, 'Saved').waitFor();
}

describe.skipIf(site.skipReason)(`repeat and duration in the editor (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a new event can repeat, with the defaults of the specification, and each mode resets its bounds', async () => {
    const account = await createPerson();
    const page = await openNew(account);
    await getNameField(page).fill('Water the plants');
    const toggle = page.getByRole('switch', { name: 'Repeat' });
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false');
    await selectOption(page, 'Type', 'Repeat');
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('true');
    const every = getSlider(page, 'Repeat every');
    expect([await every.getAttribute('min'), await every.getAttribute('max'), await every.inputValue()]).toEqual([
      '1',
      '10',
      '1',
    ]);
    expect(await getSelectedOption(page, 'Repeat unit')).toBe('week');
    expect(await getSelectedOption(page, 'Repeat from')).toBe('today');
    expect(await getSelectedOption(page, 'Repeat until')).toBe('forever');
    await every.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByText('Next on Monday, 23-11-2026, then 14-12-2026, 04-01-2027, 25-01-2027 and so on').waitFor();
    await selectOption(page, 'Repeat until', 'times');
    const times = getSlider(page, 'Further times');
    expect([await times.getAttribute('min'), await times.getAttribute('max'), await times.inputValue()]).toEqual([
      '0',
      '20',
      '0',
    ]);
    await page.getByText('Last date: Monday, 23-11-2026').waitFor();
    await times.fill('2');
    await selectOption(page, 'Repeat until', 'date');
    await expect.poll(() => page.getByRole('textbox', { name: 'Repeat until date' }).inputValue()).toBe('23-11-2026');
    await selectOption(page, 'Repeat until', 'times');
    await expect.poll(() => times.inputValue()).toBe('0');
    await times.fill('2');
    await selectOption(page, 'Repeat from', 'date');
    await expect.poll(() => page.getByRole('textbox', { name: 'Repeat from date' }).inputValue()).toBe('23-11-2026');
    await selectOption(page, 'Repeat from', 'forever');
    await save(page);
    await page.waitForURL(/type=repeat/);
    expect(await read(account, getEventId(page))).toMatchObject({
      style: 'repeat',
      repeateveryamount: 3,
      repeatevery: 'week',
      repeatfromtype: 'forever',
      repeatuntilltype: 'relative',
      repeatuntill: 2,
    });
    // After the first save the type is fixed.
    await expect.poll(() => toggle.isDisabled()).toBe(true);
    await page.getByText("Can't be changed after the event is created").waitFor();
    await expect.poll(() => page.getByRole('group', { name: 'Type' }).count()).toBe(0);
    await page.getByRole('list', { name: 'Tags' }).getByText('Repeat', { exact: true }).waitFor();
  });

  test('days and months are behind More, and a value beyond the slider is shown as text', async () => {
    const account = await createPerson();
    const event = await make(account, { style: 'repeat', repeateveryamount: 26, repeatevery: 'day' });
    const page = await open(account, event);
    const every = getSlider(page, 'Repeat every');
    expect([await every.inputValue(), await every.getAttribute('aria-valuetext')]).toEqual(['10', 'every 26 days']);
    expect(await getSelectedOption(page, 'Repeat unit')).toBe('day');
    await getNameField(page).fill('Renamed');
    await save(page);
    expect(await read(account, event.id)).toMatchObject({ repeateveryamount: 26, repeatevery: 'day' });
    const other = await openNew(account);
    await other.getByRole('switch', { name: 'Repeat' }).click();
    expect(await other.getByRole('group', { name: 'Repeat unit' }).getByRole('button').allInnerTexts()).toEqual([
      'week',
      'year',
    ]);
    await getButton(other, 'More units').click();
    await selectOption(other, 'Repeat unit', 'month');
    await other.getByText('every month', { exact: true }).waitFor();
  });

  test('a duration shows its last day, in every unit, from 0 to 15', async () => {
    const account = await createPerson();
    const page = await openNew(account);
    await getNameField(page).fill('Winter training');
    await selectOption(page, 'Type', 'Duration');
    const lasts = getSlider(page, 'Duration');
    expect([await lasts.getAttribute('min'), await lasts.getAttribute('max'), await lasts.inputValue()]).toEqual([
      '0',
      '15',
      '1',
    ]);
    expect(await getSelectedOption(page, 'Duration unit')).toBe('weeks');
    await page.getByText('until Sunday, 29-11-2026').waitFor();
    for (const [unit, until] of [
      ['hours', 'until Monday, 23-11-2026'],
      ['days', 'until Wednesday, 25-11-2026'],
      ['months', 'until Monday, 22-02-2027'],
      ['years', 'until Thursday, 22-11-2029'],
    ] as const) {
      await selectOption(page, 'Duration unit', unit);
      await lasts.fill('3');
      await page.getByText(until).waitFor();
    }
    await save(page);
    expect(await read(account, getEventId(page))).toMatchObject({
      style: 'duration',
      duration: 3,
      durationtype: 'years',
      until: '22-11-2029',
    });
  });

  test('one day or all of a repeat are deleted, and both can be undone', async () => {
    const account = await createPerson();
    const event = await make(account, { style: 'repeat', repeatfromtype: 'forever' });
    const page = await open(account, { ...event, date: '07-12-2026' });
    await expect.poll(() => page.getByRole('textbox', { name: 'Date', exact: true }).inputValue()).toBe('07-12-2026');
    await getButton(page, 'Delete Quarterly review').click();
    await getButton(page, 'Only 07-12-2026').click();
    await page.getByText('Deleted', { exact: true }).waitFor();
    expect((await read(account, event.id)).exceptions).toEqual(['07-12-2026']);
    await getButton(page, 'Undo').click();
    await expect.poll(async () => (await read(account, event.id)).exceptions).toEqual([]);
    const again = await open(account, event);
    await getButton(again, 'Delete Quarterly review').click();
    await getButton(again, 'All days').click();
    await expect.poll(() => read(account, event.id).catch(() => 'gone')).toBe('gone');
    await again.getByText('Deleted', { exact: true }).waitFor();
    await getButton(again, 'Undo').click();
    await expect.poll(() => read(account, event.id).catch(() => 'gone')).toMatchObject({ name: 'Quarterly review' });
  });

  test('one day of a repeat can be moved alone, with other edits', async () => {
    const account = await createPerson();
    const event = await make(account, { style: 'repeat', repeatfromtype: 'forever' });
    const page = await open(account, { ...event, date: '30-11-2026' });
    await page.getByRole('textbox', { name: 'Date', exact: true }).fill('02-12-2026');
    await getNameField(page).fill('Review, late');
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog', { name: 'Move only this day, or all days?' }).waitFor();
    await getButton(page, 'Only 30-11-2026').click();
    await getButton(page, 'Saved').waitFor();
    expect(await read(account, event.id)).toMatchObject({
      name: 'Quarterly review',
      exceptions: ['30-11-2026'],
      date: '23-11-2026',
    });
    await page.waitForURL((url) => url.searchParams.get('event') !== String(event.id));
    expect(await read(account, getEventId(page))).toMatchObject({
      name: 'Review, late',
      date: '02-12-2026',
      style: 'calendar',
    });
  });

  test('a repeat moves with its bounds and exceptions', async () => {
    const account = await createPerson();
    const bounds = {
      repeatfromtype: 'absoloute',
      repeatfrom: '23-11-2026',
      repeatuntilltype: 'absoloute',
      repeatuntill: '21-12-2026',
    };
    const event = await make(account, { style: 'repeat', ...bounds, exceptions: ['07-12-2026'] });
    const page = await open(account, { ...event, date: '30-11-2026' });
    await page.getByRole('textbox', { name: 'Date', exact: true }).fill('01-12-2026');
    await page.keyboard.press('Control+s');
    await getButton(page, 'All days').click();
    await getButton(page, 'Saved').waitFor();
    expect(await read(account, event.id)).toMatchObject({
      date: '24-11-2026',
      repeatfrom: '24-11-2026',
      repeatuntill: '22-12-2026',
      exceptions: ['08-12-2026'],
    });
    await page.waitForURL(/date=2026-12-01/);
  });
});
