import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { waitForFocus, waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { createFakeChatPlatform } from '#testing/kits/chat/chatPlatform.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import type { Status } from '../domain/status.ts';
import { createChatStatusTool } from '../server/index.ts';
import { GRACE_PERIOD_MS } from '../server/recorder.ts';

const ANN = '100000000000000001';
const BEN = '100000000000000002';
const CAT = '100000000000000003';
const ZONE = 'Europe/Berlin';
const NOW = Temporal.Instant.from('2026-11-21T13:12:00Z');
const clock = { now: NOW };

const fake = createFakeChatPlatform();
const timers = createManualTimers();
const chatStatus = createChatStatusTool(() => [fake], timers);
const tools = serverTools.map((tool) => (tool.name === chatStatus.name ? chatStatus : tool));
const site = startTestSite({ tools, rateLimits: false, now: () => clock.now });

/** Activity of a person on a day, by hour of the clock in Berlin. */
const HABITS: readonly (readonly [hour: number, both: Status, mobile: Status])[] = [
  [7.25, 'online', 'online'],
  [7.8, 'dnd', 'offline'],
  [8.9, 'idle', 'offline'],
  [10.5, 'dnd', 'offline'],
  [12.2, 'idle', 'idle'],
  [12.7, 'offline', 'offline'],
  [13.8, 'online', 'online'],
  [14.9, 'online', 'offline'],
  [17.1, 'idle', 'offline'],
  [19.2, 'offline', 'offline'],
  [20.4, 'online', 'online'],
  [22.6, 'idle', 'idle'],
  [23.4, 'offline', 'offline'],
];

/** Advances the clock with heartbeats of the platform. */
function advanceTo(moment: Temporal.Instant): void {
  while (Temporal.Instant.compare(clock.now, moment) < 0) {
    const next = clock.now.add({ minutes: 2 });
    clock.now = Temporal.Instant.compare(next, moment) < 0 ? next : moment;
    fake.sendHeartbeat();
  }
}
const toBerlinInstant = (text: string): Temporal.Instant => Temporal.ZonedDateTime.from(`${text}[${ZONE}]`).toInstant();
const requestCode = async (person: string): Promise<string> =>
  /`([\w-]{19})`/.exec(await fake.sendCommand(person, 'start'))?.[1] ?? '';

let code = '';
/** Code of a person who was recorded while the clocks went back. */
let autumnCode = '';
/** Code of a person who stopped the recording this morning. */
let stoppedCode = '';
beforeAll(async () => {
  if (site.skipReason !== undefined) return;
  clock.now = toBerlinInstant('2026-10-24T06:00');
  autumnCode = await requestCode(BEN);
  advanceTo(toBerlinInstant('2026-10-26T06:00'));
  await fake.sendCommand(BEN, 'stop');
  const first = Temporal.PlainDate.from('2026-11-08');
  clock.now = toBerlinInstant('2026-11-08T06:00');
  code = await requestCode(ANN);
  for (let day = 0; day < 14; day += 1)
    for (const [hour, both, mobile] of HABITS) {
      const start = first.add({ days: day }).toZonedDateTime(ZONE);
      const moment = start.add({ minutes: Math.round((hour + Math.sin(day * 3 + hour) * 0.2) * 60) }).toInstant();
      if (Temporal.Instant.compare(moment, NOW) > 0) break;
      advanceTo(moment);
      if (day === 5 && hour === 12.2) {
        fake.disconnect();
        timers.advance(GRACE_PERIOD_MS);
      }
      if (day === 5 && hour === 17.1) fake.reconnect();
      fake.setPresence(ANN, { both, pc: mobile === 'offline' ? both : 'offline', mobile });
    }
  stoppedCode = await requestCode(CAT);
  advanceTo(NOW.subtract({ minutes: 10 }));
  await fake.sendCommand(CAT, 'stop');
  advanceTo(NOW);
  await fake.sendCommand(ANN, 'start'); // serialized after the others
});

async function openPage(options: OpenPageOptions = {}, fragment = ''): Promise<Page> {
  const page = await reusePage(site, undefined, `/sleepstatus${fragment}`, {
    timeZone: ZONE,
    now: NOW.epochMilliseconds,
    ...options,
  });
  await page.getByRole('heading', { name: 'Chat status', level: 1 }).waitFor();
  return page;
}
const getField = (page: Page) => page.getByRole('textbox', { name: 'Code' });
const getBars = (page: Page) => page.getByRole('slider');
const getBar = (page: Page, name: string) => page.getByRole('slider', { name, exact: true });
const getHeading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 2 });
async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env['PICTURES'] === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await waitForIdle(page);
    await page.screenshot({ path: `${process.env['PICTURES']}/${name}-${colorScheme}.png` });
  }
}

describe.skipIf(site.skipReason)(`the page of the chat status (${site.skipReason ?? 'in Chromium'})`, () => {
  test('by keyboard alone, a code shows the days, and arrows move a cursor that reads time and status', async () => {
    const page = await openPage();
    await getHeading(page, 'Enter code').waitFor();
    await takePicture(page, 'sleepstatus-empty');
    await page.keyboard.press('/');
    await waitForFocus(getField(page));
    await page.keyboard.type(code.toLowerCase());
    await page.keyboard.press('Enter');
    await getBar(page, 'Saturday 21 Nov').waitFor();
    expect(await getBars(page).count()).toBe(14);
    expect(await getBars(page).first().getAttribute('aria-label')).toBe('Saturday 21 Nov');
    await page
      .getByText(/^slept [78] h( \d+ min)?$/)
      .first()
      .waitFor();
    expect(await page.getByText('today').count()).toBe(1);

    const friday = getBar(page, 'Friday 20 Nov');
    await friday.focus();
    await expect.poll(() => friday.getAttribute('aria-valuetext')).toMatch(/^12:00, dnd, \d\d:\d\d to 12:\d\d$/);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => friday.getAttribute('aria-valuetext')).toMatch(/^12:10/);
    await page.keyboard.press('PageDown');
    await expect.poll(() => friday.getAttribute('aria-valuetext')).toBe('12:30, offline, 12:30 to 13:43');
    await page.keyboard.press('ArrowDown');
    const thursday = getBar(page, 'Thursday 19 Nov');
    await waitForFocus(thursday);
    await page.keyboard.press('End');
    await expect.poll(() => thursday.getAttribute('aria-valuetext')).toMatch(/^23:59, offline, \d\d:\d\d to 24:00$/);
    await takePicture(page, 'sleepstatus-wide');
    expect(await findBarriersInBoth(page)).toEqual([]);

    // The mark of now is drawn only while the recording goes on.
    const now = page.locator('[data-now]');
    expect(await now.count()).toBe(1);
    await getField(page).fill(stoppedCode);
    await page.keyboard.press('Enter');
    await expect.poll(() => getBars(page).count()).toBe(1);
    expect(await now.count()).toBe(0);

    // A day of 25 hours has its own hour marks.
    await getField(page).fill(autumnCode);
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ has: getBar(page, 'Sunday 25 Oct') });
    await row.getByText('25 hours').waitFor();
    async function findPlace(hour: string) {
      const box = await row.getByText(hour, { exact: true }).boundingBox();
      const of = await getBar(page, 'Sunday 25 Oct').boundingBox();
      return box && of ? Math.round(((box.x + box.width / 2 - of.x) / of.width) * 25 * 10) / 10 : undefined;
    }
    expect([await findPlace('06'), await findPlace('12'), await findPlace('18')]).toEqual([7, 13, 19]);
    expect(await page.getByText('18', { exact: true }).count()).toBe(2);
    await takePicture(page, 'sleepstatus-autumn');
    await page.setViewportSize({ width: 390, height: 844 });
    await takePicture(page, 'sleepstatus-autumn-phone');
    expect(await findBarriersInBoth(page)).toEqual([]);
  });

  test('the bot’s link opens the days and disappears from the address; the button cycles the views', async () => {
    const page = await openPage({}, `#${code}`);
    const friday = getBar(page, 'Friday 13 Nov');
    await friday.waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    expect(await getField(page).inputValue()).toBe(code);
    const getSummary = () => friday.getAttribute('aria-valuetext');
    const both = await getSummary();
    expect(both).toMatch(/online .*, idle .*, dnd .*, offline .*, unknown /);
    for (const [next, differs] of [
      ['pc', true],
      ['mobile', true],
      ['both', false],
    ] as const) {
      await page.getByRole('button', { name: /^Show / }).click();
      await page.getByRole('button', { name: `Show ${next}`, exact: true }).waitFor();
      await expect.poll(async () => (await getSummary()) !== both).toBe(differs);
    }
    await page.goto('/sleepstatus#0000-0000-0000-0000');
    await getHeading(page, /^There is no such code/).waitFor();
    await page.goto(`/sleepstatus#${code}`);
    await friday.hover();
    await friday.getByText(/^(\d\d:\d\d)$/).waitFor();
    await takePicture(page, 'sleepstatus-hover');

    // A refusal is a heading in place of the days; a lost connection is a note above them.
    await getField(page).fill('not a code');
    await page.keyboard.press('Enter');
    await getHeading(page, /^There is no such code/).waitFor();
    expect(await getBars(page).count()).toBe(0);
    await getField(page).fill(code);
    await page.keyboard.press('Enter');
    await getBar(page, 'Saturday 21 Nov').waitFor();
    fake.disconnect();
    await page.reload();
    await page.getByText('The line is down').waitFor();
    fake.reconnect();
  });

  test('on a phone fewer hour marks are shown, and the code is stored only on request', async () => {
    const page = await openPage({ size: 'phone' });
    await getField(page).fill(code);
    await page.getByRole('button', { name: 'Submit' }).click();
    await getBar(page, 'Saturday 21 Nov').waitFor();
    const readMarks = () => page.locator('[data-steps]:visible').allTextContents();
    expect(await readMarks()).toEqual(['00', '06', '12', '18', '24']);
    await takePicture(page, 'sleepstatus-phone');
    await page.getByRole('switch', { name: 'Remember code' }).click();
    await page.reload();
    await getBar(page, 'Saturday 21 Nov').waitFor();
    expect(await getField(page).inputValue()).toBe(code);
    await getBar(page, 'Friday 20 Nov').tap();
    await page.getByText(/^(\d\d:\d\d) to (\d\d:\d\d)$/).waitFor();
    expect(await findBarriersInBoth(page)).toEqual([]);
    await takePicture(page, 'sleepstatus-phone-tip');
    for (const [width, count] of [
      [320, 5],
      [399, 5],
      [400, 7],
      [599, 7],
      [600, 13],
      [799, 13],
      [800, 25],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await waitForIdle(page);
      expect(await readMarks()).toHaveLength(count);
      const isWider = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('main, [data-flush]')].some(
          (part) => part.scrollWidth > part.clientWidth,
        ),
      );
      expect([width, isWider]).toEqual([width, false]);
    }
    await page.getByRole('switch', { name: 'Remember code' }).click();
    await page.reload();
    await getHeading(page, 'Enter code').waitFor();
    expect(await getField(page).inputValue()).toBe('');
  });

  test('another person’s link shows their days, and the stored code stays until one is stored by hand', async () => {
    const readCode = () => page.evaluate(() => localStorage.getItem('pegboard.chatstatus.code'));
    const getSwitch = () => page.getByRole('switch', { name: 'Remember code' });
    const page = await openPage({ stored: { 'pegboard.chatstatus.code': code } }, `#${autumnCode}`);
    await getBar(page, 'Sunday 25 Oct').waitFor();
    expect(await getSwitch().isChecked()).toBe(false);
    await page.reload();
    await getBar(page, 'Saturday 21 Nov').waitFor();
    expect([await getField(page).inputValue(), await getSwitch().isChecked(), await readCode()]).toEqual([
      code,
      true,
      code,
    ]);

    await page.goto(`/sleepstatus#${autumnCode}`);
    await getBar(page, 'Sunday 25 Oct').waitFor();
    expect([await getField(page).inputValue(), await getSwitch().isChecked(), await readCode()]).toEqual([
      autumnCode,
      false,
      code,
    ]);
    await getField(page).fill(stoppedCode);
    await page.keyboard.press('Enter');
    await expect.poll(() => getBars(page).count()).toBe(1);
    expect(await readCode()).toBe(code);
    await getSwitch().click();
    await expect.poll(readCode).toBe(stoppedCode);
    await getField(page).fill(autumnCode);
    await page.keyboard.press('Enter');
    await expect.poll(readCode).toBe(autumnCode);
    await page.reload();
    await getBar(page, 'Sunday 25 Oct').waitFor();
  });

  test('a server without a bot says so, and explains the setup', async () => {
    await using server = await startServer();
    const page = await site.browser.openPage(server.origin, '/sleepstatus');
    await getHeading(page, 'Enter code').waitFor();
    await page
      .getByText(/^No chat platform is set up\. .* DISCORD_TOKEN, as described in docs\/chatstatus\.md$/)
      .waitFor();
    await takePicture(page, 'sleepstatus-none');
    // The server stops before a page that is still open, whose socket could then not reconnect.
    await page.context().close();
  });
});
