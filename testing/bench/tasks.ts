import type { Browser, Page } from 'playwright-core';
import { formatMs, percentile } from './measure.ts';

interface TraceEvent {
  readonly name: string;
  readonly tid: number;
  readonly pid: number;
  /** Processor time of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** What the page's main thread worked at once, in milliseconds of processor time: what else the machine does is not counted. */
const tasksOf = (trace: Buffer): readonly number[] => {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'RunTask' && mains.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
};

/** Runs `work` and gives the tasks that the page did meanwhile. */
export async function traceTasks(browser: Browser, page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  await work();
  return tasksOf(await browser.stopTracing());
}

/** Makes the page so many times slower: a phone's processor against this one's. */
export async function slowDown(page: Page, times: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: times });
}

/**
 * Waits until the page has what `selector` names, and gives milliseconds since its navigation. Asked so, and not by a locator: the driver's own
 * listeners for touch would stay on the page, and have the browser note for each box that it paints that they are there.
 */
export function waitForElement(page: Page, selector: string): Promise<number> {
  return page.evaluate(async (wanted) => {
    while (!document.querySelector(wanted)) await new Promise(requestAnimationFrame);
    return performance.now();
  }, selector);
}

export function formatTasks(tasks: readonly number[]): string {
  return `longest ${formatMs(percentile(tasks, 1))}, p99 ${formatMs(percentile(tasks, 0.99))}`;
}
