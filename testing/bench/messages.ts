import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../kits/browser/chromium.ts';
import { signUpOwner } from './account.ts';
import { formatP50P99, percentile, runPegboard, runBaseline, type Bench } from './measure.ts';
import { openPage } from './tasks.ts';

const MESSAGES = 60;
const WARM_UP = 5;
const MESSAGE_INTERVAL_MS = 120;

/** Stores the time at which a text is rendered on this page in its window, in epoch milliseconds. */
const watchForText = async (page: Page, text: string): Promise<void> =>
  page.evaluate((expected) => {
    const target = window as unknown as { shownAt?: Promise<number> };
    target.shownAt = new Promise((resolve) => {
      function checkText(): boolean {
        if (!(document.body.textContent ?? '').includes(expected)) return false;
        resolve(performance.timeOrigin + performance.now());
        return true;
      }
      const observer = new MutationObserver(() => {
        if (checkText()) observer.disconnect();
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
  }, text);

const getShownAt = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { shownAt: Promise<number> }).shownAt);

/** Presses Enter in the page that has the text in its field; returns the time. */
const pressEnter = (page: Page, field: string): Promise<number> =>
  page.evaluate((selector) => {
    const pressedAt = performance.timeOrigin + performance.now();
    document
      .querySelector(selector)
      ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    return pressedAt;
  }, field);

/** Measures milliseconds from Enter in one page to the text in the other page's document. */
async function measure(from: Page, to: Page, field: string): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < MESSAGES + WARM_UP; index += 1) {
    const text = `message number ${index} of this run;`;
    await watchForText(to, text);
    await from.fill(field, text);
    const sentAt = await pressEnter(from, field);
    const ms = (await getShownAt(to)) - sentAt;
    if (index >= WARM_UP) times.push(ms);
    await new Promise((resolve) => setTimeout(resolve, MESSAGE_INTERVAL_MS));
  }
  return times;
}

async function measurePegboard(browser: Browser): Promise<number[]> {
  await using server = await runPegboard();
  const { token } = await signUpOwner(server.origin);
  const pages: Page[] = [];
  for (let index = 0; index < 2; index += 1) {
    const page = await openPage(browser, { reducedMotion: 'reduce' }, { origin: server.origin, token });
    await page.goto('/messages');
    await page.getByRole('heading', { name: 'messages' }).waitFor();
    pages.push(page);
  }
  const [from, to] = pages;
  if (!from || !to) throw new Error('no pages');
  for (const page of pages) {
    await page
      .getByRole('complementary')
      .getByRole('button', { name: /Chromium on Linux/ })
      .click();
    await page.getByRole('log').waitFor();
  }
  const times = await measure(from, to, 'textarea');
  for (const page of pages) await page.context().close();
  return times;
}

async function measureBaseline(browser: Browser): Promise<number[]> {
  await using baselineServer = await runBaseline('chat');
  const [from, to] = await Promise.all(
    ['one', 'other'].map(async () => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(baselineServer.origin);
      await page.locator('body[data-open]').waitFor();
      return page;
    }),
  );
  if (!from || !to) throw new Error('no pages');
  const times = await measure(from, to, 'input');
  for (const page of [from, to]) await page.context().close();
  return times;
}

export const messagesBench: Bench = {
  name: 'messages',
  run: async () => {
    await using browser = await startChromium();
    const baseline = await measureBaseline(browser);
    const pegboard = await measurePegboard(browser);
    return [
      {
        name: 'message sent in one browser to shown in another one, both on the messages screen',
        target: 'p50 under 30 ms',
        measured: formatP50P99(pegboard),
        baseline: `${formatP50P99(baseline)} (a page with a bare \`ws\` chat, nothing stored)`,
        isTargetMet: percentile(pegboard, 0.5) < 30,
      },
    ];
  },
};
