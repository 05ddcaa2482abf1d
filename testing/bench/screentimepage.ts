import type { Browser, Page } from 'playwright-core';
import { createClient } from '#platform/contract/client.ts';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { reportusage } from '#tools/screentime/contract.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { pairComputer, signUpOwner, type BenchOwner } from './account.ts';
import { createBareCharts } from './baselines/bareCharts.ts';
import { formatMs, percentile, runPegboard, type Bench } from './measure.ts';
import { openPage, traceTasks } from './tasks.ts';

const DAYS = 365;
const APPLICATIONS = 60;
const TARGET_MS = 2000;
const RUNS = 5;
/** The height of the page, so that everything is near the viewport and nothing waits for scrolling. */
const WINDOW = { width: 1280, height: 9600 };
const BATCH_SIZE = 1000;

/** Minutes of an application on a day: the first ones are used most. */
const getMinutes = (application: number, day: number): number =>
  1 + Math.round((20 * (1 + ((application * 7 + day * 13) % 11))) / (1 + application));

async function fill(origin: string, owner: BenchOwner): Promise<void> {
  const { token } = await pairComputer(origin, owner);
  const call = createClient({ origin, token: () => token });
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const segments = Array.from({ length: DAYS }, (_, day) => {
    let nextStart = midnight - (DAYS - day) * DAY_MS;
    return Array.from({ length: APPLICATIONS }, (__, application) => {
      const from = nextStart;
      nextStart += getMinutes(application, day) * MINUTE_MS;
      return { app: `application ${application}`, status: 'on' as const, from, until: nextStart };
    });
  }).flat();
  for (let start = 0; start < segments.length; start += BATCH_SIZE)
    await call(reportusage, {
      boot: 'bench-boot',
      seq: start + 1,
      segments: segments.slice(start, start + BATCH_SIZE),
    });
}

/**
 * Measures milliseconds from the click on Submit until all charts are rendered:
 * of everything, of the type, of each application.
 */
const measureSubmit = (page: Page): Promise<number> =>
  page.evaluate(
    (charts) =>
      new Promise<number>((resolve) => {
        const startedAt = performance.now();
        function checkCharts(): void {
          if (document.querySelectorAll('.uplot canvas').length < charts) requestAnimationFrame(checkCharts);
          else requestAnimationFrame(() => resolve(performance.now() - startedAt));
        }
        [...document.querySelectorAll('button')].find((button) => button.textContent === 'Submit')?.click();
        checkCharts();
      }),
    APPLICATIONS + 2,
  );

interface Measurement {
  readonly untilDrawn: readonly number[];
  /** Processor time of the page's main thread, in milliseconds. */
  readonly processorMs: number;
}

async function measurePegboard(browser: Browser, origin: string, { token }: BenchOwner): Promise<Measurement> {
  const untilDrawn: number[] = [];
  let processorMs = 0;
  for (let run = 0; run <= RUNS; run += 1) {
    const page = await openPage(browser, { viewport: WINDOW }, { origin, token });
    await page.goto('/graphy');
    await page.waitForLoadState('networkidle');
    if (run < RUNS) untilDrawn.push(await measureSubmit(page));
    else {
      // Repeated with the tracer, which slows the page down but only counts its own work.
      const tasks = await traceTasks(browser, page, async () => void (await measureSubmit(page)));
      processorMs = tasks.reduce((sum, task) => sum + task, 0);
    }
    await page.context().close();
  }
  return { untilDrawn, processorMs };
}

async function measureBaseline(browser: Browser): Promise<readonly number[]> {
  const lines = Array.from({ length: APPLICATIONS }, (_, application) =>
    Array.from({ length: DAYS }, (__, day) => getMinutes(application, day) / 60),
  );
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const page = await browser.newPage({ viewport: WINDOW });
    await page.setContent(createBareCharts(lines));
    times.push(await page.evaluate(() => (window as unknown as { draw: () => Promise<number> }).draw()));
    await page.close();
  }
  return times;
}

/** Requests a year of sixty applications on /graphy, and renders all of its charts. */
export const screenTimePageBench: Bench = {
  name: 'screentimepage',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await fill(server.origin, owner);
    await using browser = await startChromium();
    const baseline = await measureBaseline(browser);
    const { untilDrawn: pegboard, processorMs } = await measurePegboard(browser, server.origin, owner);
    return [
      {
        name: `/graphy: from Submit until all charts of ${DAYS} days and ${APPLICATIONS} applications are drawn, also those out of sight`,
        target: `under ${TARGET_MS / 1000} s`,
        measured: `p50 ${formatMs(percentile(pegboard, 0.5))}, longest ${formatMs(percentile(pegboard, 1))}; the page's own work ${formatMs(processorMs)}`,
        baseline: `p50 ${formatMs(percentile(baseline, 0.5))}, longest ${formatMs(percentile(baseline, 1))} (bare uPlot with the numbers in the page)`,
        isTargetMet: percentile(pegboard, 1) < TARGET_MS,
      },
    ];
  },
};
