import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { runPegboard, runServer, type Bench } from './measure.ts';

/** Browsers run timers of hidden pages once a second, and after five minutes once a minute. */
const SECONDS = 300;
const MINUTES = 55;
/** Shortly before the end, the clock advances in small steps, to see when the end is noticed. */
const REACH_MS = 200;
const STEP_MS = 10;
/** Several ticks of the worker, which the fake clock does not affect: by then the page is rendered. */
const DRAWN_MS = 400;
const MORNING = new Date('2026-11-22T09:00:00Z');

/** Advances the page's clock by an hour as in a background tab: everything that is due runs once per step. */
async function sleepAnHour(page: Page): Promise<void> {
  for (let at = 0; at < SECONDS; at += 1) await page.clock.fastForward(1000);
  // Not quite to the end, whose precision is measured.
  for (let at = 0; at < MINUTES; at += 1) await page.clock.fastForward(at === MINUTES - 1 ? 60_000 - REACH_MS : 60_000);
}

const left = (page: Page): Promise<string> => page.locator('[role=timer]').innerText();

async function openByHand(page: Page, address: string): Promise<void> {
  await page.clock.install({ time: MORNING });
  await page.goto(address);
  await page.locator('[role=timer]').waitFor();
  await page.clock.pauseAt(new Date(MORNING.getTime() + HOUR_MS));
}

/** Returns by how many milliseconds our timer misses the end of a loop of an hour. */
async function ourDrift(page: Page, origin: string): Promise<number> {
  await openByHand(page, `${origin}/stopwatch`);
  await page.getByLabel('change loop time').fill(String(HOUR_MS / 1000));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await sleepAnHour(page);
  let gone = -REACH_MS;
  for (; gone < 2000; gone += STEP_MS) {
    await sleep(DRAWN_MS);
    if ((await left(page)) !== '00:01') break;
    await page.clock.fastForward(STEP_MS);
  }
  return Math.abs(gone);
}

/** Returns the same for a page that counts ticks: what it shows when nothing is left. */
async function theirDrift(page: Page, origin: string): Promise<number> {
  await openByHand(page, origin);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await sleepAnHour(page);
  await page.clock.fastForward(REACH_MS);
  return Math.abs(await page.evaluate(() => Number(document.body.dataset['left'])));
}

async function withPage(context: BrowserContext, measure: (page: Page) => Promise<number>): Promise<number> {
  const drift = await measure(await context.newPage());
  await context.close();
  return drift;
}

/** The error of the timer after an hour in the background. */
export const timerBench: Bench = {
  name: 'timer',
  run: async () => {
    await using server = await runPegboard();
    await using peer = await runServer({ args: ['testing/bench/peers/countdown.ts'], ready: '/' });
    const browser = await startChromium();
    try {
      const ours = await withPage(await browser.newContext(), (page) => ourDrift(page, server.origin));
      const theirs = await withPage(await browser.newContext(), (page) => theirDrift(page, peer.origin));
      return [
        {
          what: 'drift over an hour of a background tab whose timers fire once a second, then once a minute (faked clock)',
          target: 'under 100 ms',
          ours: `${ours} ms (looked at every ${STEP_MS} ms)`,
          peer: `${theirs} ms (counts ticks of setInterval(100))`,
          isReached: ours < 100,
        },
      ];
    } finally {
      await browser.close();
    }
  },
};
