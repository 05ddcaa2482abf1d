import type { Page } from 'playwright-core';
import { startChromium } from '#testing/kits/browser/chromium.ts';
import { newevent } from '#tools/calendar/contract/events.ts';
import { signUpOwner } from './account.ts';
import { formatP50P99, percentile, runPegboard, runServer, type Bench } from './measure.ts';

const SAVES = 100;
const WARM_UP = 10;

/** Clicks Save repeatedly, each time with another name; returns milliseconds until 'Saved' appears. */
async function clickSave(page: Page, field: string): Promise<readonly number[]> {
  const took: number[] = [];
  for (let number = 0; number < SAVES + WARM_UP; number += 1) {
    await page.locator(field).fill(`Quarterly review ${number}`);
    const button = page.getByRole('button', { name: 'Not saved', exact: true });
    const ms = await button.evaluate(
      (element) =>
        new Promise<number>((resolve) => {
          const startedAt = performance.now();
          const seen = new MutationObserver(() => {
            if (element.textContent !== 'Saved') return;
            seen.disconnect();
            resolve(performance.now() - startedAt);
          });
          seen.observe(element, { childList: true, characterData: true, subtree: true });
          (element as HTMLButtonElement).click();
        }),
    );
    took.push(ms);
  }
  return took.slice(WARM_UP);
}

async function openPage(origin: string) {
  const browser = await startChromium();
  const context = await browser.newContext({ baseURL: origin });
  return { page: await context.newPage(), context, [Symbol.asyncDispose]: () => browser.close() };
}

async function throughPegboard(): Promise<readonly number[]> {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  const { data } = await owner.call(newevent, { data: { id: 0, name: 'Quarterly review', date: '23-11-2026' } });
  await using open = await openPage(server.origin);
  await open.context.addCookies([{ name: 'usertoken', value: owner.token, url: server.origin }]);
  await open.page.goto(`/calendar?view=event&event=${data.id}&date=2026-11-23&type=calendar`);
  await open.page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  return await clickSave(open.page, 'input[aria-label="Event name"]');
}

async function throughBarePage(): Promise<readonly number[]> {
  await using peer = await runServer({ args: ['testing/bench/peers/save.ts'], ready: '/' });
  await using open = await openPage(peer.origin);
  await open.page.goto('/');
  return await clickSave(open.page, '#name');
}

export const calendarSaveBench: Bench = {
  name: 'calendarsave',
  run: async () => {
    const theirs = await throughBarePage();
    const ours = await throughPegboard();
    const p50 = percentile(ours, 0.5);
    return [
      {
        what: "calendar: click on Save to 'Saved' in the browser",
        target: 'p50 under 80 ms',
        ours: formatP50P99(ours),
        peer: `${formatP50P99(theirs)} (bare page, node:http, one SQLite insert with synchronous FULL)`,
        isReached: p50 < 80,
      },
    ];
  },
};
