import { beforeAll, describe, expect, test } from 'vitest';
import { makeapppassword } from '#tools/accounts/contract.ts';
import { deleteevent, getevents, newevent } from '#tools/calendar/contract/events.ts';
import { importevents } from '#tools/calendar/contract/exchange.ts';
import { navigate, waitForIdle, type OpenPageOptions } from '../kits/browser/browser.ts';
import { avoidMidnight } from '../kits/browser/midnight.ts';
import { startTestSite } from '../kits/browser/site.ts';
import type { TestAccount } from '../kits/server/server.ts';
import { goToPage, HOSTILE_TEXTS, expectUntouched, createGuardedOpen } from './hostile.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight();
const open = createGuardedOpen(site);
const PLAIN = 'Plain event';

/** Makes a valid tag of a text: without commas, at most 60 characters. */
const getTag = (text: string): string => Array.from(text.replaceAll(',', '')).slice(0, 60).join('').trim();

/** A foreign calendar whose texts are escaped for iCalendar, and hostile after that. */
const foreignCalendar = (day: string): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//elsewhere//EN',
    `X-WR-CALNAME:${HOSTILE_TEXTS[1] ?? ''}`,
    ...HOSTILE_TEXTS.flatMap((text, index) => {
      const escaped = text
        .replaceAll('\\', '\\\\')
        .replaceAll(';', '\\;')
        .replaceAll(',', '\\,')
        .replaceAll('\u001b', '');
      return [
        'BEGIN:VEVENT',
        `UID:hostile-${index}"><script>window.hacked=1</script>`,
        'DTSTAMP:20261121T000000Z',
        `DTSTART;VALUE=DATE:${day}`,
        `SUMMARY:${escaped}`,
        `DESCRIPTION:${escaped}`,
        `URL:javascript:window.hacked=1`,
        `X-ALT-DESC;FMTTYPE=text/html:${escaped}`,
        'END:VEVENT',
      ];
    }),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

describe.skipIf(site.skipReason)(
  `hostile texts of the calendar${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    let owner: TestAccount;
    const ids: number[] = [];

    beforeAll(async () => {
      owner = await site.server.createAccount('owner');
      const { today } = await owner.call(getevents, { tz: 'UTC' });
      for (const [index, text] of HOSTILE_TEXTS.entries()) {
        const event = {
          id: 0,
          name: text,
          description: text,
          date: today,
          participants: [getTag(text)],
          pinned: getTag(text),
          style: (['calendar', 'repeat', 'duration'] as const)[index % 3] ?? 'calendar',
        };
        const { data } = await owner.call(newevent, { data: event });
        ids.push(data.id);
        const gone = await owner.call(newevent, { data: { ...event, participants: [], pinned: false } });
        await owner.call(deleteevent, { id: gone.data.id });
        await owner.call(makeapppassword, { name: getTag(text) });
      }
      await owner.call(importevents, { text: foreignCalendar(today.replaceAll('-', '')) });
      await owner.call(newevent, { data: { id: 0, name: PLAIN, date: today } });
    });

    // One page visits all views, as loading it for each would take longer than the checks.
    test.for<OpenPageOptions>([{ size: 'wide' }, { size: 'phone', scheme: 'dark' }])(
      'in every view, in the editor and among the app passwords, in a $size window',
      { timeout: 240_000 },
      async (options) => {
        const page = await open(owner, '/calendar', options);
        for (const view of ['event', 'month', 'week', 'search']) {
          await navigate(page, `/calendar?view=${view}`);
          await waitForIdle(page);
          await page
            .getByText(HOSTILE_TEXTS.at(-1) ?? '')
            .first()
            .waitFor({ state: 'attached' });
          await expectUntouched(page);
        }

        for (const [index, id] of ids.entries()) {
          await navigate(page, `/calendar?event=${id}`);
          await expect
            .poll(() => page.getByRole('textbox', { name: 'Event name' }).inputValue())
            .toBe(HOSTILE_TEXTS[index]);
          await page.getByRole('button', { name: 'Show full history' }).click();
          await expectUntouched(page);
        }

        await goToPage(page, '/dashboard/settings?tab=account', 'Settings');
        await page
          .getByText(getTag(HOSTILE_TEXTS[0] ?? ''))
          .first()
          .waitFor();
        await expectUntouched(page);
      },
    );

    test('in the bin', async () => {
      const page = await open(owner, '/calendar', { size: 'wide' });
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByText('Bin', { exact: true }).click();
      await page
        .getByRole('dialog')
        .getByText(HOSTILE_TEXTS[0] ?? '')
        .waitFor();
      await expectUntouched(page);
    });
  },
);
