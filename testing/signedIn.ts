import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { OpenBrowser, OpenOptions } from './browser.ts';
import type { TestAccount, TestServer } from './server.ts';

/** A page that is signed in by the stored token, as after 'Stay logged in'. */
export const openSignedIn = async (
  { browser, server }: { readonly browser: OpenBrowser; readonly server: TestServer },
  account: TestAccount,
  path: string,
  options: OpenOptions = {},
): Promise<Page> => {
  const page = await browser.open(server.origin, '/dashboard/about', options);
  await page.context().addCookies([{ name: 'usertoken', value: account.token, url: new URL('/', page.url()).href }]);
  await page.goto(path);
  return page;
};

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe-core finds on the page as it stands (look.md section 7): empty where all is well. */
export const axeFindings = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(async () => {
    const { axe: run } = window as unknown as { axe: { run: (node: Node, how: unknown) => Promise<AxeResults> } };
    return run.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
};
