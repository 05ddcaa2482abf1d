import type { Page } from 'playwright-core';
import { log } from '#platform/contract/session.ts';
import type { TestAccount, TestServer } from '../server/server.ts';
import {
  waitForConnection,
  PHONE_VIEWPORT,
  pushPath,
  WIDE_VIEWPORT,
  type TestBrowser,
  type OpenPageOptions,
} from './browser.ts';
import { openLoggedIn, openConnected } from './openLoggedIn.ts';

interface Site {
  readonly browser: TestBrowser;
  readonly server: TestServer;
}

interface ReusedPage extends Awaited<ReturnType<TestBrowser['openBlank']>> {
  /** Whether the test changed something that navigation does not undo. */
  isChanged: boolean;
  /** Undo functions that run at the end of the test. */
  undo: (() => unknown)[];
  /** Who was logged in when the test started. */
  username: string | undefined;
}

/** Undefined for someone who is not logged in. */
type Visitor = TestAccount | undefined;

interface ReuseOptions extends OpenPageOptions {
  /** Waits until the page is connected. */
  readonly waitsForConnection?: boolean;
}

interface Target {
  readonly path: string;
  readonly options: ReuseOptions;
}

/** Timeout of moving a page of an earlier test to the start of the next one. */
const RESET_TIMEOUT_MS = 10_000;
const MAX_LOGOUT_FRAMES = 300;

const idlePages = new WeakMap<TestBrowser, Map<string, ReusedPage[]>>();

function getIdlePages(browser: TestBrowser, kind: string): ReusedPage[] {
  const pages = idlePages.get(browser) ?? new Map<string, ReusedPage[]>();
  idlePages.set(browser, pages);
  const pagesOfKind = pages.get(kind) ?? [];
  pages.set(kind, pagesOfKind);
  return pagesOfKind;
}

const LASTING_METHODS = {
  page: ['addInitScript', 'exposeBinding', 'exposeFunction'],
  context: ['addCookies', 'addInitScript', 'newCDPSession', 'newPage', 'on', 'route', 'setOffline'],
  clock: ['fastForward', 'install', 'pauseAt', 'runFor', 'setFixedTime', 'setSystemTime'],
} as const;

type Method = (...values: unknown[]) => unknown;

/** Calls `onCall` before each call of these methods. */
function interceptCalls(object: object, names: readonly string[], onCall: Method): void {
  for (const name of names) {
    const method = Reflect.get(object, name) as Method;
    Reflect.set(object, name, (...values: unknown[]) => {
      onCall(...values);
      return method.apply(object, values);
    });
  }
}

function watchChanges(reused: ReusedPage): void {
  const { page } = reused;
  const context = page.context();
  const markChanged = (): void => void (reused.isChanged = true);
  interceptCalls(page, LASTING_METHODS.page, markChanged);
  interceptCalls(context, LASTING_METHODS.context, markChanged);
  interceptCalls(page.clock, LASTING_METHODS.clock, markChanged);
  interceptCalls(page, ['on'], (...values) => {
    reused.undo.push(() => page.off(...(values as Parameters<Page['off']>)));
  });
  interceptCalls(context, ['grantPermissions'], () => {
    reused.undo.push(() => context.clearPermissions());
  });
}

/** Runs in the page: dismisses notices and resets choices of earlier tests. Returns whether a dialog is still open. */
function tidyPage(): boolean {
  for (const button of document.querySelectorAll<HTMLElement>('[aria-label="Notices"] [aria-label="Dismiss"]'))
    button.click();
  localStorage.clear();
  return document.querySelector('[aria-modal="true"]') !== null;
}

/** Runs in the page: logs out with the account menu. */
async function logOutInPage(maxFrames: number): Promise<void> {
  async function waitForElement(selector: string, text: string): Promise<HTMLElement | undefined> {
    for (let frames = 0; frames < maxFrames; frames += 1) {
      // If a test ended before the server had all changes, a dialog asks whether they may be lost.
      for (const button of document.querySelectorAll<HTMLElement>('[role=dialog] button'))
        if (button.innerText === 'Log out') button.click();
      const element = [...document.querySelectorAll<HTMLElement>(selector)].find((candidate) =>
        candidate.innerText.includes(text),
      );
      if (element) return element;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return undefined;
  }
  (await waitForElement('[aria-label="Account"]', ''))?.click();
  (await waitForElement('[role=menuitem]', 'Log out'))?.click();
  const notice = await waitForElement('[aria-label="Notices"] > *', 'You are logged out');
  notice?.querySelector<HTMLElement>('[aria-label="Dismiss"]')?.click();
}

function isLoggedInPage(): boolean {
  const { usr } = (history.state ?? {}) as { readonly usr?: { readonly token?: string } | null };
  return usr?.token !== undefined || /(^|; )usertoken=\w/.test(document.cookie);
}

/** Runs in the page: stores the session, as after a login, and navigates to `path`. */
function logInInPage({
  path,
  ...usr
}: {
  readonly path: string;
  readonly token: string;
  readonly username: string;
}): void {
  document.cookie = `usertoken=${encodeURIComponent(usr.token)}; path=/; SameSite=Strict`;
  const { idx = 0, ...state } = (history.state ?? {}) as { readonly idx?: number };
  history.pushState({ ...state, usr, idx: idx + 1 }, '', path);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}

const createToken = async ({ call }: TestServer, { name, password }: TestAccount): Promise<string> =>
  (await call(log, { username: name, password, days: 1 })).token;

async function logOut(page: Page): Promise<void> {
  // Some pages have no shell and no menu.
  if ((await page.locator('[aria-label="Account"]').count()) === 0) await page.evaluate(pushPath, '/dashboard/about');
  await page.evaluate(logOutInPage, MAX_LOGOUT_FRAMES);
  await page.waitForURL(/\/login$/, { timeout: RESET_TIMEOUT_MS });
  await page.evaluate(tidyPage);
}

/** Navigates to the blank page, and waits until nothing of the old page is rendered. */
async function leavePage(page: Page): Promise<void> {
  await page.evaluate(pushPath, '/backy');
  await page.getByRole('main', { name: 'Blank' }).waitFor({ state: 'attached', timeout: RESET_TIMEOUT_MS });
}

/** Restores the options with which the page was opened. */
async function resetPage(page: Page, { size, scheme = 'light' }: OpenPageOptions): Promise<void> {
  await page.setViewportSize(size === 'phone' ? PHONE_VIEWPORT : WIDE_VIEWPORT);
  await page.emulateMedia({ media: null, colorScheme: scheme });
  // Anything open above all pages stays open during navigation.
  for (let left = 5; left > 0 && (await page.evaluate(tidyPage)); left -= 1) await page.keyboard.press('Escape');
}

/** Brings a page of an earlier test to the state and path where this one starts. */
async function resetForTest(reused: ReusedPage, { server }: Site, account: Visitor, target: Target): Promise<void> {
  const { page } = reused;
  const { path, options } = target;
  await resetPage(page, options);
  const isLoggedIn = await page.evaluate(isLoggedInPage);
  const isSame = reused.username === account?.name && isLoggedIn === (account !== undefined);
  if (isLoggedIn && !isSame) await logOut(page);
  await leavePage(page);
  if (isSame || account === undefined) await page.evaluate(pushPath, path);
  else {
    const connection = options.waitsForConnection === true ? waitForConnection(page) : undefined;
    await page.evaluate(logInInPage, { path, token: await createToken(server, account), username: account.name });
    await connection;
  }
  reused.username = account?.name;
}

async function openNew({ browser, server }: Site, account: Visitor, target: Target): Promise<ReusedPage> {
  const { path, options } = target;
  const token = account && { token: await createToken(server, account) };
  const blank = await browser.openBlank(server.origin, { ...options, ...token });
  const reused: ReusedPage = { ...blank, isChanged: false, undo: [], username: account?.name };
  watchChanges(reused);
  const connection = options.waitsForConnection === true ? waitForConnection(blank.page) : undefined;
  await blank.page.goto(path);
  await connection;
  return reused;
}

/**
 * Reuses the page of an earlier test of the file, at a third of the cost of a new page, a tenth with the same account.
 * Settings of the browser stay, so a test that changes one must open its own page.
 */
export async function reusePage(site: Site, account: Visitor, path: string, options: ReuseOptions = {}): Promise<Page> {
  const { size, scheme, plainHttp, timeZone, now, waitsForConnection, expects: _, ...others } = options;
  if (Object.keys(others).length > 0) {
    if (!account) return site.browser.openPage(site.server.origin, path, options);
    return (waitsForConnection ? openConnected : openLoggedIn)(site, account, path, options);
  }
  const idle = getIdlePages(site.browser, JSON.stringify([site.server.origin, size, scheme, plainHttp, timeZone, now]));
  const index = idle.findIndex(({ username }) => username === account?.name);
  let [reused] = idle.splice(Math.max(index, 0), 1);
  if (reused)
    try {
      await resetForTest(reused, site, account, { path, options });
    } catch (error) {
      // Navigation can't leave every state of a page.
      process.stderr.write(`a page was opened again: ${String(error)}\n`);
      await reused.page.context().close();
      reused = undefined;
    }
  const current = reused ?? (await openNew(site, account, { path, options }));
  const { page } = current;
  current.isChanged = false;
  current.failOnErrors(options, async (isFailed) => {
    if (isFailed || page.isClosed() || current.isChanged) await page.context().close();
    else {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      for (const undo of current.undo.splice(0)) await undo();
      idle.push(current);
    }
  });
  return page;
}
