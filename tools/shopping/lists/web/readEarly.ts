import { offlineStorage } from '#platform/web/app/offline.ts';
import { session } from '#platform/web/app/session.ts';
import { plannerPage } from '../../page.ts';
import { getLists } from '../../sync/web/currentLists.ts';
import { shownLast } from './menu/usePlannerLocation.ts';

/** If reading takes longer, the page is rendered without its list. */
const LIST_TIMEOUT_MS = 150;

/**
 * Reads the stored list while the page is still loading; without this, the list appears 100 ms after the page.
 * Only if the planner is being opened, not if a link to it is prefetched.
 */
export async function readEarly(): Promise<void> {
  const account = session.getCurrent() && offlineStorage.getAccount();
  if (location.pathname !== plannerPage.path || account === undefined) return;
  const name = new URLSearchParams(location.search).get('list') ?? shownLast.get() ?? undefined;
  await Promise.race([
    getLists(account).ready(name),
    new Promise<void>((then) => {
      setTimeout(then, LIST_TIMEOUT_MS);
    }),
  ]);
}
