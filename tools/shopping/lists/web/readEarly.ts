import { offlineStorage } from '#platform/web/app/offline.ts';
import { session } from '#platform/web/app/session.ts';
import { plannerPage } from '../../page.ts';
import { listsOf } from '../../sync/web/currentLists.ts';
import { shownLast } from './menu/usePlannerLocation.ts';

/** The page is drawn without its list where the browser takes longer to read it. */
const LIST_TIMEOUT_MS = 150;

/**
 * Reads what this browser keeps of the list that the page opens with while the page itself is still on its way: drawn without it, a list
 * comes 100 ms later. Only where the planner is the page that is opened, not where a link to it is only pointed at.
 */
export async function readEarly(): Promise<void> {
  const account = session.getCurrent() && offlineStorage.getAccount();
  if (location.pathname !== plannerPage.path || account === undefined) return;
  const name = new URLSearchParams(location.search).get('list') ?? shownLast.get() ?? undefined;
  await Promise.race([
    listsOf(account).ready(name),
    new Promise<void>((then) => {
      setTimeout(then, LIST_TIMEOUT_MS);
    }),
  ]);
}
