import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle, Page } from 'playwright-core';
import { waitFor } from '../desktop/desktop.ts';
import { pushPath } from './browser.ts';
import { fillByTyping, startFirefox } from './firefox.ts';
import { startWebKit, type WebElement } from './webkit.ts';

/** A user who navigates the site in any browser by the names of controls. */
export interface BrowserWalk extends AsyncDisposable {
  /** Navigates like a link of the site. */
  readonly go: (path: string) => Promise<void>;
  /** Presses the first control with this name, a pattern for the whole name. */
  readonly press: (name: string) => Promise<void>;
  readonly fill: (name: string, text: string) => Promise<void>;
  /** Waits until the text of the page, its control names and field values match. */
  readonly waitForText: (pattern: RegExp) => Promise<void>;
  /** Errors so far: from the console, scripts and the CSP. */
  readonly listErrors: () => Promise<readonly string[]>;
}

/** What differs between browsers. */
interface BrowserDriver<Element> extends AsyncDisposable {
  readonly evaluate: <Result>(run: (argument: string) => Result, argument?: string) => Promise<Awaited<Result>>;
  readonly find: (name: string) => Promise<Element | null>;
  readonly click: (element: Element) => Promise<void>;
  readonly type: (element: Element, text: string) => Promise<void>;
}

// The following functions run in the page.

/** Records errors from now on. */
function recordErrors(): void {
  const pageErrors: string[] = [];
  Object.assign(globalThis, { pageErrors });
  // oxlint-disable-next-line no-console -- tests collect these messages
  console.error = (...values: unknown[]) => void pageErrors.push(`console: ${values.map(String).join(' ')}`);
  function onError({ message, target }: ErrorEvent): void {
    // A failed preload is harmless: the module is loaded later, or reports its own error.
    // Firefox fails preloads of cached modules.
    if (target instanceof HTMLLinkElement && target.rel === 'modulepreload') return;
    // Errors of pictures, scripts and styles have no message.
    pageErrors.push(`error: ${message ?? (target instanceof HTMLElement ? target.outerHTML : 'unknown')}`);
  }
  addEventListener('error', onError, true);
  addEventListener('unhandledrejection', ({ reason }) => pageErrors.push(`rejection: ${String(reason)}`));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    pageErrors.push(`violation of ${violatedDirective} by ${blockedURI}`),
  );
}

const listPageErrors = (): readonly string[] =>
  (globalThis as unknown as { readonly pageErrors: readonly string[] }).pageErrors;

function findControl(name: string): Element | null {
  const pattern = new RegExp(`^${name}$`, 's');
  const controls = document.querySelectorAll('button, a, input, textarea, [role=option], [role=menuitem]');
  for (const control of controls) {
    const isField = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement;
    const label = isField ? control.labels?.[0]?.textContent : undefined;
    const controlName = (control.getAttribute('aria-label') ?? label ?? control.textContent).trim();
    if (!control.checkVisibility() || !pattern.test(controlName)) continue;
    const onClick = (): void => void Object.assign(globalThis, { pressed: control });
    control.addEventListener('click', onClick, { once: true, capture: true });
    return control;
  }
  return null;
}

/** Returns whether the last click reached its element, which may have moved away. */
function checkPressed(): boolean {
  const isPressed = (globalThis as { pressed?: Element }).pressed !== undefined;
  Object.assign(globalThis, { pressed: undefined });
  return isPressed;
}

function readPage(): string {
  const controlTexts = [...document.body.querySelectorAll('[aria-label], input, textarea')].map(
    (control) => `${control.getAttribute('aria-label') ?? ''} ${'value' in control ? String(control.value) : ''}`,
  );
  return [document.body.innerText, ...controlTexts].join('\n');
}

/** Records the heading before navigation. The old page stays, and would take input, until the new one is loaded. */
function recordOldHeading(path: string): void {
  if (location.pathname !== path)
    Object.assign(globalThis, { oldHeading: document.querySelector('h1, main[aria-label=Blank]') });
}

function isRendered(path: string): boolean {
  const heading = document.querySelector('h1, main[aria-label=Blank]');
  return (
    location.pathname === path &&
    heading !== null &&
    heading !== (globalThis as { oldHeading?: Element | null }).oldHeading
  );
}

async function createWalk<Element>(driver: BrowserDriver<Element>): Promise<BrowserWalk> {
  await driver.evaluate(recordErrors);
  async function wait<Result>(what: string, check: () => Promise<Result>) {
    try {
      return await waitFor(what, check);
    } catch (error) {
      const text = (await driver.evaluate(readPage)).replaceAll(/\s+/g, ' ').slice(0, 600);
      throw new Error(`${what}; the page shows: ${text}`, { cause: error });
    }
  }
  const find = (name: string) =>
    wait(`a control '${name}'`, async () => (await driver.find(name)) ?? undefined) as Promise<Element>;
  return {
    go: async (path) => {
      await driver.evaluate(recordOldHeading, path);
      await driver.evaluate(pushPath, path);
      await wait(`${path} is rendered`, () => driver.evaluate(isRendered, path));
    },
    press: async (name) => {
      await wait(`'${name}' is pressed`, async () => {
        await driver.click(await find(name));
        // WebKit's driver may answer before the page gets the event, and a second press would undo a switch.
        for (let attempt = 0; attempt < 20; attempt += 1) {
          if (await driver.evaluate(checkPressed)) return true;
          await sleep(50);
        }
        return false;
      });
    },
    fill: async (name, text) => driver.type(await find(name), text),
    waitForText: async (pattern) => {
      await wait(`sees ${String(pattern)}`, async () => pattern.test(await driver.evaluate(readPage)));
    },
    listErrors: () => driver.evaluate(listPageErrors),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}

const createPageDriver = (page: Page): Omit<BrowserDriver<ElementHandle>, keyof AsyncDisposable> => ({
  evaluate: (run, argument = '') => page.evaluate(run, argument) as never,
  find: async (name) => (await page.evaluateHandle(findControl, name)).asElement(),
  click: (element) => element.click(),
  type: (element, text) => element.fill(text),
});

export async function startFirefoxWalk(url: string): Promise<BrowserWalk> {
  const browser = await startFirefox();
  const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 1280, height: 800 } });
  await fillByTyping(context);
  const page = await context.newPage();
  await page.goto(url);
  return createWalk({ ...createPageDriver(page), [Symbol.asyncDispose]: () => browser.close() });
}

export async function startWebKitWalk(url: string): Promise<BrowserWalk> {
  const window = await startWebKit();
  await window.goto(url);
  const find = (name: string) => window.evaluate(findControl, name) as Promise<WebElement | null>;
  return createWalk({ ...window, find });
}
