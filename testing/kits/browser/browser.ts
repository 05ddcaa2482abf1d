import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { expect, onTestFinished, type RunnerTaskResult } from 'vitest';
import { countOpening, sampleCost } from '#testing/cost.ts';
import { startChromium, startLeanChromium } from './chromium.ts';
import { fillByTyping, startFirefox } from './firefox.ts';

/**
 * A host name that is not a secure context, like a phone in the home network
 * (docs/adr/0028-own-certificate-authority.md).
 */
export const PLAIN_HTTP_HOST = 'pegboard.local';

export const WIDE_VIEWPORT = { width: 1280, height: 800 };
export const PHONE_VIEWPORT = { width: 390, height: 844 };

/** Over plain HTTP the browser reports that it ignores a header; this is harmless. */
const HARMLESS = /Cross-Origin-Opener-Policy header has been ignored/;

/** Timeout for anything on a page; no poll of a test waits longer. */
const TIMEOUT_MS = 60_000;
const PAGE_TEXT_TIMEOUT_MS = 5000;
const MAX_PAGE_TEXT_LENGTH = 1200;

export interface OpenPageOptions {
  readonly size?: 'wide' | 'phone';
  readonly scheme?: 'light' | 'dark';
  /** `http://pegboard.local:<port>` instead of the loopback address. */
  readonly plainHttp?: boolean;
  /** With the service worker. It loads the whole site into each context, so only tests of offline pages use it. */
  readonly keepsSite?: boolean;
  /** In the full browser, which alone supports notifications and the sensors of a phone. */
  readonly isWhole?: boolean;
  /** Console errors that the test itself causes. */
  readonly expects?: RegExp;
  /** Token of an account: the page is signed in as after 'Stay logged in'. */
  readonly token?: string;
  /** Time zone of the browser, IANA. */
  readonly timeZone?: string;
  /** `localStorage` of an earlier visit. */
  readonly stored?: Readonly<Record<string, string>>;
  /** Stops the browser's clock at this time. */
  readonly now?: string | number | Date;
  /** Runs while the page is still blank, for example to watch its requests. */
  readonly before?: (page: Page) => Promise<unknown>;
}

export interface TestBrowser extends AsyncDisposable {
  /** Opens a page in its own context, at `path` of `origin`. Errors on the page fail the test. */
  readonly openPage: (origin: string, path: string, options?: OpenPageOptions) => Promise<Page>;
  /** Like `openPage`, but blank; its context stays open until the caller closes it. */
  readonly openBlank: (origin: string, options: OpenPageOptions) => Promise<BlankPage>;
}

interface BlankPage {
  readonly page: Page;
  /** At the end of a test, runs `end` and fails the test if the page had errors. */
  readonly failOnErrors: (options: OpenPageOptions, end: (isFailed: boolean) => Promise<unknown>) => void;
}

/** Open requests of a context. */
const traffic = new WeakMap<BrowserContext, Set<Request>>();

const watchTraffic = (context: BrowserContext): void => {
  const openRequests = new Set<Request>();
  traffic.set(context, openRequests);
  context.on('request', (request) => openRequests.add(request));
  context.on('requestfinished', (request) => openRequests.delete(request));
  context.on('requestfailed', (request) => openRequests.delete(request));
  // For requests that were open when the page was left, the end is not always reported.
  context.on('page', (page) => {
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) openRequests.clear();
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

/** Saves a screenshot of the page; `PICTURES=<folder>` does so at the end of every test. */
const takePicture = async (page: Page, folder: string, name: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll(/[^\w-]+/g, '-')}.png`);
  // Browser error pages sometimes can't be captured, which does not matter to the test.
  await page.screenshot({ path }).catch((error: unknown) => process.stderr.write(`no picture: ${String(error)}\n`));
};

/** Adds the address and the start of the page's text to the error of a failed test. */
const addPageText = async (page: Page, { errors }: RunnerTaskResult): Promise<void> => {
  const error = errors?.[0];
  if (error === undefined) return;
  const shown = await page.locator('body').innerText({ timeout: PAGE_TEXT_TIMEOUT_MS }).catch(String);
  error.message += `\nthe page at ${page.url()} shows: ${shown.replaceAll(/\s+/g, ' ').slice(0, MAX_PAGE_TEXT_LENGTH)}`;
};

export interface BrowserOptions {
  /** Home folder with the certificate authorities that the browser trusts. */
  readonly home?: string;
  /** Default: Chromium, or the environment variable BROWSER. */
  readonly engine?: Engine;
}

type Engine = 'chromium' | 'firefox';
const engineOfRun = (): Engine => (process.env['BROWSER'] === 'firefox' ? 'firefox' : 'chromium');

const createStorageState = (origin: string, stored: NonNullable<OpenPageOptions['stored']>) => ({
  cookies: [],
  origins: [{ origin, localStorage: Object.entries(stored).map(([name, value]) => ({ name, value })) }],
});

const createContextOptions = (base: string, options: OpenPageOptions, engine: Engine): BrowserContextOptions => {
  const { size = 'wide', scheme = 'light', keepsSite = false, timeZone, stored } = options;
  // Playwright can't emulate a phone in Firefox.
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

/** Fails a test whose page had errors, once the page is finished. */
const createTestWatcher =
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

const getBaseUrl = (origin: string, { plainHttp = false }: OpenPageOptions): string =>
  plainHttp ? `http://${PLAIN_HTTP_HOST}:${new URL(origin).port}` : origin;

/** Starts Debian's Chromium or Firefox, once per file (check `getSkipReason` first). Each page has a new context. */
export async function startBrowser({ home, engine = engineOfRun() }: BrowserOptions = {}): Promise<TestBrowser> {
  const how = [
    [`--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`],
    home === undefined ? undefined : { ...process.env, HOME: home },
  ] as const;
  const lean = engine === 'firefox' ? await startFirefox([PLAIN_HTTP_HOST]) : await startLeanChromium(...how);
  let whole: Promise<Browser> | undefined;
  const openBlank = async (origin: string, options: OpenPageOptions): Promise<BlankPage> => {
    const { token } = options;
    const base = getBaseUrl(origin, options);
    const needsWhole = options.isWhole === true && engine === 'chromium';
    const browser = needsWhole ? await (whole ??= startChromium(...how)) : lean;
    const context = await browser.newContext(createContextOptions(base, options, engine));
    context.setDefaultTimeout(TIMEOUT_MS);
    if (engine === 'firefox') await fillByTyping(context);
    if (token !== undefined) await context.addCookies([{ name: 'usertoken', value: token, url: base }]);
    const complaints: string[] = [];
    await listenTo(context, complaints);
    watchTraffic(context);
    const page = await context.newPage();
    if (options.now !== undefined) await page.clock.setFixedTime(options.now);
    return { page, failOnErrors: createTestWatcher(page, complaints) };
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

/** Waits until the page is loaded, has no open requests, and is rendered. */
export async function waitForIdle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  const openRequests = traffic.get(page.context());
  // A page that does not render does not answer either, so the timeout is outside of it.
  const bound = new AbortController();
  const late = setTimeout(TIMEOUT_MS, 'late' as const, { signal: bound.signal });
  let drawings = 0;
  const quiet = async (): Promise<void> => {
    // Responses can cause more requests once they are rendered: idle means three frames without a request.
    for (let still = 0; still < 3 && !bound.signal.aborted; still = openRequests?.size === 0 ? still + 1 : 0) {
      await page.evaluate(TWO_DRAWINGS);
      drawings += 2;
    }
  };
  try {
    if ((await Promise.race([quiet(), late])) !== 'late') return;
    const urls = [...(openRequests ?? [])].map((request) => `${request.method()} ${request.url()}`);
    throw new Error(`not settled after ${drawings} drawings; still asks for: ${urls.join(', ') || 'nothing'}`);
  } finally {
    bound.abort();
    await late.catch(() => undefined);
  }
}

/** In the page: navigates like a link of the site. */
export function pushPath(to: string): void {
  const { idx = 0, ...state } = (history.state ?? {}) as { readonly idx?: number };
  history.pushState({ ...state, idx: idx + 1 }, '', to);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}

/** Navigates like a link of the site. Without a reload this costs a tenth of opening a page. */
export function navigate(page: Page, path: string): Promise<void> {
  return page.evaluate(pushPath, path);
}

/** Waits until this element has the focus: text typed earlier goes elsewhere. */
export async function waitForFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/**
 * Waits until a dialog has moved the focus into itself.
 * It does so twice, so focusing something earlier would be undone.
 */
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
 * Presses a button that must be confirmed, with an optional check in between.
 * The confirmation expires after 4 s, so on a busy machine it is tried again.
 */
export async function pressAndConfirm(first: Locator, second: Locator, between?: () => Promise<void>): Promise<void> {
  await first.click();
  for (let left = 5; left > 0; left -= 1) {
    await between?.();
    if (await isPressed(second, 3000)) return;
    // The press may have worked, and its button disappeared, before the click was reported.
    if (!(await isPressed(first, 10_000)) && (await first.or(second).count()) === 0) return;
  }
  throw new Error('it fell back before it was pressed again, five times');
}

/**
 * For `before`: resolves when the page is connected. Until then it drops what it sends, and it reloads data afterwards.
 */
export function waitForConnection(page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  page.on('websocket', (line) =>
    line.on('framereceived', ({ payload }) => {
      // Socket.IO's message for a connection.
      if (String(payload).startsWith('40')) resolve();
    }),
  );
  return promise;
}

/** Presses a copy button until it confirms; it does so for 2 s only, which a busy machine can miss. */
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
