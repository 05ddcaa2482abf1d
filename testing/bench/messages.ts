import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../kits/browser/chromium.ts';
import { signUpOwner } from './account.ts';
import { formatP50P99, percentile, runPegboard, runServer, type Bench } from './measure.ts';

const MESSAGES = 60;
const WARM_UP = 5;
const MESSAGE_INTERVAL_MS = 120;

/** Stores the time at which a text is rendered on this page in its window, in epoch milliseconds. */
const watchFor = async (page: Page, text: string): Promise<void> =>
  page.evaluate((expected) => {
    const at = window as unknown as { shownAt?: Promise<number> };
    at.shownAt = new Promise((resolve) => {
      function look(): boolean {
        if (!(document.body.textContent ?? '').includes(expected)) return false;
        resolve(performance.timeOrigin + performance.now());
        return true;
      }
      const watch = new MutationObserver(() => {
        if (look()) watch.disconnect();
      });
      watch.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
  }, text);

const shownAt = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { shownAt: Promise<number> }).shownAt);

/** Presses Enter in the page that has the text in its field; returns the time. */
const sendNow = (page: Page, field: string): Promise<number> =>
  page.evaluate((selector) => {
    const at = performance.timeOrigin + performance.now();
    document
      .querySelector(selector)
      ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    return at;
  }, field);

/** Measures milliseconds from Enter in one page to the text in the other page's document. */
async function measure(from: Page, to: Page, field: string): Promise<number[]> {
  const took: number[] = [];
  for (let count = 0; count < MESSAGES + WARM_UP; count += 1) {
    const text = `message number ${count} of this run;`;
    await watchFor(to, text);
    await from.fill(field, text);
    const sent = await sendNow(from, field);
    const ms = (await shownAt(to)) - sent;
    if (count >= WARM_UP) took.push(ms);
    await new Promise((resolve) => setTimeout(resolve, MESSAGE_INTERVAL_MS));
  }
  return took;
}

async function throughPegboard(browser: Browser): Promise<number[]> {
  await using server = await runPegboard();
  const { token } = await signUpOwner(server.origin);
  const pages: Page[] = [];
  for (let count = 0; count < 2; count += 1) {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    await context.addCookies([{ name: 'usertoken', value: token, url: server.origin }]);
    const page = await context.newPage();
    await page.goto(`${server.origin}/messages`);
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
  const took = await measure(from, to, 'textarea');
  for (const page of pages) await page.context().close();
  return took;
}

async function throughBareChat(browser: Browser): Promise<number[]> {
  await using peer = await runServer({ args: ['testing/bench/peers/chat.ts'], ready: '/' });
  const [from, to] = await Promise.all(
    ['one', 'other'].map(async () => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(peer.origin);
      await page.locator('body[data-open]').waitFor();
      return page;
    }),
  );
  if (!from || !to) throw new Error('no pages');
  const took = await measure(from, to, 'input');
  for (const page of [from, to]) await page.context().close();
  return took;
}

export const messagesBench: Bench = {
  name: 'messages',
  run: async () => {
    const browser = await startChromium();
    try {
      const theirs = await throughBareChat(browser);
      const ours = await throughPegboard(browser);
      return [
        {
          what: 'message sent in one browser to shown in another one, both on the messages screen',
          target: 'p50 under 30 ms',
          ours: formatP50P99(ours),
          peer: `${formatP50P99(theirs)} (a page with a bare \`ws\` chat, nothing stored)`,
          isReached: percentile(ours, 0.5) < 30,
        },
      ];
    } finally {
      await browser.close();
    }
  },
};
