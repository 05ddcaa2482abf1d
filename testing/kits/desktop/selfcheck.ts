import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { findProgram } from '#testing/machine.ts';
import { checks } from '#tools/selfcheck/domain/checks.ts';
import { startServer, type TestAccount, type TestServer } from '../server/server.ts';
import { startDevice, type TestDevice } from './device.ts';
import type { VirtualDesktop } from './virtualDesktop.ts';

/** Longer than all checks take on a busy machine, if each one fails. */
const CHECK_TIMEOUT_MS = 100_000;

export interface CheckWindowOptions {
  readonly server: Pick<TestServer, 'origin'>;
  readonly account: TestAccount;
  readonly drivers: Drivers;
  /** Environment of the desktop on which the browser opens. */
  readonly env: NodeJS.ProcessEnv;
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

/** Runs `agent try`, and returns the path of the page that it opens. */
export async function startCheck<D extends Drivers>({ agent }: TestDevice<D>): Promise<string> {
  return (await agent.runSubcommand('try', []))[0] ?? '';
}

/** Runs `agent try` on a desktop, and opens its page in a Chromium window that fills it. */
export async function openCheckWindow(options: CheckWindowOptions): Promise<CheckWindow> {
  const { server, account, drivers, env, args = [] } = options;
  await using opening = new AsyncDisposableStack();
  const device = opening.use(await startDevice(server, account, { drivers }));
  const path = await startCheck(device);
  const browser = await chromium.launch({
    executablePath: findProgram('chromium') ?? '',
    headless: false,
    args: ['--no-sandbox', '--disable-gpu', '--window-position=0,0', '--window-size=1280,800', ...args],
    env: Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)),
  });
  opening.defer(() => browser.close());
  const context = await browser.newContext({ viewport: null, reducedMotion: 'reduce' });
  await context.addCookies([{ name: 'usertoken', value: account.token, url: server.origin }]);
  const page = await context.newPage();
  await page.goto(`${server.origin}${path}`);
  const listLabels = (outcome: string): Promise<readonly string[]> =>
    page
      .locator(`[data-outcome="${outcome}"]`)
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label') ?? ''));
  const opened = opening.move();
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
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Defines the test of `agent try` on a Wayland desktop, with a German keyboard.
 * @param expected labels of the texts with characters that the desktop can't type, or that the browser ignores.
 */
export function testSelfcheck(
  openDesktop: () => Promise<Pick<VirtualDesktop, 'env' | 'setLayout'> & AsyncDisposable>,
  { partly = [], failed = [] }: Partial<Pick<CheckOutcomes, 'partly' | 'failed'>> = {},
): void {
  test('everything that can be typed arrives in a browser for Wayland', { timeout: 180_000 }, async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'pegboard-selfcheck-'));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rmSync(stateDir, { recursive: true }));
    const server = stack.use(await startServer());
    const { env, setLayout } = stack.use(await openDesktop());
    await setLayout('de');
    const drivers = stack.use(await openSystemDrivers({ env: { ...env, PULSE_SERVER: undefined }, stateDir }));
    const account = await server.createAccount('anna');
    await using window = await openCheckWindow({ server, account, drivers, env, args: ['--ozone-platform=wayland'] });
    const { passed, ...others } = await window.runChecks();
    expect(others).toMatchObject({ partly, failed, skipped: ['Volume'] });
    expect(passed).toHaveLength(checks.length - 1 - partly.length - failed.length);
  });
}
