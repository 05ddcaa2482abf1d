import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { session } from '#platform/web/app/session.ts';
import { getPagePath } from '#platform/web/browser/siteAddress.ts';
import { plannerPage } from '../../page.ts';
import { getLists } from '../../sync/web/currentLists.ts';
import { lastOpenedList } from './menu/usePlannerLocation.ts';

/** Time after which the page is rendered without its list. */
const LIST_TIMEOUT_MS = 150;

/**
 * Reads the stored list while the page is still loading: otherwise the list appears 100 ms after the page.
 * Does nothing if a link to the planner is only prefetched.
 */
export async function preloadList(): Promise<void> {
  const account = session.getCurrent() && offlineStorage.getAccount();
  if (getPagePath() !== plannerPage.path || account === undefined) return;
  const name = new URLSearchParams(location.search).get('list') ?? lastOpenedList.get() ?? undefined;
  await Promise.race([
    getLists(account).load(name),
    new Promise<void>((resolve) => {
      setTimeout(resolve, LIST_TIMEOUT_MS);
    }),
  ]);
}
