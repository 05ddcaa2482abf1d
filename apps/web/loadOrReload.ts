import { MINUTE_MS } from '#platform/contract/duration.ts';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { createStore, useStore } from '#platform/web/store.ts';

const RELOADED_AT_KEY = 'pegboard.reloaded';
const MIN_RELOAD_INTERVAL_MS = MINUTE_MS;

const hasJustReloaded = (): boolean =>
  Date.now() - Number(sessionStorage.getItem(RELOADED_AT_KEY) ?? 0) < MIN_RELOAD_INTERVAL_MS;

/** Returns whether the server can be reached. If not, a reload would lose the page. */
const isServerReachable = (): Promise<boolean> =>
  fetch(toSitePath('/healthz'), { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

const loadingCount = createStore(0);

/** Returns whether a part of the site is being loaded. */
export function useIsLoading(): boolean {
  return useStore(loadingCount) > 0;
}

/** Loads a part of the site. If that fails, as after an upgrade, the page is reloaded automatically, but only once. */
export async function loadOrReload<Part>(load: () => Promise<Part>): Promise<Part> {
  loadingCount.set(loadingCount.get() + 1);
  try {
    return await load();
  } catch (error) {
    if (hasJustReloaded() || !(await isServerReachable())) throw error;
    sessionStorage.setItem(RELOADED_AT_KEY, String(Date.now()));
    location.reload();
    return await new Promise<Part>(() => undefined);
  } finally {
    loadingCount.set(loadingCount.get() - 1);
  }
}
