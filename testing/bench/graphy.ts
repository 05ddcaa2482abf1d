import type { Browser, Page } from 'playwright-core';
import { createClient } from '#platform/contract/client.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { reportusage } from '#tools/screentime/contract.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { pairComputer, signUpOwner, type BenchOwner } from './account.ts';
import { createBareTimeline, type BareLane } from './baselines/bareTimeline.ts';
import { percentile, runPegboard, type Bench } from './measure.ts';
import { openPage, waitForElement, formatTasks, slowDown, traceTasks } from './tasks.ts';

const DAYS = 14;
const APPS = 40;
/** Slowdown to the processor of a phone. */
const CPU_SLOWDOWN = 4;
const FRAME_LIMIT_MS = 50;
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

interface UsagePeriod {
  readonly app: string;
  /** Minutes of the day. */
  readonly from: number;
  readonly until: number;
  readonly status: 'on' | 'off';
}

/** A day of all applications. */
const day: readonly UsagePeriod[] = Array.from(
  { length: (LAST_MINUTE - FIRST_MINUTE) / FOCUSED_MINUTES },
  (_, round) => {
    const app = getName((round * 7) % APPS);
    const from = FIRST_MINUTE + round * FOCUSED_MINUTES;
    const until = from + FOCUSED_MINUTES;
    return [
      { app, from, until, status: 'on' } as const,
      { app, from: until, until: until + OPEN_MINUTES, status: 'off' } as const,
    ];
  },
).flat();

async function fill(origin: string, owner: BenchOwner): Promise<void> {
  const { token } = await pairComputer(origin, owner);
  const call = createClient({ origin, token: () => token });
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let seq = 1;
  for (let daysAgo = DAYS; daysAgo >= 1; daysAgo -= 1) {
    const dayStart = midnight - daysAgo * DAY_MS;
    for (let start = 0; start < day.length; start += 1000) {
      const segments = day.slice(start, start + 1000).map(({ app, status, from, until }) => ({
        app,
        status,
        from: dayStart + from * MINUTE_MS,
        until: dayStart + until * MINUTE_MS,
      }));
      await call(reportusage, { boot: 'boot-of-bench', seq, segments });
      seq += segments.length;
    }
  }
}

interface Work {
  readonly toggle: readonly number[];
  readonly scroll: readonly number[];
}

/** Scrolls down over all days and up again at constant speed, one step per frame. */
const scroll = (page: Page, box: string): Promise<unknown> =>
  page.evaluate(
    async ([selector, step]) => {
      const scroller = document.querySelector(selector)?.closest('[data-scroll]') ?? document.documentElement;
      const length = scroller.scrollHeight - scroller.clientHeight;
      for (const direction of [1, -1])
        for (let done = 0; done < length; done += step) {
          await new Promise(requestAnimationFrame);
          scroller.scrollTop += direction * step;
        }
    },
    [box, STEP_PX] as const,
  );

/** Waits until the change is rendered: several frames without a pause. */
const waitForRender = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 30; frame += 1) await new Promise(requestAnimationFrame);
  });

async function measure(browser: Browser, page: Page, click: () => Promise<unknown>): Promise<Work> {
  await slowDown(page, CPU_SLOWDOWN);
  const toggle: number[] = [];
  for (let round = 0; round < TOGGLES; round += 1)
    toggle.push(
      ...(await traceTasks(browser, page, async () => {
        await click();
        await waitForRender(page);
      })),
    );
  const tasks = await traceTasks(browser, page, async () => void (await scroll(page, '[data-row]')));
  return { toggle, scroll: tasks };
}

/**
 * Returns a function that clicks a part of the page. It holds the handle, as looking it up is work for the page too.
 */
async function createClicker(page: Page, selector: string): Promise<() => Promise<void>> {
  await waitForElement(page, selector);
  const handle = await page.evaluateHandle((target) => document.querySelector<HTMLElement>(target), selector);
  return () => handle.evaluate((element) => element?.click());
}

async function measurePegboard(browser: Browser, origin: string, { token }: BenchOwner): Promise<Work> {
  const page = await openPage(browser, { viewport: WINDOW }, { origin, token });
  const selectedNames = JSON.stringify({ of: 'owner', on: names });
  await page.addInitScript((storedValue) => localStorage.setItem('pegboard.screentime.on', storedValue), selectedNames);
  await page.goto('/graphyv2');
  await waitForElement(page, '[role=slider]');
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => document.querySelector<HTMLElement>('[data-find]')?.focus());
  await page.keyboard.type('app 20');
  const work = await measure(browser, page, await createClicker(page, 'button[title="app 20"]'));
  await page.context().close();
  return work;
}

async function measureBaseline(browser: Browser): Promise<Work> {
  const page = await openPage(browser, { viewport: WINDOW });
  const lanes = names.map((name): BareLane => ({
    name,
    bars: day
      .filter(({ app }) => app === name)
      .map(({ from, until, status }) => ({ from: from / 14.4, until: until / 14.4, isFocused: status === 'on' })),
  }));
  await page.setContent(createBareTimeline(Array.from({ length: DAYS }, () => lanes)));
  const work = await measure(browser, page, await createClicker(page, 'input[value="app 20"]'));
  await page.context().close();
  return work;
}

/** Switches an application and scrolls through two weeks of forty on a phone's processor. */
export const graphyBench: Bench = {
  name: 'graphy',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await fill(server.origin, owner);
    await using browser = await startChromium();
    const baseline = await measureBaseline(browser);
    const pegboard = await measurePegboard(browser, server.origin, owner);
    const description = `/graphyv2, ${DAYS} days of ${APPS} applications (processor slowed ${CPU_SLOWDOWN}x): work at a time`;
    const baselineProgram = 'bare HTML, an element for each bar';
    return (['toggle', 'scroll'] as const).map((action) => ({
      name: `${description}, ${action === 'toggle' ? 'an application switched on and off' : 'scrolled through'}`,
      target: `never over ${FRAME_LIMIT_MS} ms`,
      measured: formatTasks(pegboard[action]),
      baseline: `${formatTasks(baseline[action])} (${baselineProgram})`,
      isTargetMet: percentile(pegboard[action], 1) < FRAME_LIMIT_MS,
    }));
  },
};
