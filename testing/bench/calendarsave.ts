import type { Page } from 'playwright-core';
import { startChromium } from '#testing/kits/browser/chromium.ts';
import { newevent } from '#tools/calendar/contract/events.ts';
import { signUpOwner } from './account.ts';
import { formatP50P99, percentile, runPegboard, runBaseline, type Bench } from './measure.ts';
import { openPage } from './tasks.ts';

const SAVES = 100;
const WARM_UP = 10;

/** Clicks Save repeatedly, each time with another name; returns milliseconds until 'Saved' appears. */
async function clickSave(page: Page, field: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < SAVES + WARM_UP; index += 1) {
    await page.locator(field).fill(`Quarterly review ${index}`);
    const button = page.getByRole('button', { name: 'Not saved', exact: true });
    const ms = await button.evaluate(
      (element) =>
        new Promise<number>((resolve) => {
          const startedAt = performance.now();
          const observer = new MutationObserver(() => {
            if (element.textContent !== 'Saved') return;
            observer.disconnect();
            resolve(performance.now() - startedAt);
          });
          observer.observe(element, { childList: true, characterData: true, subtree: true });
          (element as HTMLButtonElement).click();
        }),
    );
    times.push(ms);
  }
  return times.slice(WARM_UP);
}

async function measurePegboard(): Promise<readonly number[]> {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  const { data } = await owner.call(newevent, { data: { id: 0, name: 'Quarterly review', date: '23-11-2026' } });
  await using browser = await startChromium();
  const page = await openPage(browser, {}, { origin: server.origin, token: owner.token });
  await page.goto(`/calendar?view=event&event=${data.id}&date=2026-11-23&type=calendar`);
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  return await clickSave(page, 'input[aria-label="Event name"]');
}

async function measureBaseline(): Promise<readonly number[]> {
  await using baselineServer = await runBaseline('save');
  await using browser = await startChromium();
  const page = await browser.newPage();
  await page.goto(baselineServer.origin);
  return await clickSave(page, '#name');
}

export const calendarSaveBench: Bench = {
  name: 'calendarsave',
  run: async () => {
    const baseline = await measureBaseline();
    const pegboard = await measurePegboard();
    const p50 = percentile(pegboard, 0.5);
    return [
      {
        name: "calendar: click on Save to 'Saved' in the browser",
        target: 'p50 under 80 ms',
        measured: formatP50P99(pegboard),
        baseline: `${formatP50P99(baseline)} (bare page, node:http, one SQLite insert with synchronous FULL)`,
        isTargetMet: p50 < 80,
      },
    ];
  },
};
