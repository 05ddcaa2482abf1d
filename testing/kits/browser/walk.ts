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
interface BrowserHands<Element> extends AsyncDisposable {
  readonly evaluate: <Found>(look: (given: string) => Found, given?: string) => Promise<Awaited<Found>>;
  readonly find: (name: string) => Promise<Element | null>;
  readonly click: (element: Element) => Promise<void>;
  readonly type: (element: Element, text: string) => Promise<void>;
}

// The following functions run in the page.

/** Records errors from now on. */
const watchPage = (): void => {
  const complaints: string[] = [];
  Object.assign(globalThis, { complaints });
  // oxlint-disable-next-line no-console -- tests collect these messages
  console.error = (...values: unknown[]) => void complaints.push(`console: ${values.map(String).join(' ')}`);
  const onError = ({ message, target }: ErrorEvent): void => {
    // A failed preload is harmless: the module is loaded later, or reports its own error.
    // Firefox fails preloads of cached modules.
    if (target instanceof HTMLLinkElement && target.rel === 'modulepreload') return;
    // Errors of pictures, scripts and styles have no message.
    complaints.push(`error: ${message ?? (target instanceof HTMLElement ? target.outerHTML : 'unknown')}`);
  };
  addEventListener('error', onError, true);
  addEventListener('unhandledrejection', ({ reason }) => complaints.push(`rejection: ${String(reason)}`));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    complaints.push(`violation of ${violatedDirective} by ${blockedURI}`),
  );
};

const complaintsOfPage = (): readonly string[] =>
  (globalThis as unknown as { readonly complaints: readonly string[] }).complaints;

const findControl = (name: string): Element | null => {
  const pattern = new RegExp(`^${name}$`, 's');
  const all = document.querySelectorAll('button, a, input, textarea, [role=option], [role=menuitem]');
  for (const control of all) {
    const isField = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement;
    const label = isField ? control.labels?.[0]?.textContent : undefined;
    const named = (control.getAttribute('aria-label') ?? label ?? control.textContent).trim();
    if (!control.checkVisibility() || !pattern.test(named)) continue;
    const meet = (): void => void Object.assign(globalThis, { pressed: control });
    control.addEventListener('click', meet, { once: true, capture: true });
    return control;
  }
  return null;
};

/** Returns whether the click reached the element that was found last: it may have moved away. */
const takePressed = (): boolean => {
  const found = (globalThis as { pressed?: Element }).pressed !== undefined;
  Object.assign(globalThis, { pressed: undefined });
  return found;
};

const readPage = (): string => {
  const named = [...document.body.querySelectorAll('[aria-label], input, textarea')].map(
    (each) => `${each.getAttribute('aria-label') ?? ''} ${'value' in each ? String(each.value) : ''}`,
  );
  return [document.body.innerText, ...named].join('\n');
};

/**
 * Records what is rendered before navigation: until the new code is loaded, the old page stays and would take input.
 */
const noteLeft = (path: string): void => {
  if (location.pathname !== path)
    Object.assign(globalThis, { left: document.querySelector('h1, main[aria-label=Blank]') });
};

const isDrawn = (path: string): boolean => {
  const heading = document.querySelector('h1, main[aria-label=Blank]');
  return location.pathname === path && heading !== null && heading !== (globalThis as { left?: Element | null }).left;
};

async function walkWith<Element>(hands: BrowserHands<Element>): Promise<BrowserWalk> {
  await hands.evaluate(watchPage);
  const wait = async <Found>(what: string, look: () => Promise<Found>) => {
    try {
      return await waitFor(what, look);
    } catch (error) {
      const text = (await hands.evaluate(readPage)).replaceAll(/\s+/g, ' ').slice(0, 600);
      throw new Error(`${what}; the page shows: ${text}`, { cause: error });
    }
  };
  const find = (name: string) =>
    wait(`a control '${name}'`, async () => (await hands.find(name)) ?? undefined) as Promise<Element>;
  return {
    go: async (path) => {
      await hands.evaluate(noteLeft, path);
      await hands.evaluate(pushPath, path);
      await wait(`${path} is drawn`, () => hands.evaluate(isDrawn, path));
    },
    press: async (name) => {
      await wait(`'${name}' is pressed`, async () => {
        await hands.click(await find(name));
        // WebKit's driver may answer before the page gets the event, and a second press would undo a switch.
        for (let tries = 0; tries < 20; tries += 1) {
          if (await hands.evaluate(takePressed)) return true;
          await sleep(50);
        }
        return false;
      });
    },
    fill: async (name, text) => hands.type(await find(name), text),
    waitForText: async (pattern) => {
      await wait(`sees ${String(pattern)}`, async () => pattern.test(await hands.evaluate(readPage)));
    },
    listErrors: () => hands.evaluate(complaintsOfPage),
    [Symbol.asyncDispose]: () => hands[Symbol.asyncDispose](),
  };
}

const handsOfPage = (page: Page): Omit<BrowserHands<ElementHandle>, keyof AsyncDisposable> => ({
  evaluate: (look, given = '') => page.evaluate(look, given) as never,
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
  return walkWith({ ...handsOfPage(page), [Symbol.asyncDispose]: () => browser.close() });
}

export async function startWebKitWalk(url: string): Promise<BrowserWalk> {
  const window = await startWebKit();
  await window.goto(url);
  const find = (name: string) => window.evaluate(findControl, name) as Promise<WebElement | null>;
  return walkWith({ ...window, find });
}
