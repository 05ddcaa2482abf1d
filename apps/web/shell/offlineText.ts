import type { Page } from '#platform/contract/page.ts';

/** Returns the text of the status strip while the server can't be reached. It promises only what the page does. */
export function getOfflineText(page: Pick<Page, 'keepsChanges' | 'isLocal' | 'offlineText'>): string {
  if (page.offlineText !== undefined) return page.offlineText;
  if (page.keepsChanges === true) return 'Offline. Changes are kept here and sent when the line is back.';
  if (page.isLocal === true) return 'Offline. The server cannot be reached, but this page works without it.';
  return 'Offline. The server cannot be reached: what you change now may not be saved.';
}
