import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { formatIsoDay } from '#testing/kits/planning/calendar.ts';
import { openConnectDialog, openConnectDialogOn } from '#testing/kits/planning/connectDialog.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight();

const createIcs = (...events: readonly (readonly string[])[]): string =>
  [
    'BEGIN:VCALENDAR',
    'X-WR-CALNAME:Family',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
  ].join('\r\n');
const formatStart = (fromToday: number): string => `DTSTART;VALUE=DATE:${formatIsoDay(fromToday).replaceAll('-', '')}`;
const FAMILY = createIcs(
  ['UID:a', 'SUMMARY:Swimming', formatStart(2), 'RRULE:FREQ=MONTHLY;BYDAY=1MO,3MO;COUNT=20', 'CATEGORIES:sport'],
  ['UID:b', 'SUMMARY:<b>Zürich</b> & back', formatStart(3), 'DURATION:P5D'],
  ['UID:c', 'SUMMARY:Concert', `DTSTART:${formatIsoDay(4).replaceAll('-', '')}T190000`],
  ['UID:d', 'SUMMARY:Never', 'DTSTART;VALUE=DATE:20250229'],
);

const selectFile = async (dialog: Locator, text: string | Buffer, name = 'family.ics'): Promise<void> =>
  dialog
    .getByLabel('Calendar file')
    .setInputFiles({ name, mimeType: 'text/calendar', buffer: typeof text === 'string' ? Buffer.from(text) : text });

describe.skipIf(site.skipReason)(`importing a file (${site.skipReason ?? 'in Chromium'})`, () => {
  test('previews the events, imports them, and links to them', async () => {
    const { page, dialog } = await openConnectDialog(site, await site.createPerson());
    await selectFile(dialog, FAMILY);
    await dialog.getByText('3 events are new', { exact: true }).waitFor();
    const rows = dialog.getByRole('region', { name: 'Events of the file' }).getByRole('row');
    await rows.filter({ hasText: '<b>Zürich</b> & back' }).filter({ hasText: '5 days' }).waitFor();
    await rows.filter({ hasText: 'every month on the first Monday and the third Monday, 20 times' }).waitFor();
    await dialog.getByText('It has no valid date').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('3 events imported, 1 could not be imported').waitFor();
    const link = dialog.getByRole('link', { name: /^Show / });
    await link.click();
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('event')).not.toBeNull();
    await page.getByText('Concert').first().waitFor();
  });

  test('is in the menu of the header on a phone too, beside the bin', async () => {
    const page = await reusePage(site, await site.createPerson(), '/calendar', { size: 'phone' });
    const openMenu = () => page.getByRole('button', { name: 'Calendar menu' }).tap();
    await openMenu();
    await page.getByRole('menuitem', { name: 'Import a file' }).tap();
    const title = page.getByRole('dialog').getByRole('heading', { name: 'Import a file' });
    await expect.poll(() => title.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    await openMenu();
    await page.getByRole('menuitem', { name: 'Bin' }).tap();
    await page.getByRole('dialog', { name: 'Bin' }).waitFor();
  });

  test('recognizes the same file again, and what has changed in it', async () => {
    const { dialog } = await openConnectDialog(site, await site.createPerson());
    await selectFile(dialog, FAMILY);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('button', { name: 'Import another file' }).click();
    await selectFile(dialog, FAMILY.replace('Concert', 'Opera'));
    await dialog.getByText('1 event is changed, 2 are already in your calendar').waitFor();
    await dialog.getByRole('row', { name: /Opera\s*changed/ }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await selectFile(dialog, FAMILY);
    await dialog.getByText('3 events are already in your calendar').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
  });

  test('explains in a sentence what is wrong with a file, and continues with another', async () => {
    const { dialog } = await openConnectDialog(site, await site.createPerson());
    await selectFile(dialog, 'hello', 'letter.txt');
    await dialog.getByRole('alert').getByText('This is not a calendar file').waitFor();
    await selectFile(dialog, 'x'.repeat(9 * 1024 * 1024), 'huge.ics');
    await dialog.getByRole('alert').getByText('huge.ics is larger than 8 MB').waitFor();
    // Encoded as old programs did: ü is one byte.
    await selectFile(dialog, Buffer.from(createIcs(['UID:x', 'SUMMARY:Büro', formatStart(1)]), 'latin1'));
    await dialog.getByRole('row', { name: /Büro/ }).waitFor();
    await expect.poll(() => dialog.getByRole('alert').count()).toBe(0);
  });

  test('accepts a dropped file', async () => {
    const { page, dialog } = await openConnectDialog(site, await site.createPerson());
    const transfer = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'family.ics', { type: 'text/calendar' }));
      return data;
    }, FAMILY);
    const place = dialog.getByText('Choose an .ics file or drop it here');
    await place.dispatchEvent('dragover', { dataTransfer: transfer });
    await place.dispatchEvent('drop', { dataTransfer: transfer });
    await dialog.getByText('3 events are new', { exact: true }).waitFor();
  });

  test('works with the keyboard alone', async () => {
    const page = await reusePage(site, await site.createPerson(), '/calendar');
    // Registered before the dialog opens: a browser that doesn't know yet that the test handles the chooser cancels it.
    const chooser = page.waitForEvent('filechooser');
    const dialog = await openConnectDialogOn(page);
    await dialog.getByLabel('Calendar file').focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'family.ics', mimeType: 'text/calendar', buffer: Buffer.from(FAMILY) });
    await dialog.getByRole('button', { name: 'Import', exact: true }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('3 events imported, 1 could not be imported').waitFor();
  });

  for (const options of [
    { size: 'wide', scheme: 'light' },
    { size: 'wide', scheme: 'dark' },
    { size: 'phone', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ] as const)
    test(`a preview has no barriers (${options.size}, ${options.scheme})`, { tags: 'matrix' }, async () => {
      const { page, dialog } = await openConnectDialog(site, await site.createPerson(), options);
      await selectFile(dialog, FAMILY);
      const button = dialog.getByRole('button', { name: 'Import', exact: true });
      await button.scrollIntoViewIfNeeded();
      expect(await findBarriers(page)).toEqual([]);
      expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    });
});
