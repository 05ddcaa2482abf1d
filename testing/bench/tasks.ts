import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { formatMs, percentile } from './measure.ts';

interface TraceEvent {
  readonly name: string;
  readonly tid: number;
  readonly pid: number;
  /** Processor time of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Returns the tasks of the page's main thread in milliseconds of processor
 * time, which excludes other load of the machine.
 */
function listTasks(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'RunTask' && mains.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
}

/** Runs `work`; returns the tasks that the page ran meanwhile. */
export async function traceTasks(browser: Browser, page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  await work();
  return listTasks(await browser.stopTracing());
}

/** Opens a page in a context of its own, logged in to our server if `login` is given. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions,
  login?: { readonly origin: string; readonly token: string },
): Promise<Page> {
  const context = await browser.newContext({ ...options, ...(login && { baseURL: login.origin }) });
  if (login) await context.addCookies([{ name: 'usertoken', value: login.token, url: login.origin }]);
  return context.newPage();
}

/** Slows the page down by a factor, to simulate a phone's processor. */
export async function slowDown(page: Page, factor: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: factor });
}

/**
 * Waits for an element; returns milliseconds since the navigation. Not with a locator: the driver's touch listeners
 * would stay on the page, and the browser would record them for each box that it paints.
 */
export function waitForElement(page: Page, selector: string): Promise<number> {
  return page.evaluate(async (awaitedSelector) => {
    while (!document.querySelector(awaitedSelector)) await new Promise(requestAnimationFrame);
    return performance.now();
  }, selector);
}

export function formatTasks(tasks: readonly number[]): string {
  return `longest ${formatMs(percentile(tasks, 1))}, p99 ${formatMs(percentile(tasks, 0.99))}`;
}
