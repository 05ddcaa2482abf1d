import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { padTwo } from '#platform/contract/text.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForDialogFocus, waitForFocus, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { formatIcsEvent, formatIcsFile, startFeedServer, type TestFeed } from '#testing/kits/planning/feedServer.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { calendarsubscriptions, refreshsubscription, subscribecalendar } from '../../contract/exchange.ts';

const site = startTestSite({ egressAllow: ['127.0.0.1'] });

/** Formats a day relative to today in iCalendar notation. */
function formatIcsDay(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return `${date.getFullYear()}${padTwo(date.getMonth() + 1)}${padTwo(date.getDate())}`;
}

async function serveFeed(text: string): Promise<TestFeed> {
  const feed = await startFeedServer(text);
  onTestFinished(() => feed[Symbol.asyncDispose]());
  return feed;
}

/** Opens the section of the dialog through the menu. */
async function openSubscriptions(account: TestAccount, options: OpenPageOptions = {}) {
  const page = await reusePage(site, account, '/calendar', options);
  const isSmall = options.size === 'phone';
  await page.getByRole('button', { name: isSmall ? 'Show dates' : 'More', exact: true }).click();
  const item = { name: 'Phones and other calendars' };
  await (isSmall ? page.getByRole('button', item) : page.getByRole('menuitem', item)).click();
  const part = page.getByRole('region', { name: 'Subscribed calendars' });
  await part.getByLabel('Calendar address').waitFor();
  await waitForDialogFocus(page.getByRole('dialog', item));
  return { page, part };
}

const createClubCalendar = (...more: readonly string[]) =>
  formatIcsFile([formatIcsEvent('match', 'Match', formatIcsDay(1)), ...more], 'Club');

async function hold(page: Page, scheme: string): Promise<void> {
  await waitForIdle(page);
  expect(await findBarriers(page), scheme).toEqual([]);
}

describe.skipIf(site.skipReason)(
  `subscribed calendars${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    test('a calendar is subscribed to by its address, and its events appear on the page', async () => {
      const feed = await serveFeed(createClubCalendar());
      const { page, part } = await openSubscriptions(await site.createPerson());
      await part.getByLabel('Calendar address').fill(feed.address.replace('http:', 'webcal:'));
      await page.keyboard.press('Enter');
      const row = part.getByRole('listitem');
      await row.getByText('Club', { exact: true }).waitFor();
      await row.getByText('1 event · Updated just now').waitFor();
      await expect.poll(() => part.getByLabel('Calendar address').inputValue()).toBe('');
      await page.keyboard.press('Escape');
      await page.getByText('Match').first().waitFor();
    });

    test('an address without a calendar is refused with the reason, and the typed text stays', async () => {
      const feed = await serveFeed('');
      feed.setHandler((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'));
      const { page, part } = await openSubscriptions(await site.createPerson());
      const field = part.getByLabel('Calendar address');
      await field.fill(feed.address);
      await part.getByRole('button', { name: 'Subscribe' }).click();
      await part.getByText('That address is a web page, not a calendar').waitFor();
      await expect.poll(() => field.inputValue()).toBe(feed.address);
      await hold(page, 'light');
      await field.fill('http://192.168.1.1/calendar.ics');
      await page.keyboard.press('Enter');
      await part.getByText("That address is in the server's own network").waitFor();
    });

    test('it can be renamed, coloured and removed, also by keyboard', async () => {
      const feed = await serveFeed(createClubCalendar());
      const ann = await site.createPerson();
      await ann.call(subscribecalendar, { address: feed.address });
      const { page, part } = await openSubscriptions(ann);
      await part.getByRole('button', { name: 'Rename Club' }).press('Enter');
      const naming = part.getByLabel('New name for Club');
      await waitForFocus(naming);
      await page.keyboard.type('Other');
      await page.keyboard.press('Escape');
      await part.getByText('Club', { exact: true }).waitFor();
      await waitForFocus(part.getByRole('button', { name: 'Rename Club' }));
      await page.keyboard.press('Enter');
      await waitForFocus(naming);
      await page.keyboard.type('Our club');
      await page.keyboard.press('Enter');
      await part.getByText('Our club', { exact: true }).waitFor();

      const colour = part.getByLabel('Colour of Our club');
      for (const chosen of ['#c2413b', '#0e8a8a']) {
        await colour.fill(chosen);
        await expect
          .poll(async () => (await ann.call(calendarsubscriptions, {})).subscriptions)
          .toMatchObject([{ name: 'Our club', colour: chosen.toUpperCase() }]);
        await expect.poll(() => colour.getAttribute('value')).toBe(chosen);
      }

      const remove = part.getByRole('button', { name: 'Remove Our club' });
      await remove.press('Enter');
      await page.keyboard.press('Tab');
      await remove.waitFor(); // No longer asks for confirmation.
      // The button asks for only 4 s, which a busy machine may miss.
      await expect
        .poll(async () => {
          if ((await part.getByRole('listitem').count()) === 0) return 'removed';
          if ((await remove.count()) === 1) await remove.press('Enter', { timeout: 2000 }).catch(() => undefined);
          await page.keyboard.press('Enter');
          const going = part.getByRole('listitem').waitFor({ state: 'detached', timeout: 2000 });
          return going.then(
            () => 'removed',
            () => 'not yet',
          );
        })
        .toBe('removed');
      await page.keyboard.press('Escape');
      await waitForIdle(page);
      await expect.poll(() => page.getByText('Match').count()).toBe(0);
    });

    test.for(['light', 'dark'] as const)('an unreadable calendar says why and can be retried, %s', async (scheme) => {
      const feed = await serveFeed(createClubCalendar());
      const ann = await site.createPerson();
      await ann.call(subscribecalendar, { address: feed.address });
      await ann.call(subscribecalendar, {
        address: `${feed.address}?2`,
        name: 'A calendar with a name as long as one may be',
        colour: '#0e8a8a',
      });
      feed.setHandler((_request, response) => response.writeHead(503).end());
      const { subscriptions } = await ann.call(calendarsubscriptions, {});
      await ann.call(refreshsubscription, { id: subscriptions[0]?.id ?? 0 });
      const { page, part } = await openSubscriptions(ann, { scheme, size: scheme === 'dark' ? 'phone' : 'wide' });
      await part.getByText('That server responded with an error (503)').waitFor();
      // Checks the controls of this section only, not half-visible ones of another.
      await part.evaluate((element) => element.scrollIntoView({ block: 'start' }));
      await hold(page, scheme);
      feed.setContent(createClubCalendar(formatIcsEvent('party', 'Party', formatIcsDay(2))));
      await part.getByRole('button', { name: 'Try again to update Club' }).click();
      await part.getByText('2 events · Updated just now').waitFor();
      await expect.poll(() => part.getByText('That server responded').count()).toBe(0);
      if (scheme === 'dark') {
        await page.setViewportSize({ width: 320, height: 700 });
        await waitForIdle(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      }
    });

    test('typed text stays when the calendars are loaded again', async () => {
      const feed = await serveFeed(createClubCalendar());
      const ann = await site.createPerson();
      const { page, part } = await openSubscriptions(ann);
      const field = part.getByLabel('Calendar address');
      await field.fill('https://half.an.addr');
      await ann.call(subscribecalendar, { address: feed.address });
      await part.getByText('Club', { exact: true }).waitFor();
      await expect.poll(() => field.inputValue()).toBe('https://half.an.addr');
      await part.getByRole('button', { name: 'Rename Club' }).click();
      await waitForFocus(part.getByLabel('New name for Club'));
      await page.keyboard.type('Half a na');
      await ann.call(subscribecalendar, { address: `${feed.address}?2`, name: 'Second' });
      await part.getByText('Second', { exact: true }).waitFor();
      await expect.poll(() => part.getByLabel('New name for Club').inputValue()).toBe('Half a na');
    });
  },
);
