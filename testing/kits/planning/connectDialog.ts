import type { Locator, Page } from 'playwright-core';
import { waitForDialogFocus, type OpenPageOptions } from '../browser/browser.ts';
import { reusePage } from '../browser/reusePage.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

const NAME = 'Phones and other calendars';

/** Opens the dialog for phones and other calendars like a user: by the menu, on a phone from the sheet of dates. */
export async function openConnectDialogOn(page: Page): Promise<Locator> {
  const isSmall = (page.viewportSize()?.width ?? 0) < 650;
  await page.getByRole('button', { name: isSmall ? 'Show dates' : 'More', exact: true }).click();
  await page.getByRole(isSmall ? 'button' : 'menuitem', { name: NAME }).click();
  const dialog = page.getByRole('dialog', { name: NAME });
  await dialog.getByRole('heading', { name: 'Import a file' }).waitFor();
  await waitForDialogFocus(dialog);
  return dialog;
}

export async function openConnectDialog(
  site: TestSite,
  account: TestAccount,
  options?: OpenPageOptions,
): Promise<{ readonly page: Page; readonly dialog: Locator }> {
  const page = await reusePage(site, account, '/calendar', options);
  return { page, dialog: await openConnectDialogOn(page) };
}
