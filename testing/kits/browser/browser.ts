import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { expect, onTestFinished, type RunnerTaskResult } from 'vitest';
import { countOpening, sampleCost } from '#testing/cost.ts';
import { startChromium, startHeadlessChromium } from './chromium.ts';
import { fillByTyping, startFirefox } from './firefox.ts';

/**
 * A host name that is not a secure context, like a phone in the home network
 * (docs/adr/0028-own-certificate-authority.md).
 */
export const PLAIN_HTTP_HOST = 'pegboard.local';

export const WIDE_VIEWPORT = { width: 1280, height: 800 };
export const PHONE_VIEWPORT = { width: 390, height: 844 };

/** Over plain HTTP the browser reports that it ignores a header. */
const HARMLESS_ERROR = /Cross-Origin-Opener-Policy header has been ignored/;

/** Timeout of everything that a test waits for on a page. */
const TIMEOUT_MS = 60_000;
const PAGE_TEXT_TIMEOUT_MS = 5000;
const MAX_PAGE_TEXT_LENGTH = 1200;

export interface OpenPageOptions {
  readonly size?: 'wide' | 'phone';
  readonly scheme?: 'light' | 'dark';
  /** `http://pegboard.local:<port>` instead of the loopback address. */
  readonly plainHttp?: boolean;
  /** Registers the service worker. It loads the whole site into each context, so only tests of offline pages use it. */
  readonly hasServiceWorker?: boolean;
  /** Uses the full browser, which alone supports notifications and the sensors of a phone. */
  readonly isFullBrowser?: boolean;
  /** Console errors that the test itself causes. */
  readonly expects?: RegExp;
  /** Token of an account: the page is logged in as after 'Stay logged in'. */
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
  /** Runs `end` at the end of a test, and fails the test if the page had errors. */
  readonly failOnErrors: (options: OpenPageOptions, end: (isFailed: boolean) => Promise<unknown>) => void;
}

/** Open requests of a context. */
const traffic = new WeakMap<BrowserContext, Set<Request>>();

function watchTraffic(context: BrowserContext): void {
  const openRequests = new Set<Request>();
  traffic.set(context, openRequests);
  context.on('request', (request) => openRequests.add(request));
  context.on('requestfinished', (request) => openRequests.delete(request));
  context.on('requestfailed', (request) => openRequests.delete(request));
  // The browser does not always report the end of requests that were open when the page was left.
  context.on('page', (page) => {
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) openRequests.clear();
    });
    page.on('domcontentloaded', () => {
      if (page.url() !== 'about:blank') countOpening();
    });
  });
}

async function collectPageErrors(context: BrowserContext, pageErrors: string[]): Promise<void> {
  await context.exposeFunction('reportViolation', (text: string) => pageErrors.push(text));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const text = `violation of ${event.violatedDirective} by ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`;
      void (window as unknown as { reportViolation: (text: string) => Promise<void> }).reportViolation(text);
    });
  });
  context.on('console', (message) => {
    if (message.type() === 'error') pageErrors.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => pageErrors.push(`error: ${String(error.error())}`));
}

/** Saves a screenshot of the page; `PICTURES=<folder>` does so at the end of every test. */
async function takePicture(page: Page, folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll(/[^\w-]+/g, '-')}.png`);
  // Browser error pages sometimes can't be captured, which does not matter to the test.
  await page.screenshot({ path }).catch((error: unknown) => process.stderr.write(`no picture: ${String(error)}\n`));
}

/** Adds the address and the start of the page's text to the error of a failed test. */
async function addPageText(page: Page, { errors }: RunnerTaskResult): Promise<void> {
  const error = errors?.[0];
  if (error === undefined) return;
  const text = await page.locator('body').innerText({ timeout: PAGE_TEXT_TIMEOUT_MS }).catch(String);
  error.message += `\nthe page at ${page.url()} shows: ${text.replaceAll(/\s+/g, ' ').slice(0, MAX_PAGE_TEXT_LENGTH)}`;
}

export interface BrowserOptions {
  /** Home folder with the certificate authorities that the browser trusts. */
  readonly home?: string;
  /** Default: Chromium, or the environment variable BROWSER. */
  readonly engine?: Engine;
}

type Engine = 'chromium' | 'firefox';
const getDefaultEngine = (): Engine => (process.env['BROWSER'] === 'firefox' ? 'firefox' : 'chromium');

const createStorageState = (origin: string, stored: NonNullable<OpenPageOptions['stored']>) => ({
  cookies: [],
  origins: [{ origin, localStorage: Object.entries(stored).map(([name, value]) => ({ name, value })) }],
});

function createContextOptions(base: string, options: OpenPageOptions, engine: Engine): BrowserContextOptions {
  const { size = 'wide', scheme = 'light', hasServiceWorker = false, timeZone, stored } = options;
  // Playwright can't emulate a phone in Firefox.
  const isPhone = size === 'phone' && engine === 'chromium';
  return {
    viewport: size === 'phone' ? PHONE_VIEWPORT : WIDE_VIEWPORT,
    hasTouch: isPhone,
    isMobile: isPhone,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    serviceWorkers: hasServiceWorker ? 'allow' : 'block',
    baseURL: base,
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
    ...(stored === undefined ? {} : { storageState: createStorageState(base, stored) }),
  };
}

/** Fails a test whose page had errors, once the page is finished. */
const createTestWatcher =
  (page: Page, pageErrors: string[]): BlankPage['failOnErrors'] =>
  ({ size = 'wide', scheme = 'light', expects }, end) => {
    onTestFinished(async ({ task }) => {
      const folder = process.env['PICTURES'];
      const isFailed = task.result?.state === 'fail';
      if (folder !== undefined && !page.isClosed()) await takePicture(page, folder, `${task.name} ${size} ${scheme}`);
      if (task.result && isFailed && !page.isClosed()) await addPageText(page, task.result);
      await end(isFailed || pageErrors.length > 0);
      const unexpected = pageErrors.splice(0).filter((text) => !expects?.test(text) && !HARMLESS_ERROR.test(text));
      if (unexpected.length > 0) throw new Error(`the page had errors:\n${unexpected.join('\n')}`);
    });
  };

const getBaseUrl = (origin: string, { plainHttp = false }: OpenPageOptions): string =>
  plainHttp ? `http://${PLAIN_HTTP_HOST}:${new URL(origin).port}` : origin;

/** Starts Debian's Chromium or Firefox, once per file (check `getSkipReason` first). Each page has a new context. */
export async function startBrowser({ home, engine = getDefaultEngine() }: BrowserOptions = {}): Promise<TestBrowser> {
  const launchOptions = [
    [`--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`],
    home === undefined ? undefined : { ...process.env, HOME: home },
  ] as const;
  const headlessBrowser =
    engine === 'firefox' ? await startFirefox([PLAIN_HTTP_HOST]) : await startHeadlessChromium(...launchOptions);
  let fullBrowser: Promise<Browser> | undefined;
  async function openBlank(origin: string, options: OpenPageOptions): Promise<BlankPage> {
    const { token } = options;
    const base = getBaseUrl(origin, options);
    const needsFullBrowser = options.isFullBrowser === true && engine === 'chromium';
    const browser = needsFullBrowser ? await (fullBrowser ??= startChromium(...launchOptions)) : headlessBrowser;
    const context = await browser.newContext(createContextOptions(base, options, engine));
    context.setDefaultTimeout(TIMEOUT_MS);
    if (engine === 'firefox') await fillByTyping(context);
    if (token !== undefined) await context.addCookies([{ name: 'usertoken', value: token, url: base }]);
    const pageErrors: string[] = [];
    await collectPageErrors(context, pageErrors);
    watchTraffic(context);
    const page = await context.newPage();
    if (options.now !== undefined) await page.clock.setFixedTime(options.now);
    return { page, failOnErrors: createTestWatcher(page, pageErrors) };
  }
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
      await headlessBrowser.close();
      await (await fullBrowser)?.close();
    },
  };
}

/** Runs in the page: resolves after the next frame. */
const waitForFrame = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });

/** Waits until the page is loaded, has no open requests, and is rendered. */
export async function waitForIdle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  const openRequests = traffic.get(page.context());
  // A page that does not render does not answer either, so the timeout is outside of it.
  const stop = new AbortController();
  const timeout = setTimeout(TIMEOUT_MS, 'timeout' as const, { signal: stop.signal });
  let frameCount = 0;
  async function waitForQuietFrames(): Promise<void> {
    // Responses can cause more requests once they are rendered: idle means three frames without a request.
    for (let quietCount = 0; quietCount < 3 && !stop.signal.aborted;) {
      await page.evaluate(waitForFrame);
      frameCount += 1;
      quietCount = openRequests?.size === 0 ? quietCount + 1 : 0;
    }
  }
  try {
    if ((await Promise.race([waitForQuietFrames(), timeout])) !== 'timeout') return;
    const urls = [...(openRequests ?? [])].map((request) => `${request.method()} ${request.url()}`);
    throw new Error(`not idle after ${frameCount} frames; open requests: ${urls.join(', ') || 'none'}`);
  } finally {
    stop.abort();
    await timeout.catch(() => undefined);
  }
}

/** Runs in the page: navigates like a link of the site. */
export function pushPath(to: string): void {
  const { idx = 0, ...state } = (history.state ?? {}) as { readonly idx?: number };
  history.pushState({ ...state, idx: idx + 1 }, '', to);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}

/** Navigates like a link of the site. Without a reload this costs a tenth of opening a page. */
export function navigate(page: Page, path: string): Promise<void> {
  return page.evaluate(pushPath, path);
}

/** Waits until the element has the focus. Text that is typed earlier goes elsewhere. */
export async function waitForFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/** Waits until a dialog has moved the focus into itself. It does so twice, which would undo a focus set in between. */
export async function waitForDialogFocus(dialog: Locator): Promise<void> {
  await dialog.locator(':focus').first().waitFor({ state: 'attached' });
  await waitForIdle(dialog.page());
}

const tryClick = (button: Locator, timeout: number): Promise<boolean> =>
  button.click({ timeout }).then(
    () => true,
    () => false,
  );

/**
 * Presses a button that must be confirmed, with an optional check in between.
 * The confirmation expires after 4 s, so on a busy machine it is tried again.
 */
export async function pressAndConfirm(
  button: Locator,
  confirmation: Locator,
  checkBetween?: () => Promise<void>,
): Promise<void> {
  await button.click();
  for (let attemptsLeft = 5; attemptsLeft > 0; attemptsLeft -= 1) {
    await checkBetween?.();
    if (await tryClick(confirmation, 3000)) return;
    // The click may have worked and removed its button before it was reported.
    if (!(await tryClick(button, 10_000)) && (await button.or(confirmation).count()) === 0) return;
  }
  throw new Error('the confirmation expired five times before it was pressed');
}

/** Resolves when the page is connected. Call it while the page is blank. */
export function waitForConnection(page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      // Socket.IO's message for a connection.
      if (String(payload).startsWith('40')) resolve();
    }),
  );
  return promise;
}

/** Presses a copy button until it confirms. It does so for 2 s, which a busy machine can miss. */
export function pressCopy(button: Locator): Promise<void> {
  return expect
    .poll(async () => {
      await button.click();
      return button
        .getByText('Copied')
        .waitFor({ state: 'attached', timeout: 1500 })
        .then(
          () => true,
          () => false,
        );
    })
    .toBe(true);
}
