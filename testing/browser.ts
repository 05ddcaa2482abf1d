import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { findProgram } from './machine.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Under this name the page is no secure context, as on a phone in the house (reliability.md section 3). */
export const PLAIN_HTTP_NAME = 'pegboard.local';

export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export interface OpenOptions {
  readonly size?: 'wide' | 'phone';
  readonly scheme?: 'light' | 'dark';
  /** `http://pegboard.local:<port>` instead of the loopback address. */
  readonly plainHttp?: boolean;
  /** Complaints of the console that the test itself causes. */
  readonly expects?: RegExp;
}

export interface OpenBrowser extends AsyncDisposable {
  /** A page in a context of its own, at `path` of `origin`. What it complains of fails the test. */
  readonly open: (origin: string, path: string, options?: OpenOptions) => Promise<Page>;
}

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

/** Starts Debian's Chromium, once per file (`lacks('chromium')` of machine.ts says whether there is one); each page has a fresh context. */
export const startBrowser = async (): Promise<OpenBrowser> => {
  const browser: Browser = await chromium.launch({
    executablePath: findProgram('chromium') ?? 'chromium',
    args: [...FLAGS, `--host-resolver-rules=MAP ${PLAIN_HTTP_NAME} 127.0.0.1`],
  });
  return {
    open: async (origin, path, { size = 'wide', scheme = 'light', plainHttp = false, expects } = {}) => {
      const base = plainHttp ? `http://${PLAIN_HTTP_NAME}:${new URL(origin).port}` : origin;
      const context = await browser.newContext({
        viewport: size === 'phone' ? PHONE : WIDE,
        hasTouch: size === 'phone',
        isMobile: size === 'phone',
        colorScheme: scheme,
        reducedMotion: 'reduce',
        baseURL: base,
      });
      const complaints: string[] = [];
      await listenTo(context, complaints);
      onTestFinished(async () => {
        await context.close();
        const unexpected = complaints.filter((text) => !expects?.test(text));
        if (unexpected.length > 0) throw new Error(`the page complained:\n${unexpected.join('\n')}`);
      });
      const page = await context.newPage();
      await page.goto(path);
      return page;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
};

/** Writes a picture of the page into a folder outside the repository, for the eye. */
export const takePicture = async (page: Page, folder: string, name: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
};
