import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { waitForIdle } from './browser.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The only rules whose result can depend on the scheme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** Rules about what is visible. They check each text and target, which is two thirds of axe's work. */
const VISUAL = [...COLOURS, 'target-size'];
const MODAL = '[aria-modal="true"]';

/** The part of axe that is used here. */
interface Axe {
  readonly configure: (options: object) => void;
  readonly reset: () => void;
  readonly run: (root: Document, options: object) => Promise<AxeResults>;
}

async function findViolations(page: Page, runOnly: readonly string[]): Promise<readonly string[]> {
  // Loaded once per page, as it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const results = await page.evaluate(
    async ({ only, visual, modal }): Promise<AxeResults> => {
      const { axe } = window as unknown as { readonly axe: Axe };
      axe.reset();
      // Content behind a modal dialog can't be read or pressed; it is checked while no dialog is open.
      if (document.querySelector(modal) !== null)
        axe.configure({ rules: visual.map((id) => ({ id, selector: `${modal} *` })) });
      return axe.run(document, { runOnly: only, resultTypes: ['violations'] });
    },
    { only: runOnly, visual: VISUAL, modal: MODAL },
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.replaceAll(/\s+/g, ' ') ?? ''}`),
  );
}

/**
 * Returns the accessibility violations that axe-core finds on the page
 * (WCAG 2.0 to 2.2, A and AA), one line per element.
 */
export function findBarriers(page: Page): Promise<readonly string[]> {
  return findViolations(page, LEVELS);
}

/** Returns the violations in the dark scheme, and the colour violations in the light one, without a reload. */
export async function findBarriersInBoth(page: Page): Promise<readonly string[]> {
  async function findInScheme(colorScheme: 'dark' | 'light', runOnly: readonly string[]): Promise<readonly string[]> {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await waitForIdle(page);
    return (await findViolations(page, runOnly)).map((violation) => `${colorScheme}: ${violation}`);
  }
  return [...(await findInScheme('dark', LEVELS)), ...(await findInScheme('light', COLOURS))];
}
