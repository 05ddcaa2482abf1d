import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startTestSite } from '#testing/kits/browser/site.ts';

const site = startTestSite();

/** A tone that the page played, in seconds of the AudioContext's clock. */
interface Tone {
  readonly from: number;
  to: number;
  /** Stopped before its end. */
  stopped: boolean;
}

/** Opens the timer and records every tone that it plays. */
const open = (before: (page: Page) => Promise<unknown> = recordTones): Promise<Page> =>
  site.browser.openPage(site.server.origin, '/stopwatch', { before });

async function recordTones(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const tones: Tone[] = [];
    const known = new WeakMap<AudioScheduledSourceNode, Tone>();
    Object.assign(window, { tones });
    // oxlint-disable-next-line typescript/unbound-method -- they are called on the node that they were taken from
    const { start, stop } = AudioScheduledSourceNode.prototype;
    AudioScheduledSourceNode.prototype.start = function begin(from = 0) {
      const tone = { from, to: Infinity, stopped: false };
      tones.push(tone);
      known.set(this, tone);
      start.call(this, from);
    };
    AudioScheduledSourceNode.prototype.stop = function end(to) {
      const tone = known.get(this);
      if (tone && to !== undefined) tone.to = to;
      else if (tone) tone.stopped = true;
      stop.call(this, to);
    };
  });
}

const getTones = (page: Page): Promise<readonly Tone[]> =>
  page.evaluate(() => (window as unknown as { tones: Tone[] }).tones);
const getButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
async function fillField(page: Page, field: string, text: string): Promise<void> {
  await page.getByLabel(field).fill(text);
  await page.keyboard.press('Enter');
}
/**
 * Opens the timer with a clock that only the test advances, because alarms that are late on a slow machine are skipped.
 */
async function openWithManualClock(): Promise<Page> {
  const page = await open(async (blank) => {
    await recordTones(blank);
    await blank.clock.install({ time: new Date('2026-11-22T09:00:00Z') });
  });
  await getButton(page, 'Start').waitFor();
  await page.clock.pauseAt(new Date('2026-11-22T10:00:00Z'));
  return page;
}
const BLOCKED = 'Click or press a key to turn on sound';
const WHOLE_ALARM = 24;

describe.skipIf(site.skipReason)(`the timer's alarm (${site.skipReason ?? 'in Chromium'})`, () => {
  test("'Test audio' plays it for 3,850 ms, and t does", async () => {
    const page = await open();
    await getButton(page, 'Test audio').click();
    await expect.poll(async () => (await getTones(page)).length).toBe(WHOLE_ALARM);
    const tones = await getTones(page);
    const from = Math.min(...tones.map((tone) => tone.from));
    expect(Math.max(...tones.map(({ to }) => to)) - from).toBeCloseTo(3.85, 6);
    await page.keyboard.press('t');
    await expect.poll(async () => (await getTones(page)).length).toBe(2 * WHOLE_ALARM);
    // The second test stops the first one.
    expect((await getTones(page)).slice(0, WHOLE_ALARM).every(({ stopped }) => stopped)).toBe(true);
  });

  test("plays at the end of a round, scheduled ahead on the AudioContext's clock", async () => {
    const page = await openWithManualClock();
    await fillField(page, 'change time left', '2');
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(1000);
    await expect.poll(async () => (await getTones(page)).length).toBe(WHOLE_ALARM);
    await page.clock.runFor(1500);
    await page.getByText('second round').waitFor();
    expect((await getTones(page)).every(({ stopped }) => !stopped)).toBe(true);
    // So does the last round of a timer that stops, to its end.
    await getButton(page, 'Stop').click();
    await fillField(page, 'change time left', '2');
    await page.clock.runFor(1000);
    await expect.poll(async () => (await getTones(page)).length).toBe(2 * WHOLE_ALARM);
    await page.clock.runFor(1500);
    await getButton(page, 'Start').waitFor();
    await page.clock.runFor(1000);
    expect((await getTones(page)).slice(WHOLE_ALARM).every(({ stopped }) => !stopped)).toBe(true);
  });

  test('does not play if the timer is paused just before, and stops with Reset', async () => {
    const page = await openWithManualClock();
    await fillField(page, 'change time left', '3');
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    await page.clock.runFor(2000);
    await expect.poll(async () => (await getTones(page)).length).toBe(WHOLE_ALARM);
    await getButton(page, 'Pause').click();
    await expect.poll(async () => (await getTones(page)).every(({ stopped }) => stopped)).toBe(true);
    await getButton(page, 'Start').click();
    await expect.poll(async () => (await getTones(page)).length).toBe(2 * WHOLE_ALARM);
    await getButton(page, 'Reset').click();
    await expect.poll(async () => (await getTones(page)).every(({ stopped }) => stopped)).toBe(true);
  });

  test('explains that the browser blocks sound, until the first click', async () => {
    const page = await open();
    await getButton(page, 'Start').click();
    await getButton(page, 'Pause').waitFor();
    // A new tab without any click.
    const fresh = await page.context().newPage();
    // Playwright counts as a user, so the browser would allow sound. This AudioContext waits for a click.
    await fresh.addInitScript(() => {
      let state = 'suspended';
      window.addEventListener('click', () => (state = 'running'), { capture: true });
      Object.defineProperty(AudioContext.prototype, 'state', { get: () => state });
    });
    await fresh.goto('/stopwatch');
    await fresh.getByText(BLOCKED).waitFor();
    await fresh.getByRole('timer').click();
    await fresh.getByText(BLOCKED).waitFor({ state: 'detached' });
  });

  test('plays in one of two tabs', async () => {
    const page = await open();
    const other = await page.context().newPage();
    await recordTones(other);
    await other.goto('/stopwatch');
    await other.getByRole('timer').click();
    await fillField(page, 'change time left', '4');
    await getButton(page, 'Start').click();
    for (const each of [page, other]) await each.getByText('second round').waitFor();
    // A machine that is late may play only the rest of it.
    async function countSilentTabs() {
      const tones = await Promise.all([page, other].map(getTones));
      return tones.filter(({ length }) => length === 0).length;
    }
    await expect.poll(countSilentTabs).toBe(1);
  });

  test('notifies the user if they want it and the page has no focus', async () => {
    const page = await open((blank) =>
      blank.addInitScript(() => {
        const notifications: string[] = [];
        Object.assign(window, {
          notifications,
          Notification: class extends EventTarget {
            static permission = 'granted';
            static requestPermission: () => Promise<string> = async () => 'granted';
            constructor(title: string, { body }: { readonly body: string }) {
              super();
              notifications.push(`${title} | ${body}`);
            }
          },
        });
        // Notifications go through the service worker if it is active.
        ServiceWorkerRegistration.prototype.showNotification = async (title, { body } = {}) => {
          notifications.push(`${title} | ${body}`);
        };
        document.hasFocus = () => false;
      }),
    );
    await getButton(page, 'Turn on notifications').click();
    await page.getByRole('button', { name: 'Notifications are on', pressed: true }).waitFor();
    await fillField(page, 'change time left', '1');
    await getButton(page, 'Start').click();
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { notifications: string[] }).notifications))
      .toEqual(['Timer: time is up | Time is up. The next round of 10 minutes has started']);
  });

  test('explains over plain HTTP what needs HTTPS', async () => {
    const page = await site.browser.openPage(site.server.origin, '/stopwatch', { plainHttp: true, size: 'phone' });
    await page.getByText('Notifications, the small window and keeping the screen on need https').waitFor();
    await getButton(page, 'Start').click();
    await expect.poll(() => page.getByRole('timer').innerText()).toMatch(/^09:[0-5]\d$/);
  });

  test('keeps the screen on while a timer runs', async () => {
    const page = await open((blank) =>
      blank.addInitScript(() => {
        const wakeLocks = { count: 0 };
        Object.assign(window, { wakeLocks });
        navigator.wakeLock.request = async () => {
          wakeLocks.count += 1;
          return Object.assign(new EventTarget(), {
            release: async () => {
              wakeLocks.count -= 1;
            },
          }) as unknown as WakeLockSentinel;
        };
      }),
    );
    const countWakeLocks = (): Promise<number> =>
      page.evaluate(() => (window as unknown as { wakeLocks: { count: number } }).wakeLocks.count);
    await getButton(page, 'Start').click();
    await expect.poll(countWakeLocks).toBe(1);
    await getButton(page, 'Pause').click();
    await expect.poll(countWakeLocks).toBe(0);
  });
});
