import { chromium, type Page } from 'playwright-core';
import { findProgram } from '#testing/machine.ts';
import type { TestAccount } from '../server/server.ts';

/** Longer than all checks take on a busy machine, if each one fails. */
const CHECK_TIMEOUT_MS = 100_000;

export interface CheckWindowOptions {
  /** Environment of the desktop on which the browser opens. */
  readonly env: NodeJS.ProcessEnv;
  readonly origin: string;
  /** Path that `agent try` returned. */
  readonly path: string;
  /** The account that is logged in there; none by default. */
  readonly account?: TestAccount;
  /** Further arguments of Chromium, such as `--ozone-platform=wayland`. */
  readonly args?: readonly string[];
}

/** A browser window with the page of a self-check, on a real desktop. */
export interface CheckWindow extends AsyncDisposable {
  readonly page: Page;
  /** Runs all checks. Returns the labels of the results by their outcome. */
  readonly runChecks: () => Promise<CheckOutcomes>;
}

export interface CheckOutcomes {
  readonly passed: readonly string[];
  readonly partly: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  /** The text that users paste into a bug report, without the lines about the computer. */
  readonly report: string;
}

/** Opens the page of a self-check in a Chromium window that fills the desktop. */
export async function openCheckWindow({
  env,
  origin,
  path,
  account,
  args = [],
}: CheckWindowOptions): Promise<CheckWindow> {
  const browser = await chromium.launch({
    executablePath: findProgram('chromium') ?? '',
    headless: false,
    args: ['--no-sandbox', '--disable-gpu', '--window-position=0,0', '--window-size=1280,800', ...args],
    env: Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)),
  });
  const context = await browser.newContext({ viewport: null, reducedMotion: 'reduce' });
  if (account) await context.addCookies([{ name: 'usertoken', value: account.token, url: origin }]);
  const page = await context.newPage();
  await page.goto(`${origin}${path}`);
  const listLabels = (outcome: string): Promise<readonly string[]> =>
    page
      .locator(`[data-outcome="${outcome}"]`)
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
  return {
    page,
    runChecks: async () => {
      await page.getByRole('button', { name: /^(Start the check|Check again)$/ }).click();
      await page.locator('[data-phase=running]').waitFor();
      await page.locator('[data-phase=done], [data-phase=failed]').waitFor({ timeout: CHECK_TIMEOUT_MS });
      return {
        passed: await listLabels('passed'),
        partly: await listLabels('partly'),
        failed: await listLabels('failed'),
        skipped: await listLabels('skipped'),
        report: await page.getByRole('list', { name: 'Results' }).innerText(),
      };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
