import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { navigate, waitForIdle } from '#testing/kits/browser/browser.ts';
import { nowOnMonday } from '#testing/kits/browser/monday.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import {
  getButton as button,
  getDescriptionField as description,
  createEditorKit,
  getNameField,
} from '#testing/kits/planning/editor.ts';
import { getevents } from '../contract/events.ts';

const site = startTestSite({ rateLimits: false, now: nowOnMonday });
const { createPerson, make, read, open, openNew } = createEditorKit(site);

const getEventId = (page: Page): number => Number(new URL(page.url()).searchParams.get('event'));
const getAlerts = (page: Page) => page.getByRole('alert');

const RICH = {
  style: 'repeat',
  participants: ['work', 'planning'],
  pinned: 'work',
  time: '10:00',
  endtime: '11:00',
};

describe.skipIf(site.skipReason)(`the event editor (${site.skipReason ?? 'in Chromium'})`, () => {
  test('changes from Save over Not saved and Saving to Saved, and selects the new event', async () => {
    const account = await createPerson();
    const page = await openNew(account);
    await button(page, 'Save').waitFor();
    await getNameField(page).fill('Dentist');
    await button(page, 'Not saved').waitFor();
    const answer = Promise.withResolvers<undefined>();
    await page.route('**/api/newevent', async (route) => {
      await answer.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+s');
    await button(page, 'Saving').waitFor();
    // Text that is typed meanwhile stays and is not saved.
    await getNameField(page).fill('Dentist, 09:40');
    answer.resolve(undefined);
    await page.waitForURL(/event=\d+/);
    await button(page, 'Not saved').click();
    await button(page, 'Saved').waitFor();
    expect(await read(account, getEventId(page))).toMatchObject({
      name: 'Dentist, 09:40',
      date: '23-11-2026',
      style: 'calendar',
    });
    expect(Object.keys((await account.call(getevents, {})).dates)).toContain('2026-11-23');
    await expect.poll(() => button(page, /^Delete /).count()).toBe(1);
  });

  test('says failed to save, with the sentence of the server, and keeps the edits', async () => {
    const page = await openNew(await createPerson());
    await description(page).fill('to be kept');
    await button(page, 'Not saved').click();
    await button(page, 'failed to save').waitFor();
    await getAlerts(page).getByText('Enter a name for the event').waitFor();
    await expect.poll(() => description(page).inputValue()).toBe('to be kept');
    await getNameField(page).fill('Now it has one');
    await button(page, 'Not saved').click();
    await button(page, 'Saved').waitFor();
  });

  test('if a part can no longer be loaded, as after an upgrade, it offers a reload and keeps the edits', async () => {
    const page = await openNew(await createPerson(), { expects: /404|dynamically imported module/ });
    await page.route('**/assets/DatePanel-*', (route) => route.fulfill({ status: 404 }));
    await getNameField(page).fill('to be kept');
    await button(page, 'Choose date').click();
    await getAlerts(page).getByRole('button', { name: 'Reload' }).waitFor();
    expect(await getAlerts(page).allInnerTexts()).toHaveLength(1);
    await expect.poll(() => getNameField(page).inputValue()).toBe('to be kept');
    await button(page, 'Not saved').click();
    await button(page, 'Saved').waitFor();
  });

  test('refuses a name with the invisible blank without a message: its field turns red', async () => {
    const account = await createPerson();
    const page = await openNew(account);
    await getNameField(page).fill('event\u2800 not entered');
    await button(page, 'Not saved').click();
    await expect.poll(() => getNameField(page).getAttribute('aria-invalid')).toBe('true');
    const background = await getNameField(page).evaluate((field) => getComputedStyle(field).backgroundColor);
    expect(background).toMatch(/0\.24\)$/);
    await expect.poll(() => getAlerts(page).count()).toBe(0);
    await button(page, 'Not saved').waitFor();
    expect(Object.keys((await account.call(getevents, {})).dates)).toEqual([]);
    await getNameField(page).fill('event');
    await expect.poll(() => getNameField(page).getAttribute('aria-invalid')).toBe('false');
  });

  test('shows select an event, and event  not entered with its two spaces', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, { id: 999_999, style: 'calendar' });
    const text = page.getByText('event not entered');
    await text.waitFor();
    expect(await text.evaluate((element) => (element as HTMLElement).innerText)).toBe('event  not entered');
    await navigate(page, '/calendar?view=event');
    await page.getByText('select an event').waitFor();
    await navigate(page, `/calendar?view=event&event=${event.id}&date=2026-11-23&type=calendar`);
    await expect.poll(() => getNameField(page).inputValue()).toBe('Quarterly review');
  });

  test('accepts a date in usual formats, reports an invalid one, and keeps it as typed', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    const date = page.getByRole('textbox', { name: 'Date' });
    await expect.poll(() => date.inputValue()).toBe('23-11-2026');
    await page.getByText('Monday,').waitFor();
    await date.fill('31-02-2027');
    await date.press('Tab');
    await page.getByText('Enter a date like 23-11-2026').waitFor();
    await page.keyboard.press('Control+s');
    await button(page, 'Not saved').waitFor();
    await expect.poll(() => date.inputValue()).toBe('31-02-2027');
    await date.fill('2/3/2027');
    await date.press('Enter');
    await expect.poll(() => date.inputValue()).toBe('02-03-2027');
    await button(page, 'Saved').or(button(page, 'Not saved')).waitFor();
    await date.press('ArrowUp');
    await page.keyboard.press('Control+s');
    await button(page, 'Saved').waitFor();
    expect((await read(account, event.id)).date).toBe('03-03-2027');
    await page.waitForURL(/date=2027-03-03/);
  });

  test('selects a date by keyboard in a month that starts on Monday', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    await button(page, 'Choose date').focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog', { name: 'Choose a day' });
    await panel.waitFor();
    expect(
      (await panel.getByRole('columnheader').allInnerTexts())[0] ?? (await panel.locator('th').first().innerText()),
    ).toMatch(/^Mo/);
    await expect.poll(() => panel.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await panel.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('textbox', { name: 'Date' }).inputValue()).toBe('17-11-2026');
    await button(page, 'Choose date').press('Enter');
    await panel.waitFor();
    await expect.poll(() => panel.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await button(page, 'Choose date').evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('has an optional time and end, and reports an end that is too early', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    await button(page, 'Add time').click();
    await page.getByLabel('Time', { exact: true }).fill('09:40');
    await page.getByLabel('End time').fill('09:40');
    await page.keyboard.press('Control+s');
    await page.getByText('The end must be after the start').waitFor();
    // An end before its start is on the next day.
    await page.getByLabel('End time').fill('02:10');
    await expect.poll(() => page.getByRole('textbox', { name: 'End date' }).inputValue()).toBe('24-11-2026');
    await page.keyboard.press('Control+s');
    await button(page, 'Saved').waitFor();
    expect(await read(account, event.id)).toMatchObject({ time: '09:40', endtime: '02:10', enddate: '24-11-2026' });
    await page.getByLabel('End time').fill('10:10');
    await page.keyboard.press('Control+s');
    await button(page, 'Saved').waitFor();
    expect(await read(account, event.id)).toMatchObject({ time: '09:40', endtime: '10:10' });
    await button(page, 'Remove time').click();
    await page.keyboard.press('Control+s');
    await button(page, 'Saved').waitFor();
    expect(await read(account, event.id)).toMatchObject({ time: '', endtime: '' });
  });

  test.for(['wide', 'phone'] as const)(
    'Escape saves the description in both sizes and leaves the full screen (%s)',
    async (size) => {
      const account = await createPerson();
      const event = await make(account, {});
      const page = await open(account, event, { size });
      await description(page).fill('one');
      await page.keyboard.press('Escape');
      await button(page, 'Saved').waitFor();
      expect((await read(account, event.id)).description).toBe('one');
      await button(page, 'Full screen').click();
      const full = page.getByRole('dialog', { name: 'Description' });
      const { width = 0, height = 0 } = (await full.boundingBox()) ?? {};
      expect([width, height]).toEqual([page.viewportSize()?.width, page.viewportSize()?.height]);
      await description(page).fill('two');
      await page.keyboard.press('Escape');
      await full.waitFor({ state: 'detached' });
      await button(page, 'Saved').waitFor();
      await expect.poll(async () => (await read(account, event.id)).description).toBe('two');
      await button(page, 'Full screen').click();
      await description(page).fill('three');
      await button(page, 'Exit full screen').click();
      await full.waitFor({ state: 'detached' });
      expect((await read(account, event.id)).description).toBe('two');
    },
  );

  test('undoes the last save, by its button or Mod+Z', async () => {
    const account = await createPerson();
    const event = await make(account, { description: 'before' });
    const page = await open(account, event);
    await description(page).fill('after');
    await page.keyboard.press('Escape');
    await button(page, 'Saved').waitFor();
    await button(page, 'Undo: Saved').click();
    await expect.poll(() => description(page).inputValue()).toBe('before');
    await description(page).fill('after again');
    await page.keyboard.press('Escape');
    await button(page, 'Saved').waitFor();
    await button(page, 'Saved').focus();
    await page.keyboard.press('Control+z');
    await expect.poll(() => description(page).inputValue()).toBe('before');
    expect((await read(account, event.id)).description).toBe('before');
  });

  test('immediately shows what another page saved, and keeps the edits here', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    await expect.poll(() => getNameField(page).inputValue()).toBe('Quarterly review');
    const saved = await make(account, { id: event.id, name: 'Renamed elsewhere' });
    await expect.poll(() => getNameField(page).inputValue()).toBe('Renamed elsewhere');
    await description(page).fill('typed here');
    await make(account, { id: event.id, name: 'Renamed again', revision: saved.revision });
    await page.getByText('This event was changed elsewhere after you opened it').waitFor();
    await expect.poll(() => description(page).inputValue()).toBe('typed here');
    await expect.poll(() => getNameField(page).inputValue()).toBe('Renamed elsewhere');
  });

  test.for(['wide', 'phone'] as const)('has no barriers: %s, in both schemes', { tags: 'matrix' }, async (size) => {
    const account = await createPerson();
    const event = await make(account, RICH);
    const page = await open(account, event, { size });
    // The event is pinned, so the page opens with its reminder.
    await button(page, 'Dismiss').click();
    await button(page, 'Show full history').click();
    await button(page, 'Add new tag').click();
    await button(page, 'Colour of work').click();
    await waitForIdle(page);
    expect(await findBarriersInBoth(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button(page, 'Remove time').click();
    await button(page, 'Choose date').click();
    await page.getByRole('dialog', { name: 'Choose a day' }).getByRole('button').first().waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button(page, 'Full screen').click();
    expect(await findBarriersInBoth(page)).toEqual([]);
  });

  test('does not scroll sideways at 320 px, and Save stays visible at the top', async () => {
    const account = await createPerson();
    const event = await make(account, RICH);
    const page = await open(account, event, { size: 'phone' });
    await page.setViewportSize({ width: 320, height: 640 });
    const save = page.getByRole('button', { name: /^(Save|Saved|Not saved)$/ });
    const remove = button(page, /^Delete /);
    await remove.scrollIntoViewIfNeeded();
    await waitForIdle(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    const { x = -1, y = -1, width = 0 } = (await save.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(52);
    expect(y).toBeLessThan(120);
    expect(x + width).toBeLessThanOrEqual(320);
    await save.click({ trial: true });
  });
});
