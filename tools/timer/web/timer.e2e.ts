import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForFocus, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';

const site = startTestSite();
const MORNING = new Date('2026-11-22T09:00:00Z');

const open = (options?: OpenPageOptions): Promise<Page> =>
  site.browser.openPage(site.server.origin, '/stopwatch', options);

/** Opens the timer with a clock that the test advances. Its worker keeps ticking independently. */
async function openWithManualClock(options?: OpenPageOptions): Promise<Page> {
  const page = await open({ ...options, before: (blank) => blank.clock.install({ time: MORNING }) });
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  await page.clock.pauseAt(new Date(MORNING.getTime() + 3_600_000));
  return page;
}

const getDigits = (page: Page) => page.getByRole('timer');

const COMING_BACK_MS = 10_000;
/** Opens the page again with a stopped clock, and advances it by up to ten seconds until the page is rendered. */
async function reopen(page: Page, arrive: () => Promise<unknown>): Promise<void> {
  await arrive();
  let spent = 0;
  for (; !(await getDigits(page).isVisible()) && spent < COMING_BACK_MS; spent += 50) await page.clock.runFor(50);
  await page.clock.runFor(COMING_BACK_MS - spent);
}
async function expectDigits(page: Page, text: string): Promise<void> {
  await expect.poll(() => getDigits(page).innerText()).toBe(text);
}
async function expectAnnouncement(page: Page, text: string): Promise<void> {
  await page.getByRole('status').getByText(text, { exact: true }).waitFor({ state: 'attached' });
}
const getButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
async function fillField(page: Page, field: string, text: string): Promise<void> {
  await page.getByLabel(field).fill(text);
  await page.keyboard.press('Enter');
}
const isInverted = (page: Page): Promise<boolean> =>
  page.evaluate(() => getComputedStyle(document.documentElement).filter === 'invert(1)');

describe.skipIf(site.skipReason)(`the timer (${site.skipReason ?? 'in Chromium'})`, () => {
  test('opens with a loop of ten minutes, paused, and applies new lengths with Enter or on blur', async () => {
    const page = await open();
    await expectDigits(page, '10:00');
    await getButton(page, 'Start').waitFor();
    await expect.poll(() => page.getByLabel('change loop time').inputValue()).toBe('600');
    await expect.poll(() => page.title()).toBe('10:00');
    await page.getByRole('progressbar', { name: 'Time left' }).and(page.locator('[aria-valuenow="100"]')).waitFor();
    await fillField(page, 'change loop time', '1500');
    await expectDigits(page, '25:00');
    await page.getByLabel('change time left').fill(' 61 ');
    await page.keyboard.press('Tab');
    await expectDigits(page, '01:01');
    await expect.poll(() => page.getByLabel('change time left').inputValue()).toBe('61');
    await page.getByLabel('change loop time').fill('1 h 5');
    await page.getByText('= 65:00', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('change loop time').inputValue()).toBe('3900');
    // Used lengths are among the presets, also after a reload.
    await getButton(page, 'Set to 25 min').click();
    await expectDigits(page, '25:00');
    await page.reload();
    const used = getButton(page, 'Set to 1 h 5 min');
    await used.click();
    await expectDigits(page, '65:00');
    await expect.poll(() => used.getAttribute('aria-pressed')).toBe('true');
    // Stored timers that are invalid are replaced by a new one.
    await page.evaluate(() => localStorage.setItem('pegboard.timer', '{"form":1,"timers":[{}]}'));
    await page.reload();
    await expectDigits(page, '10:00');
  });

  test('stops at the end if that is selected, with a full round ready', async () => {
    const page = await openWithManualClock();
    await getButton(page, 'Stop').click();
    await getButton(page, 'Set to 1 min').click();
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(60_500);
    await expectAnnouncement(page, 'Time is up');
    await getButton(page, 'Start').waitFor();
    await expectDigits(page, '01:00');
    await expect.poll(() => page.title()).toBe('Time is up · 01:00');
    await expect.poll(() => isInverted(page)).toBe(true);
    await page.clock.runFor(5_000);
    await expect.poll(() => isInverted(page)).toBe(false);
    await expectDigits(page, '01:00');
    await reopen(page, () => page.reload());
    await expect.poll(() => getButton(page, 'Stop').getAttribute('aria-pressed')).toBe('true');
    await expectDigits(page, '01:00');
  });

  test('counts down by the clock, the bar shrinks, and the title shows the time left', async () => {
    const page = await openWithManualClock();
    await getButton(page, 'Start').click();
    await expectAnnouncement(page, 'Started, 10 minutes left');
    await page.clock.runFor(138_000);
    await expectDigits(page, '07:42');
    await expect.poll(() => page.title()).toBe('07:42');
    await expect.poll(() => page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('77');
    await page.getByText('loop 10:00, first round').waitFor();
    await getButton(page, 'Pause').click();
    await expectAnnouncement(page, 'Paused, 7 minutes 42 seconds left');
    await page.clock.runFor(60_000);
    await expectDigits(page, '07:42');
    // The time is exact after an hour in which the page hardly ran.
    await getButton(page, 'Reset').click();
    await fillField(page, 'change loop time', '4000');
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.fastForward(3_600_000);
    await expectDigits(page, '06:40');
  });

  test('starts the next round automatically: announced once, marked in the title, inverted while the alarm plays', async () => {
    const page = await openWithManualClock();
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(600_500);
    await expectAnnouncement(page, 'Time is up. The next round of 10 minutes has started');
    await page.getByText('loop 10:00, second round').waitFor();
    await expect.poll(() => page.title()).toBe('Time is up · 10:00');
    await expect.poll(() => isInverted(page)).toBe(true);
    await page.clock.runFor(3_850);
    await expect.poll(() => isInverted(page)).toBe(false);
    await expect.poll(() => page.title()).toBe('Time is up · 09:56');
    await page.keyboard.press('Shift');
    await expect.poll(() => page.title()).toBe('09:56');
    // Reset starts a full first round that keeps running.
    await page.clock.runFor(95_650);
    await expectDigits(page, '08:20');
    await getButton(page, 'Reset').click();
    await expectDigits(page, '10:00');
    await page.getByText('loop 10:00, first round').waitFor();
    await page.clock.runFor(5_000);
    await expectDigits(page, '09:55');
  });

  test('an invalid length changes nothing, and the field shows an error', async () => {
    const page = await open();
    const problems = {
      ten: 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min',
      '-5': "The time can't be negative. Enter 1 second or more",
      '': 'Enter a time such as 600, 10:00 or 10 min',
      '0': 'Enter 1 second or more',
    };
    for (const [typed, problem] of Object.entries(problems))
      for (const name of ['change loop time', 'change time left']) {
        const field = page.getByLabel(name);
        await fillField(page, name, typed);
        await page.getByRole('alert').getByText(problem, { exact: true }).waitFor();
        await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
        await expectDigits(page, '10:00');
        // Invalid input stays until it is corrected or discarded.
        await expect.poll(() => field.inputValue()).toBe(typed);
        await page.keyboard.press('Escape');
        await expect.poll(() => field.inputValue()).toBe('600');
        await page.getByRole('alert').waitFor({ state: 'detached' });
      }
    // Keys that are typed into a field have no other effect.
    await page.getByLabel('change loop time').focus();
    await waitForFocus(page.getByLabel('change loop time'));
    await page.keyboard.press('End');
    await page.keyboard.type(' r');
    await expect.poll(() => page.getByLabel('change loop time').inputValue()).toBe('600 r');
    await getButton(page, 'Start').waitFor();
  });

  test('keeps the draft of a field while it runs, and a field that is only focused changes nothing', async () => {
    const page = await openWithManualClock();
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.getByLabel('change time left').focus();
    await page.clock.runFor(30_400);
    await page.keyboard.press('Tab');
    await page.clock.runFor(30_000);
    await expectDigits(page, '09:00');
    await page.getByLabel('change time left').fill('12');
    await page.clock.runFor(30_000);
    await expectDigits(page, '08:30');
    await expect.poll(() => page.getByLabel('change time left').inputValue()).toBe('12');
    await page.keyboard.press('Enter');
    await expectDigits(page, '00:12');
  });

  test('continues after a reload, and stays paused after one', async () => {
    const page = await openWithManualClock();
    await fillField(page, 'change loop time', '100');
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(30_000);
    await reopen(page, () => page.reload());
    await expectDigits(page, '01:00');
    await getButton(page, 'Pause').click();
    await getButton(page, 'Start').waitFor();
    await reopen(page, () => page.reload());
    await getButton(page, 'Start').waitFor();
    await expectDigits(page, '01:00');
  });

  test('reports the ends that happened while its page was closed', async () => {
    const page = await openWithManualClock();
    await fillField(page, 'change loop time', '100');
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(30_000);
    await page.goto('about:blank');
    await page.clock.runFor(250_000);
    await reopen(page, () => page.goto('/stopwatch'));
    await expectDigits(page, '00:10');
    await expectAnnouncement(page, 'Time was up 2 times. The next round of 1 minute 40 seconds has started');
  });

  test('works if the browser stores nothing', async () => {
    const page = await open({
      before: (blank) =>
        blank.addInitScript(() =>
          Object.defineProperty(window, 'localStorage', {
            get: () => {
              throw new DOMException('denied', 'SecurityError');
            },
          }),
        ),
    });
    await fillField(page, 'change loop time', '90');
    await expectDigits(page, '01:30');
  });

  test('has the keys space, r and f; a focused button keeps its own', async () => {
    const page = await openWithManualClock();
    await page.keyboard.press(' ');
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(10_000);
    await expectDigits(page, '09:50');
    await page.keyboard.press(' ');
    await getButton(page, 'Start').waitFor();
    await page.keyboard.press('r');
    await expectDigits(page, '10:00');
    await getButton(page, 'Reset').focus();
    await waitForFocus(getButton(page, 'Reset'));
    await page.keyboard.press(' ');
    await getButton(page, 'Start').waitFor();
    await page.keyboard.press('f');
    await expect.poll(() => page.evaluate(() => document.fullscreenElement !== null)).toBe(true);
    await page.getByRole('navigation', { name: 'Tools' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('f');
    await page.getByRole('navigation', { name: 'Tools' }).waitFor();
  });

  test('has several named timers that run concurrently', async () => {
    const page = await openWithManualClock();
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await getButton(page, 'Add timer').click();
    await expectDigits(page, '10:00');
    await page.getByRole('button', { name: 'Menu for Timer 2' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'New name for Timer 2' }).fill('Tea');
    await page.keyboard.press('Enter');
    await fillField(page, 'change loop time', '180');
    await getButton(page, 'Start').click();
    await expectAnnouncement(page, 'Tea: Started, 3 minutes left');
    await page.clock.runFor(60_000);
    await expectDigits(page, '02:00');
    await expect.poll(() => page.title()).toBe('02:00 · Tea');
    await page.getByRole('group', { name: 'Timers' }).getByRole('button', { name: /Timer/ }).click();
    await expectDigits(page, '09:00');
    await page.clock.runFor(121_000);
    await expectAnnouncement(page, 'Tea: Time is up. The next round of 3 minutes has started');
    await reopen(page, () => page.reload());
    await page.getByRole('button', { name: /Tea/ }).click();
    await expectDigits(page, '02:49');
    await page.getByRole('button', { name: 'Menu for Tea' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expectDigits(page, '06:49');
    await getButton(page, 'Undo').click();
    await expectDigits(page, '02:49');
  });

  test('the selected timer of many is scrolled into view', async () => {
    const page = await open({ size: 'phone' });
    const strip = page.getByRole('group', { name: 'Timers' });
    async function isInView(name: string): Promise<boolean> {
      const its = await strip.getByRole('button', { name, exact: true }).boundingBox();
      const whole = await strip.boundingBox();
      return its !== null && whole !== null && its.x >= whole.x && its.x + its.width <= whole.x + whole.width;
    }
    for (let count = 2; count <= 10; count += 1) await getButton(page, 'Add timer').click();
    await expect.poll(() => isInView('Timer 10')).toBe(true);
    await page.reload();
    await expect.poll(() => isInView('Timer 10')).toBe(true);
    // Not a click of Playwright, which would scroll the chip into view.
    await strip.getByRole('button', { name: 'Timer', exact: true }).evaluate((chip: HTMLElement) => chip.click());
    await expect.poll(() => isInView('Timer')).toBe(true);
  });

  test('has a stopwatch with laps, which keeps running over a reload', async () => {
    const page = await openWithManualClock();
    await getButton(page, 'Stopwatch').click();
    await expectDigits(page, '00:00.0');
    await getButton(page, 'Start').click();
    await expectAnnouncement(page, 'Stopwatch started');
    await page.clock.runFor(61_240);
    await expectDigits(page, '01:01.2');
    await getButton(page, 'Lap').click();
    await page.clock.runFor(10_000);
    await page.keyboard.press('l');
    await expect
      .poll(() => page.getByRole('row').allInnerTexts())
      .toEqual(['Lap\tLap time\tTotal time', '2\t00:10.00\t01:11.24', '1\t01:01.24\t01:01.24']);
    await expect.poll(() => page.title()).toBe('01:11 · Stopwatch');
    await reopen(page, () => page.reload());
    await expectDigits(page, '01:21.2');
    await getButton(page, 'Pause').click();
    await expectAnnouncement(page, 'Stopwatch paused at 1 minute 21 seconds');
    await getButton(page, 'Reset').click();
    await expectDigits(page, '00:00.0');
    await page.getByRole('table').waitFor({ state: 'detached' });
  });

  test('is the same in two tabs', async () => {
    const page = await open();
    const other = await page.context().newPage();
    await other.goto('/stopwatch');
    await expectDigits(other, '10:00');
    await fillField(page, 'change loop time', '300');
    await expectDigits(other, '05:00');
    await getButton(other, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await getButton(page, 'Pause').click();
    await getButton(other, 'Start').waitFor();
  });

  test('keeps running, and reports the end, on other pages of the site', async () => {
    const page = await openWithManualClock();
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.getByRole('navigation', { name: 'Tools' }).getByRole('link').first().click();
    await getDigits(page).waitFor({ state: 'detached' });
    await page.clock.runFor(601_000);
    await page.getByText('Time is up. The next round of 10 minutes has started').waitFor();
  });

  test('shows only the digits, the bar and one button in a low window', async () => {
    const page = await open();
    await page.setViewportSize({ width: 400, height: 240 });
    await page.getByRole('navigation', { name: 'Tools' }).waitFor({ state: 'hidden' });
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByRole('button').allInnerTexts()).toEqual(['Start']);
    await getDigits(page).waitFor();
    await page.getByRole('progressbar').waitFor();
    const isFullyVisible = await page.evaluate(
      () => document.documentElement.scrollHeight <= 240 && document.documentElement.scrollWidth <= 400,
    );
    expect(isFullyVisible).toBe(true);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('navigation', { name: 'Tools' }).waitFor();
    // A hundred hours fit on the smallest phone.
    await page.setViewportSize({ width: 320, height: 640 });
    await fillField(page, 'change time left', '100 h');
    await expectDigits(page, '6000:00');
    await expect
      .poll(() => getDigits(page).evaluate((element) => element.getBoundingClientRect().right <= window.innerWidth))
      .toBe(true);
  });

  test('continues to work offline', async () => {
    const page = await openWithManualClock({ expects: /ERR_INTERNET_DISCONNECTED|ERR_FAILED/ });
    await expect.poll(() => page.workers().length).toBe(1);
    // Resolves once the worker's file was loaded.
    await page.workers()[0]?.evaluate(() => 'running');
    await page.context().setOffline(true);
    await fillField(page, 'change loop time', '5');
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(7_000);
    await expectDigits(page, '00:03');
    await page.getByText('loop 00:05, second round').waitFor();
  });

  test.for<OpenPageOptions>([
    { size: 'wide', scheme: 'light' },
    { size: 'phone', scheme: 'dark' },
  ])('has no barrier with timers, a wrong field and laps: $size $scheme', { tags: 'matrix' }, async (options) => {
    const page = await open(options);
    await getButton(page, 'Add timer').click();
    await getButton(page, 'Start').click();
    await fillField(page, 'change loop time', 'x');
    await page.getByRole('alert').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await getButton(page, 'Stopwatch').click();
    await getButton(page, 'Start').click();
    await getButton(page, 'Lap').click();
    await page.getByRole('table').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});
