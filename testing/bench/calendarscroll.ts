import type { Browser, Page } from 'playwright-core';
import type { AnswerOf } from '#platform/contract/call.ts';
import { getevents, newevent } from '#tools/calendar/contract/events.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { formatIsoDay, formatWireDay } from '../kits/planning/calendar.ts';
import { signUpOwner, type BenchOwner } from './account.ts';
import { createDayList } from './baselines/dayList.ts';
import { percentile, runPegboard, type Bench } from './measure.ts';
import { openPage, waitForElement, formatTasks, slowDown, traceTasks } from './tasks.ts';

/** A year has the same work per day as 5 years, which took five times as long to scroll through. */
const DAYS = 365;
/** Number of segments that are scrolled back up. */
const UP_SCROLLS = 2;
/** Slowdown to the processor of a phone. */
const CPU_SLOWDOWN = 4;
const FRAME_LIMIT_MS = 50;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** 6,000 px a second at 60 frames. */
const STEP_PX = 100;
const SCROLL_LENGTH_PX = 24_000;
/** Requests that run concurrently. */
const CONCURRENT_REQUESTS = 16;

type Dates = AnswerOf<typeof getevents>['dates'];

/** Creates one single event on every day, and repeats that add about five per day. */
async function fill({ call }: BenchOwner): Promise<void> {
  for (const interval of [1, 1, 2, 2, 3, 4])
    await call(newevent, {
      data: {
        id: 0,
        name: `Every ${interval} days`,
        date: formatWireDay(-interval),
        participants: [`tag ${interval}`, 'all'],
        style: 'repeat',
        repeateveryamount: interval,
        repeatevery: 'day',
        repeatfromtype: 'forever',
        repeatuntilltype: 'forever',
      },
    });
  let next = 0;
  async function createEvents(): Promise<void> {
    while (next < DAYS) {
      const day = next++;
      await call(newevent, { data: { id: 0, name: `Of day ${day}`, date: formatWireDay(day), participants: ['one'] } });
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, createEvents));
}

async function listAllDates({ call }: BenchOwner): Promise<Dates> {
  let dates: Dates = {};
  for (
    let last: string | undefined;
    last === undefined || last < formatIsoDay(DAYS - 1);
    last = Object.keys(dates).at(-1)
  )
    dates = { ...dates, ...(await call(getevents, last === undefined ? {} : { specificload: last })).dates };
  return dates;
}

/**
 * Simulates a fling: one segment at constant speed, one step per frame.
 * A phone has no pointer that hovers over elements.
 */
const scroll = (page: Page, box: string, down: boolean): Promise<unknown> =>
  page.evaluate(
    async ([selector, length, step]) => {
      const scroller = document.querySelector(selector) ?? document.documentElement;
      for (let done = 0; done < Math.abs(length); done += step) {
        await new Promise(requestAnimationFrame);
        scroller.scrollTop += Math.sign(length) * step;
      }
    },
    [box, down ? SCROLL_LENGTH_PX : -SCROLL_LENGTH_PX, STEP_PX] as const,
  );

const RAIL = '[data-rail=dates]';

/** Clicks a button once it exists. A locator would add listeners and scripts to the measurement. */
const clickButton = (page: Page, text: string): Promise<void> =>
  page.evaluate(async (label) => {
    const find = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label);
    while (!find()) await new Promise(requestAnimationFrame);
    find()?.click();
  }, text);

async function measurePegboard(browser: Browser, origin: string, { token }: BenchOwner): Promise<readonly number[]> {
  const page = await openPage(browser, PHONE, { origin, token });
  await slowDown(page, CPU_SLOWDOWN);
  await page.goto('/calendar');
  await clickButton(page, 'Show dates');
  await waitForElement(page, `${RAIL} [data-entry]`);
  await page.waitForLoadState('networkidle');
  const lastDay = () =>
    page.evaluate(
      (rail) => [...document.querySelectorAll<HTMLElement>(`${rail} [data-page]`)].at(-1)?.dataset['page'],
      RAIL,
    );
  const tasks = await traceTasks(browser, page, async () => {
    while (((await lastDay()) ?? '') < formatIsoDay(DAYS - 1)) await scroll(page, RAIL, true);
    for (let count = 0; count < UP_SCROLLS; count += 1) await scroll(page, RAIL, false);
  });
  await page.context().close();
  return tasks;
}

async function measureBaseline(browser: Browser, dates: Dates): Promise<readonly number[]> {
  const page = await openPage(browser, PHONE);
  await slowDown(page, CPU_SLOWDOWN);
  await page.setContent(createDayList(dates));
  const isAtEnd = () =>
    page.evaluate(() => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2);
  const tasks = await traceTasks(browser, page, async () => {
    while (!(await isAtEnd())) await scroll(page, 'html', true);
    for (let count = 0; count < UP_SCROLLS; count += 1) await scroll(page, 'html', false);
  });
  await page.context().close();
  return tasks;
}

/** Scrolls through the days on a phone's processor, loading them on the way, and back up. */
export const calendarScrollBench: Bench = {
  name: 'calendarscroll',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await fill(owner);
    const dates = await listAllDates(owner);
    await using browser = await startChromium();
    const baseline = await measureBaseline(browser, dates);
    const pegboard = await measurePegboard(browser, server.origin, owner);
    return [
      {
        name: `calendar scrolled through a year of events, loaded on the way (processor slowed ${CPU_SLOWDOWN}x): work at a time`,
        target: `never over ${FRAME_LIMIT_MS} ms`,
        measured: formatTasks(pegboard),
        baseline: `${formatTasks(baseline)} (bare HTML list of the same days, all there from the start)`,
        isTargetMet: percentile(pegboard, 1) < FRAME_LIMIT_MS,
      },
    ];
  },
};
