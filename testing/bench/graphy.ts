import type { Browser, Page } from 'playwright-core';
import { createClient } from '#platform/contract/client.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { reportusage } from '#tools/screentime/contract.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { pairComputer, signUpOwner, type BenchOwner } from './account.ts';
import { percentile, runPegboard, type Bench } from './measure.ts';
import { createBareTimeline, type BareLane } from './peers/bareTimeline.ts';
import { waitForElement, formatTasks, slowDown, traceTasks } from './tasks.ts';

const DAYS = 14;
const APPS = 40;
/** Slowdown to the processor of a phone. */
const SLOWED = 4;
const LIMIT_MS = 50;
const WINDOW = { width: 1280, height: 800 };
/** 6,000 px a second at 60 frames, over all days and back. */
const STEP_PX = 100;
const TOGGLES = 6;

/**
 * From 08:00 to 22:00 the applications are focused in turn for 1.5 minutes
 * each, and stay open for half an hour after that.
 */
const [FIRST_MINUTE, LAST_MINUTE] = [480, 1320];
const [FOCUSED_MINUTES, OPEN_MINUTES] = [1.5, 30];

const getName = (index: number): string => `app ${String(index).padStart(2, '0')}`;
const names = Array.from({ length: APPS }, (_, index) => getName(index));

interface Used {
  readonly app: string;
  /** Minutes of the day. */
  readonly from: number;
  readonly until: number;
  readonly status: 'on' | 'off';
}

/** A day of all applications. */
const day: readonly Used[] = Array.from({ length: (LAST_MINUTE - FIRST_MINUTE) / FOCUSED_MINUTES }, (_, turn) => {
  const app = getName((turn * 7) % APPS);
  const from = FIRST_MINUTE + turn * FOCUSED_MINUTES;
  const until = from + FOCUSED_MINUTES;
  return [
    { app, from, until, status: 'on' } as const,
    { app, from: until, until: until + OPEN_MINUTES, status: 'off' } as const,
  ];
}).flat();

async function fill(origin: string, owner: BenchOwner): Promise<void> {
  const { token } = await pairComputer(origin, owner);
  const call = createClient({ origin, token: () => token });
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let seq = 1;
  for (let back = DAYS; back >= 1; back -= 1) {
    const begin = midnight - back * DAY_MS;
    for (let at = 0; at < day.length; at += 1000) {
      const segments = day.slice(at, at + 1000).map(({ app, status, from, until }) => ({
        app,
        status,
        from: begin + from * MINUTE_MS,
        until: begin + until * MINUTE_MS,
      }));
      await call(reportusage, { boot: 'boot-of-bench', seq, segments });
      seq += segments.length;
    }
  }
}

async function openPage(browser: Browser, baseURL?: string) {
  const context = await browser.newContext({ viewport: WINDOW, ...(baseURL === undefined ? {} : { baseURL }) });
  return { context, page: await context.newPage() };
}

interface Work {
  readonly toggle: readonly number[];
  readonly scroll: readonly number[];
}

/** Scrolls down over all days and up again at constant speed, one step per frame. */
const scroll = (page: Page, box: string): Promise<unknown> =>
  page.evaluate(
    async ([selector, step]) => {
      const scrolled = document.querySelector(selector)?.closest('[data-scroll]') ?? document.documentElement;
      const length = scrolled.scrollHeight - scrolled.clientHeight;
      for (const way of [1, -1])
        for (let done = 0; done < length; done += step) {
          await new Promise(requestAnimationFrame);
          scrolled.scrollTop += way * step;
        }
    },
    [box, STEP_PX] as const,
  );

/** Waits until the change is rendered: several frames without a pause. */
const waitForRender = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    for (let pictures = 0; pictures < 30; pictures += 1) await new Promise(requestAnimationFrame);
  });

async function measure(browser: Browser, page: Page, press: () => Promise<unknown>): Promise<Work> {
  await slowDown(page, SLOWED);
  const toggle: number[] = [];
  for (let turn = 0; turn < TOGGLES; turn += 1)
    toggle.push(
      ...(await traceTasks(browser, page, async () => {
        await press();
        await waitForRender(page);
      })),
    );
  const tasks = await traceTasks(browser, page, async () => void (await scroll(page, '[data-row]')));
  return { toggle, scroll: tasks };
}

/**
 * Returns a function that clicks a part of the page. It holds the handle, as looking it up is work for the page too.
 */
async function createPresser(page: Page, selector: string): Promise<() => Promise<void>> {
  await waitForElement(page, selector);
  const part = await page.evaluateHandle((partSelector) => document.querySelector<HTMLElement>(partSelector), selector);
  return () => part.evaluate((element) => element?.click());
}

async function ours(browser: Browser, origin: string, { token }: BenchOwner): Promise<Work> {
  const { context, page } = await openPage(browser, origin);
  await context.addCookies([{ name: 'usertoken', value: token, url: origin }]);
  const on = JSON.stringify({ of: 'owner', on: names });
  await context.addInitScript((chosen) => localStorage.setItem('pegboard.screentime.on', chosen), on);
  await page.goto('/graphyv2');
  await waitForElement(page, '[role=slider]');
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => document.querySelector<HTMLElement>('[data-find]')?.focus());
  await page.keyboard.type('app 20');
  const work = await measure(browser, page, await createPresser(page, 'button[title="app 20"]'));
  await context.close();
  return work;
}

async function bare(browser: Browser): Promise<Work> {
  const { context, page } = await openPage(browser);
  const lanes = names.map((name): BareLane => ({
    name,
    bars: day
      .filter(({ app }) => app === name)
      .map(({ from, until, status }) => ({ from: from / 14.4, until: until / 14.4, isFocused: status === 'on' })),
  }));
  await page.setContent(createBareTimeline(Array.from({ length: DAYS }, () => lanes)));
  const work = await measure(browser, page, await createPresser(page, 'input[value="app 20"]'));
  await context.close();
  return work;
}

/** Switches an application and scrolls through two weeks of forty on a phone's processor. */
export const graphyBench: Bench = {
  name: 'graphy',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await fill(server.origin, owner);
    const browser = await startChromium();
    try {
      const theirs = await bare(browser);
      const own = await ours(browser, server.origin, owner);
      const what = `/graphyv2, ${DAYS} days of ${APPS} applications (processor slowed ${SLOWED}x): work at a time`;
      const peer = 'bare HTML, an element for each bar';
      return (['toggle', 'scroll'] as const).map((act) => ({
        what: `${what}, ${act === 'toggle' ? 'an application switched on and off' : 'scrolled through'}`,
        target: `never over ${LIMIT_MS} ms`,
        ours: formatTasks(own[act]),
        peer: `${formatTasks(theirs[act])} (${peer})`,
        isReached: percentile(own[act], 1) < LIMIT_MS,
      }));
    } finally {
      await browser.close();
    }
  },
};
