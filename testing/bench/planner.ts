import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createClient } from '#platform/contract/client.ts';
import { modifyshoplist } from '#tools/shopping/contract.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { signUpOwner } from './account.ts';
import { formatMs, percentile, runPegboard, runBaseline, type Bench, type BenchFigure } from './measure.ts';

const TICKS = 60;
const ITEMS = 1000;
const OPENINGS = 9;

/** Records when the page last sent something: a call of the planner, or a message over a bare socket. */
const recordSending = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    const recorded = window as unknown as { sentAt: number };
    function record(): void {
      recorded.sentAt = performance.timeOrigin + performance.now();
    }
    const originalFetch = window.fetch.bind(window);
    window.fetch = (address, options) => {
      if (String(address instanceof Request ? address.url : address).includes('modifyshoplist')) record();
      return originalFetch(address, options);
    };
    const send = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'send')?.value as (data: string) => void;
    WebSocket.prototype.send = function sendRecorded(this: WebSocket, data: string) {
      if (location.pathname === '/') record();
      send.call(this, data);
    };
  });

/**
 * Clicks 'One more Milk' on one page;
 * returns milliseconds until the other page shows it, from the click and from the sending.
 */
async function measureTicks(mine: Page, other: Page) {
  const times = { all: new Array<number>(), sent: new Array<number>() };
  for (let press = 1; press <= TICKS; press += 1) {
    const shown = other.evaluate(
      (expected) =>
        new Promise<number>((resolve) => {
          function checkItems(): void {
            if (document.querySelector('[data-item] b')?.textContent !== expected) return;
            watcher.disconnect();
            resolve(performance.timeOrigin + performance.now());
          }
          const watcher = new MutationObserver(checkItems);
          watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
          checkItems();
        }),
      String(press),
    );
    const startedAt = await mine.evaluate(() => {
      document.querySelector<HTMLElement>('[aria-label="One more Milk"]')?.click();
      return performance.timeOrigin + performance.now();
    });
    const shownAt = await shown;
    const sentAt = await mine.evaluate(() => (window as unknown as { sentAt: number }).sentAt);
    times.all.push(shownAt - startedAt);
    times.sent.push(shownAt - Math.max(startedAt, sentAt));
    // Distributes clicks over the interval of the sync loop.
    await new Promise((resolve) => setTimeout(resolve, (press * 137) % 500));
  }
  return times;
}

interface DrawnFrames {
  /** Milliseconds from the start of the navigation until the window shows items, and until all are rendered. */
  readonly first?: number;
  readonly all?: number;
}

/** Records when items were painted. */
const recordDrawn = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript((items) => {
    const drawn: Record<string, number> = {};
    const page = Object.assign(window, { drawn }) as { readonly reportDrawn?: (drawn: string) => void };
    function record(name: string): void {
      requestAnimationFrame(() =>
        setTimeout(() => {
          drawn[name] ??= performance.now();
          if (name === 'all') page.reportDrawn?.(JSON.stringify(drawn));
        }),
      );
    }
    function checkItems(): void {
      const count = document.querySelectorAll('[data-item]').length;
      if (count > 0 && drawn['first'] === undefined) record('first');
      if (count < items) return;
      watcher.disconnect();
      record('all');
    }
    const watcher = new MutationObserver(checkItems);
    watcher.observe(document, { subtree: true, childList: true });
  }, ITEMS);

const waitUntilDrawn = (page: Page) =>
  page.waitForFunction(() => {
    const { drawn } = window as unknown as { drawn?: DrawnFrames };
    return drawn?.all === undefined ? undefined : drawn;
  });

/**
 * Opens the page several times. The page itself reports when everything is rendered: a request of the driver would
 * install its scripts, which takes 12 ms between the page's scripts and its first paint.
 */
async function measureOpenings(page: Page, path: string): Promise<readonly DrawnFrames[]> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Runtime.enable');
  await devtools.send('Runtime.addBinding', { name: 'reportDrawn' });
  const times: DrawnFrames[] = [];
  for (let run = 0; run < OPENINGS; run += 1) {
    await page.goto('about:blank');
    const drawn = new Promise<DrawnFrames>((resolve) => {
      devtools.once('Runtime.bindingCalled', ({ payload }) => resolve(JSON.parse(payload) as DrawnFrames));
    });
    await page.goto(path);
    times.push(await drawn);
  }
  await devtools.detach();
  return times;
}

async function waitUntilStored(page: Page): Promise<void> {
  const isStored = (): Promise<boolean> =>
    page.evaluate(async () => {
      const names = await caches.keys();
      const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).match('/offline.json')));
      return lists.some((list) => list !== undefined);
    });
  while (!(await isStored())) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function measurePegboard(browser: Browser) {
  const server = await runPegboard({ RATE_LIMITS: 'off' });
  const { token } = await signUpOwner(server.origin);
  const call = createClient({ origin: server.origin, token: () => token });
  async function createList(names: readonly string[]): Promise<number> {
    const items = Object.fromEntries(names.map((name, index) => [`new${index}`, { name }]));
    const { id } = await call(modifyshoplist, {
      id: -1,
      changes: { name: 'Bench', items },
      timesent: Date.now() / 1000,
    });
    return id ?? 0;
  }
  async function open(): Promise<BrowserContext> {
    const context = await browser.newContext({ baseURL: server.origin, viewport: { width: 1280, height: 800 } });
    await context.addCookies([{ name: 'usertoken', value: token, url: server.origin }]);
    return context;
  }
  const few = await createList(['Milk']);
  const pages = await Promise.all(
    [open(), open()].map(async (opening) => {
      const context = await opening;
      await recordSending(context);
      const page = await context.newPage();
      await page.goto(`/shopplanner?list=${few}`);
      await page.getByText('Saved', { exact: true }).first().waitFor();
      return page;
    }),
  );
  const [mine, other] = pages;
  if (!mine || !other) throw new Error('no pages');
  const times = await measureTicks(mine, other);
  await Promise.all(pages.map((page) => page.context().close()));

  const many = await createList(Array.from({ length: ITEMS }, (_, index) => `Item ${index}`));
  const context = await open();
  await recordDrawn(context);
  const page = await context.newPage();
  const path = `/shopplanner?list=${many}`;
  await page.goto(path);
  await waitUntilDrawn(page);
  await waitUntilStored(page);
  await server[Symbol.asyncDispose]();
  return { times, drawn: await measureOpenings(page, path) };
}

async function measureBaseline(browser: Browser) {
  await using server = await runBaseline('tickpage');
  const contexts = await Promise.all(
    Array.from({ length: 3 }, () =>
      browser.newContext({ baseURL: server.origin, viewport: { width: 1280, height: 800 } }),
    ),
  );
  const [firstContext, secondContext, thirdContext] = contexts;
  if (!firstContext || !secondContext || !thirdContext) throw new Error('no contexts');
  await recordSending(firstContext);
  const [mine, other] = [await firstContext.newPage(), await secondContext.newPage()];
  await mine.goto('/');
  await other.goto('/');
  for (const openedPage of [mine, other]) await openedPage.waitForFunction(() => document.title === 'open');
  const times = await measureTicks(mine, other);
  await recordDrawn(thirdContext);
  const page = await thirdContext.newPage();
  await page.goto('/');
  await page.evaluate((items) => {
    const all = Array.from({ length: items }, (_, index) => ({ name: `Item ${index}`, amount: 0 }));
    localStorage.setItem('items', JSON.stringify(all));
  }, ITEMS);
  return { times, drawn: await measureOpenings(page, '/') };
}

export const plannerBench: Bench = {
  name: 'planner',
  run: async () => {
    await using browser = await startChromium();
    const [pegboard, baseline] = [await measurePegboard(browser), await measureBaseline(browser)];
    const createFigure = (
      name: string,
      maxMs: number,
      select: (from: typeof pegboard) => readonly number[],
      baselineProgram: string,
    ): BenchFigure => {
      const [pegboardMs, baselineMs] = [percentile(select(pegboard), 0.5), percentile(select(baseline), 0.5)];
      return {
        name,
        target: `p50 under ${maxMs} ms`,
        measured: formatMs(pegboardMs),
        baseline: `${formatMs(baselineMs)} (${baselineProgram})`,
        isTargetMet: pegboardMs < maxMs,
      };
    };
    return [
      createFigure(
        'planner: press in browser A to shown in browser B',
        700,
        ({ times }) => times.all,
        'a bare page that sends at once',
      ),
      createFigure(
        'planner: the same from its sending',
        60,
        ({ times }) => times.sent,
        'the same over a bare WebSocket',
      ),
      createFigure(
        `planner: first paint of a list of ${ITEMS} items from the offline store, from the start of the navigation, server stopped`,
        300,
        ({ drawn }) => drawn.map(({ first = Number.NaN }) => first),
        'a bare page with localStorage, server running',
      ),
      createFigure(
        'planner: the same until all of its items are drawn',
        1000,
        ({ drawn }) => drawn.map(({ all = Number.NaN }) => all),
        'the same',
      ),
    ];
  },
};
