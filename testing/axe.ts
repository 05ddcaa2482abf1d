import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { settle } from './browser.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What axe-core finds wrong on the page as it stands (WCAG 2.0 to 2.2, A and AA), one line for each element. */
export const findBarriers = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(source);
  const results = await page.evaluate(
    async (tags): Promise<AxeResults> =>
      (window as unknown as { axe: { run: (where: Document, how: object) => Promise<AxeResults> } }).axe.run(document, {
        runOnly: tags,
      }),
    RULES,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.replaceAll(/\s+/g, ' ') ?? ''}`),
  );
};

/** The same in the dark scheme and in the light one, turned while the page stands as it is. */
export const findBarriersInBoth = async (page: Page): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await settle(page);
    found.push(...(await findBarriers(page)).map((each) => `${colorScheme}: ${each}`));
  }
  return found;
};
