import type { Browser, Page } from 'playwright-core';
import type { AnswerOf } from '#platform/contract/call.ts';
import { getevents, newevent } from '#tools/calendar/contract.ts';
import { isoDay, wireDay } from '../calendar.ts';
import { startChromium } from '../chromium.ts';
import { signUpOwner, type Owner } from './account.ts';
import { percentile, runPegboard, type Bench } from './measure.ts';
import { dayList } from './peers/dayList.ts';
import { inWords, slowDown, traced } from './tasks.ts';

const DAYS = 5 * 365 + 1;
/** A phone's processor against this one's. */
const SLOWED = 4;
const FRAME_LIMIT_MS = 50;
const PHONE = { width: 390, height: 844 };
/** 6,000 px a second at 60 pictures. */
const STEP_PX = 100;
const STRETCH_PX = 24_000;
/** Made at once. */
const AT_ONCE = 16;

type Dates = AnswerOf<typeof getevents>['dates'];

/** One event of its own on every day, and repeats that make about five a day. */
const fill = async ({ call }: Owner): Promise<void> => {
  for (const every of [1, 1, 2, 2, 3, 4])
    await call(newevent, {
      data: {
        id: 0,
        name: `Every ${every} days`,
        date: wireDay(-every),
        participants: [`tag ${every}`, 'all'],
        style: 'repeat',
        repeateveryamount: every,
        repeatevery: 'day',
        repeatfromtype: 'forever',
        repeatuntilltype: 'forever',
      },
    });
  let next = 0;
  const make = async (): Promise<void> => {
    while (next < DAYS) {
      const day = next++;
      await call(newevent, { data: { id: 0, name: `Of day ${day}`, date: wireDay(day), participants: ['one'] } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
};

const allDates = async ({ call }: Owner): Promise<Dates> => {
  let dates: Dates = {};
  for (let last: string | undefined; last === undefined || last < isoDay(DAYS - 1); last = Object.keys(dates).at(-1))
    dates = { ...dates, ...(await call(getevents, last === undefined ? {} : { specificload: last })).dates };
  return dates;
};

const openPage = async (browser: Browser, baseURL?: string) => {
  const context = await browser.newContext({
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    ...(baseURL === undefined ? {} : { baseURL }),
  });
  const page = await context.newPage();
  await slowDown(page, SLOWED);
  return { context, page };
};

/** A finger's fling: a stretch at an even speed, a step a picture. There is no pointer on a phone that would hover over what passes. */
const scroll = (page: Page, box: string, down: boolean): Promise<unknown> =>
  page.evaluate(
    async ([selector, length, step]) => {
      const scrolled = document.querySelector(selector) ?? document.documentElement;
      for (let done = 0; done < Math.abs(length); done += step) {
        await new Promise(requestAnimationFrame);
        scrolled.scrollTop += Math.sign(length) * step;
      }
    },
    [box, down ? STRETCH_PX : -STRETCH_PX, STEP_PX] as const,
  );

const RAIL = '[data-rail=dates]';

const ours = async (browser: Browser, origin: string, { token }: Owner): Promise<readonly number[]> => {
  const { context, page } = await openPage(browser, origin);
  await context.addCookies([{ name: 'usertoken', value: token, url: origin }]);
  await page.goto('/calendar');
  await page.getByRole('button', { name: 'Show dates' }).tap();
  await page.locator('[data-rail=dates] [data-entry]').first().waitFor();
  await page.waitForLoadState('networkidle');
  const lastDay = () => page.locator('[data-rail=dates] [data-page]').last().getAttribute('data-page');
  const tasks = await traced(browser, page, async () => {
    while (((await lastDay()) ?? '') < isoDay(DAYS - 1)) await scroll(page, RAIL, true);
    for (let up = 0; up < 4; up += 1) await scroll(page, RAIL, false);
  });
  await context.close();
  return tasks;
};

const bare = async (browser: Browser, dates: Dates): Promise<readonly number[]> => {
  const { context, page } = await openPage(browser);
  await page.setContent(dayList(dates));
  const isAtEnd = () =>
    page.evaluate(() => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2);
  const tasks = await traced(browser, page, async () => {
    while (!(await isAtEnd())) await scroll(page, 'html', true);
    for (let up = 0; up < 4; up += 1) await scroll(page, 'html', false);
  });
  await context.close();
  return tasks;
};

/** Scrolls through five years of days on a phone's processor, loading them on the way, and back up. */
export const calendarScrollBench: Bench = {
  name: 'calendarscroll',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await fill(owner);
    const dates = await allDates(owner);
    const browser = await startChromium();
    try {
      const theirs = await bare(browser, dates);
      const own = await ours(browser, server.origin, owner);
      return [
        {
          what: `calendar scrolled through 5 years of events, loaded on the way (processor slowed ${SLOWED}x): work at a time`,
          target: `never over ${FRAME_LIMIT_MS} ms`,
          ours: inWords(own),
          peer: `${inWords(theirs)} (bare HTML list of the same days, all there from the start)`,
          reached: percentile(own, 1) < FRAME_LIMIT_MS,
        },
      ];
    } finally {
      await browser.close();
    }
  },
};
