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
import { openSignedIn, openWithLine } from './signedIn.ts';

interface Site {
  readonly browser: TestBrowser;
  readonly server: TestServer;
}

interface ReusedPage extends Awaited<ReturnType<TestBrowser['openBlank']>> {
  /** Whether the test changed something that navigation does not undo. */
  isChanged: boolean;
  /** Undo functions that run at the end of the test. */
  undo: (() => unknown)[];
  /** The signed-in user when the test started; undefined without one. */
  username: string | undefined;
}

/** Undefined for a visitor who is not signed in. */
type Visitor = TestAccount | undefined;

interface ReuseOptions extends OpenPageOptions {
  /** Waits until the page is connected. */
  readonly hasLine?: boolean;
}

interface Target {
  readonly path: string;
  readonly options: ReuseOptions;
}

/** Timeout for moving a left page to where the next test starts, in milliseconds. */
const WALK_TIMEOUT_MS = 10_000;
const WALK_FRAMES = 300;

const idlePages = new WeakMap<TestBrowser, Map<string, ReusedPage[]>>();

const getIdlePages = (browser: TestBrowser, kind: string): ReusedPage[] => {
  const pages = idlePages.get(browser) ?? new Map<string, ReusedPage[]>();
  idlePages.set(browser, pages);
  const ofKind = pages.get(kind) ?? [];
  pages.set(kind, ofKind);
  return ofKind;
};

const LASTING_METHODS = {
  page: ['addInitScript', 'exposeBinding', 'exposeFunction'],
  context: ['addCookies', 'addInitScript', 'newCDPSession', 'newPage', 'on', 'route', 'setOffline'],
  clock: ['fastForward', 'install', 'pauseAt', 'runFor', 'setFixedTime', 'setSystemTime'],
} as const;

type Method = (...given: unknown[]) => unknown;

/** Calls `then` before each call of these methods. */
const runBeforeEach = (object: object, names: readonly string[], then: Method): void => {
  for (const name of names) {
    const own = Reflect.get(object, name) as Method;
    Reflect.set(object, name, (...given: unknown[]) => {
      then(...given);
      return own.apply(object, given);
    });
  }
};

const watchChanges = (reused: ReusedPage): void => {
  const { page } = reused;
  const context = page.context();
  const noteChange = (): void => void (reused.isChanged = true);
  runBeforeEach(page, LASTING_METHODS.page, noteChange);
  runBeforeEach(context, LASTING_METHODS.context, noteChange);
  runBeforeEach(page.clock, LASTING_METHODS.clock, noteChange);
  runBeforeEach(page, ['on'], (...given) => {
    reused.undo.push(() => page.off(...(given as Parameters<Page['off']>)));
  });
  runBeforeEach(context, ['grantPermissions'], () => {
    reused.undo.push(() => context.clearPermissions());
  });
};

/** In the page: dismisses notices and resets choices of earlier tests. Returns whether a dialog is still open. */
const tidyPage = (): boolean => {
  for (const button of document.querySelectorAll<HTMLElement>('[aria-label="Notices"] [aria-label="Dismiss"]'))
    button.click();
  localStorage.clear();
  return document.querySelector('[aria-modal="true"]') !== null;
};

/** In the page: logs out with the account menu. */
const logOutInPage = async (mostFrames: number): Promise<void> => {
  const untilThere = async (selector: string, text: string): Promise<HTMLElement | undefined> => {
    for (let frames = 0; frames < mostFrames; frames += 1) {
      // If a test ended before the server had all changes, a dialog asks whether they may be lost.
      for (const lose of document.querySelectorAll<HTMLElement>('[role=dialog] button'))
        if (lose.innerText === 'Log out') lose.click();
      const found = [...document.querySelectorAll<HTMLElement>(selector)].find((each) => each.innerText.includes(text));
      if (found) return found;
      await new Promise((then) => requestAnimationFrame(then));
    }
    return undefined;
  };
  (await untilThere('[aria-label="Account"]', ''))?.click();
  (await untilThere('[role=menuitem]', 'Log out'))?.click();
  const notice = await untilThere('[aria-label="Notices"] > *', 'You are logged out');
  notice?.querySelector<HTMLElement>('[aria-label="Dismiss"]')?.click();
};

const isSignedInThere = (): boolean => {
  const { usr } = (history.state ?? {}) as { readonly usr?: { readonly token?: string } | null };
  return usr?.token !== undefined || /(^|; )usertoken=\w/.test(document.cookie);
};

/** In the page: signs in like a link with a session, and navigates to `path`. */
const signInInPage = ({
  path,
  ...usr
}: {
  readonly path: string;
  readonly token: string;
  readonly username: string;
}): void => {
  document.cookie = `usertoken=${encodeURIComponent(usr.token)}; path=/; SameSite=Strict`;
  const { idx = 0, ...state } = (history.state ?? {}) as { readonly idx?: number };
  history.pushState({ ...state, usr, idx: idx + 1 }, '', path);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
};

const newToken = async ({ call }: TestServer, { name, password }: TestAccount): Promise<string> =>
  (await call(log, { username: name, password, days: 1 })).token;

const logOut = async (page: Page): Promise<void> => {
  // Some pages have no shell and no menu.
  if ((await page.locator('[aria-label="Account"]').count()) === 0) await page.evaluate(pushPath, '/dashboard/about');
  await page.evaluate(logOutInPage, WALK_FRAMES);
  await page.waitForURL(/\/login$/, { timeout: WALK_TIMEOUT_MS });
  await page.evaluate(tidyPage);
};

/** Afterwards nothing of the left page is rendered. */
const leavePage = async (page: Page): Promise<void> => {
  await page.evaluate(pushPath, '/backy');
  await page.getByRole('main', { name: 'Blank' }).waitFor({ state: 'attached', timeout: WALK_TIMEOUT_MS });
};

/** Restores the options with which the page was opened. */
const resetPage = async (page: Page, { size, scheme = 'light' }: OpenPageOptions): Promise<void> => {
  await page.setViewportSize(size === 'phone' ? PHONE_VIEWPORT : WIDE_VIEWPORT);
  await page.emulateMedia({ media: null, colorScheme: scheme });
  // Anything open above all pages stays open during navigation.
  for (let left = 5; left > 0 && (await page.evaluate(tidyPage)); left -= 1) await page.keyboard.press('Escape');
};

/** Moves a page from where an earlier test left it to where this one starts. */
const walkToStart = async (reused: ReusedPage, { server }: Site, account: Visitor, target: Target): Promise<void> => {
  const { page } = reused;
  const { path, options } = target;
  await resetPage(page, options);
  const isSignedIn = await page.evaluate(isSignedInThere);
  const isSame = reused.username === account?.name && isSignedIn === (account !== undefined);
  if (isSignedIn && !isSame) await logOut(page);
  await leavePage(page);
  if (isSame || account === undefined) await page.evaluate(pushPath, path);
  else {
    const line = options.hasLine === true ? waitForConnection(page) : undefined;
    await page.evaluate(signInInPage, { path, token: await newToken(server, account), username: account.name });
    await line;
  }
  reused.username = account?.name;
};

const openNew = async ({ browser, server }: Site, account: Visitor, target: Target): Promise<ReusedPage> => {
  const { path, options } = target;
  const token = account && { token: await newToken(server, account) };
  const blank = await browser.openBlank(server.origin, { ...options, ...token });
  const reused: ReusedPage = { ...blank, isChanged: false, undo: [], username: account?.name };
  watchChanges(reused);
  const line = options.hasLine === true ? waitForConnection(blank.page) : undefined;
  await blank.page.goto(path);
  await line;
  return reused;
};

/**
 * Reuses the page of an earlier test of the file, at a third of the cost of a new one, a tenth for the same account.
 * Browser settings stay, so a test that changes any must open its own page.
 */
export async function reusePage(site: Site, account: Visitor, path: string, options: ReuseOptions = {}): Promise<Page> {
  const { size, scheme, plainHttp, timeZone, now, hasLine, expects: _, ...others } = options;
  if (Object.keys(others).length > 0) {
    if (!account) return site.browser.openPage(site.server.origin, path, options);
    return (hasLine ? openWithLine : openSignedIn)(site, account, path, options);
  }
  const idle = getIdlePages(site.browser, JSON.stringify([site.server.origin, size, scheme, plainHttp, timeZone, now]));
  const found = idle.findIndex(({ username }) => username === account?.name);
  let [reused] = idle.splice(Math.max(found, 0), 1);
  if (reused)
    try {
      await walkToStart(reused, site, account, { path, options });
    } catch (error) {
      // Some states of a page can't be left by navigation; then a new page is opened.
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
