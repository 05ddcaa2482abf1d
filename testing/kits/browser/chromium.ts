import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { findProgram, LEAN_CHROMIUM } from '#testing/machine.ts';

/** The last list given counts: these are the driver's own, and before them two pages of the address bar, which cost every window more work than the page under test. */
const LEFT_OUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** How tests and measurements start Debian's Chromium. */
export const CHROMIUM = {
  executablePath: findProgram('chromium') ?? 'chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${LEFT_OUT.join(',')}`,
  ],
} satisfies LaunchOptions;

/**
 * The same Chromium, built by Debian without the browser's own windows: a page in a context of its own costs it half as much work.
 * Where there is none, the whole one does; measurements use the whole one, and so does what a page is not, such as an extension.
 */
const LEAN_EXECUTABLE = findProgram(LEAN_CHROMIUM) ?? CHROMIUM.executablePath;

/** Starts the whole browser, with more arguments or an environment of its own. */
export function startChromium(more: readonly string[] = [], env?: LaunchOptions['env']): Promise<Browser> {
  return chromium.launch({ ...CHROMIUM, args: [...CHROMIUM.args, ...more], ...(env === undefined ? {} : { env }) });
}

/** Starts what tests look at pages with. */
export function startLeanChromium(more: readonly string[] = [], env?: LaunchOptions['env']): Promise<Browser> {
  return chromium.launch({
    ...CHROMIUM,
    executablePath: LEAN_EXECUTABLE,
    args: [...CHROMIUM.args, ...more],
    ...(env === undefined ? {} : { env }),
  });
}
