import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { expect, onTestFinished, type RunnerTaskResult } from 'vitest';
import { countOpening, sampleCost } from '#testing/cost.ts';
import { startChromium, startLeanChromium } from './chromium.ts';
import { fillByTyping, startFirefox } from './firefox.ts';

/** Under this name the page is no secure context, as on a phone in the house (reliability.md section 3). */
export const PLAIN_HTTP_HOST = 'pegboard.local';

export const WIDE_VIEWPORT = { width: 1280, height: 800 };
export const PHONE_VIEWPORT = { width: 390, height: 844 };

/** Over plain http the browser says of every answer that it leaves one header out; nothing is wrong. */
const HARMLESS = /Cross-Origin-Opener-Policy header has been ignored/;

/** Of whatever waits for something on a page; no poll of a test waits for longer. */
const TIMEOUT_MS = 20_000;
const PAGE_TEXT_TIMEOUT_MS = 5000;
const MAX_PAGE_TEXT_LENGTH = 1200;

export interface OpenPageOptions {
  readonly size?: 'wide' | 'phone';
  readonly scheme?: 'light' | 'dark';
  /** `http://pegboard.local:<port>` instead of the loopback address. */
  readonly plainHttp?: boolean;
  /** With the site's service worker. It fetches the whole site into every new context, so only pages that must stand without a line have it. */
  readonly keepsSite?: boolean;
  /** In the browser with windows of its own, which alone lets pages notify and has a phone's sensors. */
  readonly isWhole?: boolean;
  /** Complaints of the console that the test itself causes. */
  readonly expects?: RegExp;
  /** Of an account: the page is signed in by it as after 'Stay logged in'. */
  readonly token?: string;
  /** Where the browser stands, IANA. */
  readonly timeZone?: string;
  /** What the browser remembers of an earlier visit (`localStorage`). */
  readonly stored?: Readonly<Record<string, string>>;
  /** Where its clock stands still. */
  readonly now?: string | number | Date;
  /** Done while the page is still blank, such as watching what it asks for. */
  readonly before?: (page: Page) => Promise<unknown>;
}

export interface TestBrowser extends AsyncDisposable {
  /** A page in a context of its own, at `path` of `origin`. What it complains of fails the test. */
  readonly openPage: (origin: string, path: string, options?: OpenPageOptions) => Promise<Page>;
  /** The same, still blank, and its context stays open until somebody closes it. */
  readonly openBlank: (origin: string, options: OpenPageOptions) => Promise<BlankPage>;
}

interface BlankPage {
  readonly page: Page;
  /** Checks at the end of a test what the page complained of, after `end`. */
  readonly failOnErrors: (options: OpenPageOptions, end: (isFailed: boolean) => Promise<unknown>) => void;
}

/** Requests of a context that have not ended. */
const traffic = new WeakMap<BrowserContext, Set<Request>>();

const watchTraffic = (context: BrowserContext): void => {
  const asked = new Set<Request>();
  traffic.set(context, asked);
  context.on('request', (request) => asked.add(request));
  context.on('requestfinished', (request) => asked.delete(request));
  context.on('requestfailed', (request) => asked.delete(request));
  // What a page still asked for when it was left is not always told to have ended.
  context.on('page', (page) => {
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) asked.clear();
    });
    page.on('domcontentloaded', () => {
      if (page.url() !== 'about:blank') countOpening();
    });
  });
};

const listenTo = async (context: BrowserContext, complaints: string[]): Promise<void> => {
  await context.exposeFunction('reportViolation', (text: string) => complaints.push(text));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const text = `violation of ${event.violatedDirective} by ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`;
      void (window as unknown as { reportViolation: (said: string) => Promise<void> }).reportViolation(text);
    });
  });
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => complaints.push(`error: ${String(error.error())}`));
};

/** Writes a picture of the page into a folder, for the eye: `PICTURES=<folder>` does so at the end of every test. */
const takePicture = async (page: Page, folder: string, name: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll(/[^\w-]+/g, '-')}.png`);
  // What the browser says itself where there is no page is not always to be had, and no test's matter.
  await page.screenshot({ path }).catch((error: unknown) => process.stderr.write(`no picture: ${String(error)}\n`));
};

/** Of a failed test: where its page was and the beginning of what stood there, beside what was expected. */
const addPageText = async (page: Page, { errors }: RunnerTaskResult): Promise<void> => {
  const error = errors?.[0];
  if (error === undefined) return;
  const shown = await page.locator('body').innerText({ timeout: PAGE_TEXT_TIMEOUT_MS }).catch(String);
  error.message += `\nthe page at ${page.url()} shows: ${shown.replaceAll(/\s+/g, ' ').slice(0, MAX_PAGE_TEXT_LENGTH)}`;
};

export interface BrowserOptions {
  /** A home folder of its own: the authorities that it trusts lie there. */
  readonly home?: string;
  /** Chromium where nothing is said, or what the environment variable BROWSER says. */
  readonly engine?: Engine;
}

type Engine = 'chromium' | 'firefox';
const engineOfRun = (): Engine => (process.env['BROWSER'] === 'firefox' ? 'firefox' : 'chromium');

const createStorageState = (origin: string, stored: NonNullable<OpenPageOptions['stored']>) => ({
  cookies: [],
  origins: [{ origin, localStorage: Object.entries(stored).map(([name, value]) => ({ name, value })) }],
});

const contextOf = (base: string, options: OpenPageOptions, engine: Engine): BrowserContextOptions => {
  const { size = 'wide', scheme = 'light', keepsSite = false, timeZone, stored } = options;
  // Playwright has no phone of Firefox's.
  const isPhone = size === 'phone' && engine === 'chromium';
  return {
    viewport: size === 'phone' ? PHONE_VIEWPORT : WIDE_VIEWPORT,
    hasTouch: isPhone,
    isMobile: isPhone,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    serviceWorkers: keepsSite ? 'allow' : 'block',
    baseURL: base,
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
    ...(stored === undefined ? {} : { storageState: createStorageState(base, stored) }),
  };
};

/** What a page complained of in a test fails it, once the page has ended its part in it. */
const watchTestOf =
  (page: Page, complaints: string[]): BlankPage['failOnErrors'] =>
  ({ size = 'wide', scheme = 'light', expects }, end) => {
    onTestFinished(async ({ task }) => {
      const folder = process.env['PICTURES'];
      const isFailed = task.result?.state === 'fail';
      if (folder !== undefined && !page.isClosed()) await takePicture(page, folder, `${task.name} ${size} ${scheme}`);
      if (task.result && isFailed && !page.isClosed()) await addPageText(page, task.result);
      await end(isFailed || complaints.length > 0);
      const unexpected = complaints.splice(0).filter((text) => !expects?.test(text) && !HARMLESS.test(text));
      if (unexpected.length > 0) throw new Error(`the page complained:\n${unexpected.join('\n')}`);
    });
  };

const baseOf = (origin: string, { plainHttp = false }: OpenPageOptions): string =>
  plainHttp ? `http://${PLAIN_HTTP_HOST}:${new URL(origin).port}` : origin;

/** Starts Debian's Chromium or Firefox, once per file (`lacks('chromium')` of machine.ts says whether there is one); each page has a fresh context. */
export async function startBrowser({ home, engine = engineOfRun() }: BrowserOptions = {}): Promise<TestBrowser> {
  const how = [
    [`--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`],
    home === undefined ? undefined : { ...process.env, HOME: home },
  ] as const;
  const lean = engine === 'firefox' ? await startFirefox([PLAIN_HTTP_HOST]) : await startLeanChromium(...how);
  let whole: Promise<Browser> | undefined;
  const openBlank = async (origin: string, options: OpenPageOptions): Promise<BlankPage> => {
    const { token } = options;
    const base = baseOf(origin, options);
    const needsWhole = options.isWhole === true && engine === 'chromium';
    const browser = needsWhole ? await (whole ??= startChromium(...how)) : lean;
    const context = await browser.newContext(contextOf(base, options, engine));
    context.setDefaultTimeout(TIMEOUT_MS);
    if (engine === 'firefox') await fillByTyping(context);
    if (token !== undefined) await context.addCookies([{ name: 'usertoken', value: token, url: base }]);
    const complaints: string[] = [];
    await listenTo(context, complaints);
    watchTraffic(context);
    const page = await context.newPage();
    if (options.now !== undefined) await page.clock.setFixedTime(options.now);
    return { page, failOnErrors: watchTestOf(page, complaints) };
  };
  return {
    openBlank,
    openPage: async (origin, path, options = {}) => {
      const { page, failOnErrors } = await openBlank(origin, options);
      failOnErrors(options, () => page.context().close());
      await options.before?.(page);
      await page.goto(path);
      return page;
    },
    [Symbol.asyncDispose]: async () => {
      sampleCost();
      await lean.close();
      await (await whole)?.close();
    },
  };
}

const TWO_DRAWINGS = () =>
  new Promise<void>((then) => {
    requestAnimationFrame(() => requestAnimationFrame(() => then()));
  });

/** Waits until the page has loaded, asks for nothing any more, and has drawn what it got. */
export async function waitForIdle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  const asked = traffic.get(page.context());
  // A page that draws nothing answers nothing either: the bound is outside of it.
  const bound = new AbortController();
  const late = setTimeout(TIMEOUT_MS, 'late' as const, { signal: bound.signal });
  let drawings = 0;
  const quiet = async (): Promise<void> => {
    // What comes in may ask for more once it is drawn: quiet is three drawings without a request.
    for (let still = 0; still < 3 && !bound.signal.aborted; still = asked?.size === 0 ? still + 1 : 0) {
      await page.evaluate(TWO_DRAWINGS);
      drawings += 2;
    }
  };
  try {
    if ((await Promise.race([quiet(), late])) !== 'late') return;
    const urls = [...(asked ?? [])].map((request) => `${request.method()} ${request.url()}`);
    throw new Error(`not settled after ${drawings} drawings; still asks for: ${urls.join(', ') || 'nothing'}`);
  } finally {
    bound.abort();
    await late.catch(() => undefined);
  }
}

/** In the page: goes to an address of the site as its links do. */
export function pushPath(to: string): void {
  const { idx = 0, ...state } = (history.state ?? {}) as { readonly idx?: number };
  history.pushState({ ...state, idx: idx + 1 }, '', to);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}

/** Goes to an address of the site as its links do: nothing is loaded anew, which costs a tenth of an opening. */
export function navigate(page: Page, path: string): Promise<void> {
  return page.evaluate(pushPath, path);
}

/** Waits until this element has the focus: what is typed before goes elsewhere. */
export async function waitForFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/** Waits until a dialog has drawn the focus into itself, which it does twice: what is given the focus before would lose it. */
export async function waitForDialogFocus(dialog: Locator): Promise<void> {
  await dialog.locator(':focus').first().waitFor({ state: 'attached' });
  await waitForIdle(dialog.page());
}

const isPressed = (button: Locator, timeout: number): Promise<boolean> =>
  button.click({ timeout }).then(
    () => true,
    () => false,
  );

/**
 * Presses a button that acts at its second press, with what is looked at in between. It falls back after 4 s: where a busy machine stood still
 * for so long, it is asked once more.
 */
export async function pressAndConfirm(first: Locator, second: Locator, between?: () => Promise<void>): Promise<void> {
  await first.click();
  for (let left = 5; left > 0; left -= 1) {
    await between?.();
    if (await isPressed(second, 3000)) return;
    // A press may have done its work, and its button be gone, before it was known that it was pressed.
    if (!(await isPressed(first, 10_000)) && (await first.or(second).count()) === 0) return;
  }
  throw new Error('it fell back before it was pressed again, five times');
}

/** For `before`: settles once the page's line stands. Until then what it sends is dropped, a strip may push it down, and then it asks for all anew. */
export function waitForConnection(page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  page.on('websocket', (line) =>
    line.on('framereceived', ({ payload }) => {
      // How Socket.IO says that one is connected.
      if (String(payload).startsWith('40')) resolve();
    }),
  );
  return promise;
}

/** Presses a button that copies until it says so: it does for 2 s only, which a busy machine may miss. */
export function pressCopy(button: Locator): Promise<void> {
  return expect
    .poll(async () => {
      await button.click();
      const says = button.getByText('Copied');
      return says.waitFor({ state: 'attached', timeout: 1500 }).then(
        () => true,
        () => false,
      );
    })
    .toBe(true);
}
