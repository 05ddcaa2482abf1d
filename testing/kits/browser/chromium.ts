import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { findProgram, LEAN_CHROMIUM } from '#testing/machine.ts';

/**
 * Only the last list counts: the driver's own features, after two pages of the address bar, which cost each window more
 * work than the page under test.
 */
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

/** How tests and benchmarks start Debian's Chromium. */
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
 * Debian's Chromium without browser windows: a page in its own context costs half as much.
 * Falls back to the full one. Benchmarks, and tests of more than pages, such as extensions, use the full one.
 */
const LEAN_EXECUTABLE = findProgram(LEAN_CHROMIUM) ?? CHROMIUM.executablePath;

/** Starts the full browser, with additional arguments or its own environment. */
export function startChromium(more: readonly string[] = [], env?: LaunchOptions['env']): Promise<Browser> {
  return chromium.launch({ ...CHROMIUM, args: [...CHROMIUM.args, ...more], ...(env === undefined ? {} : { env }) });
}

/** Starts the browser that page tests use. */
export function startLeanChromium(more: readonly string[] = [], env?: LaunchOptions['env']): Promise<Browser> {
  return chromium.launch({
    ...CHROMIUM,
    executablePath: LEAN_EXECUTABLE,
    args: [...CHROMIUM.args, ...more],
    ...(env === undefined ? {} : { env }),
  });
}
