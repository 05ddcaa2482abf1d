import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { waitForIdle } from './browser.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The rules that look at colours: all that can differ where only the scheme does. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** Two thirds of axe's work, on each text and each target. */
const VISUAL = [...COLOURS, 'target-size'];
const MODAL = '[aria-modal="true"]';

/** The part of axe that is used here. */
interface Axe {
  readonly configure: (how: object) => void;
  readonly reset: () => void;
  readonly run: (where: Document, how: object) => Promise<AxeResults>;
}

const find = async (page: Page, runOnly: readonly string[]): Promise<readonly string[]> => {
  // Half a megabyte, which a page that stands reads once.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const results = await page.evaluate(
    async ({ only, visual, modal }): Promise<AxeResults> => {
      const { axe } = window as unknown as { readonly axe: Axe };
      axe.reset();
      // What a modal dialog covers can be neither read nor pressed: it is looked at where no dialog is open.
      if (document.querySelector(modal) !== null)
        axe.configure({ rules: visual.map((id) => ({ id, selector: `${modal} *` })) });
      return axe.run(document, { runOnly: only, resultTypes: ['violations'] });
    },
    { only: runOnly, visual: VISUAL, modal: MODAL },
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.replaceAll(/\s+/g, ' ') ?? ''}`),
  );
};

/** What axe-core finds wrong on the page as it stands (WCAG 2.0 to 2.2, A and AA), one line for each element. */
export function findBarriers(page: Page): Promise<readonly string[]> {
  return find(page, LEVELS);
}

/** The same in the dark scheme, and in the light one what its colours make of it, turned while the page stands as it is. */
export async function findBarriersInBoth(page: Page): Promise<readonly string[]> {
  const inScheme = async (colorScheme: 'dark' | 'light', runOnly: readonly string[]): Promise<readonly string[]> => {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await waitForIdle(page);
    return (await find(page, runOnly)).map((each) => `${colorScheme}: ${each}`);
  };
  return [...(await inScheme('dark', LEVELS)), ...(await inScheme('light', COLOURS))];
}
