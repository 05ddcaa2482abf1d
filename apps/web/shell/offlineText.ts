import type { Page } from '#platform/contract/page.ts';

/** Returns the text of the status strip while the server can't be reached. It promises only what the page does. */
export function getOfflineText(page: Pick<Page, 'keepsChanges' | 'isLocal' | 'offlineText'>): string {
  if (page.offlineText !== undefined) return page.offlineText;
  if (page.keepsChanges === true)
    return 'Offline. Changes are stored in this browser and sent when the connection is back';
  if (page.isLocal === true) return 'Offline. The server cannot be reached, but this page works without it';
  return 'Offline. The server cannot be reached, so your changes may not be saved';
}
