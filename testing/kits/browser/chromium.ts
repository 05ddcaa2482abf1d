import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { findProgram, HEADLESS_CHROMIUM } from '#testing/machine.ts';

/**
 * Chromium uses only the last `--disable-features`, so this repeats the driver's own list. The first two are pages of
 * the address bar, which cost each window more work than the page under test.
 */
const DISABLED_FEATURES = [
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
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ],
} satisfies LaunchOptions;

/**
 * Debian's Chromium without browser windows: a page in its own context costs half as much.
 * Falls back to the full one. Benchmarks, and tests of more than pages, such as extensions, use the full one.
 */
const HEADLESS_EXECUTABLE = findProgram(HEADLESS_CHROMIUM) ?? CHROMIUM.executablePath;

/** Starts the full browser, with additional arguments or its own environment. */
export function startChromium(extraArguments: readonly string[] = [], env?: LaunchOptions['env']): Promise<Browser> {
  return chromium.launch({
    ...CHROMIUM,
    args: [...CHROMIUM.args, ...extraArguments],
    ...(env === undefined ? {} : { env }),
  });
}

/** Starts the browser that page tests use. */
export function startHeadlessChromium(
  extraArguments: readonly string[] = [],
  env?: LaunchOptions['env'],
): Promise<Browser> {
  return chromium.launch({
    ...CHROMIUM,
    executablePath: HEADLESS_EXECUTABLE,
    args: [...CHROMIUM.args, ...extraArguments],
    ...(env === undefined ? {} : { env }),
  });
}
