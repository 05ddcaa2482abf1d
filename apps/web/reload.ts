import { useSyncExternalStore } from 'react';

const MARK = 'pegboard.reloaded';
const MIN_RELOAD_INTERVAL_MS = 60_000;

const hasJustReloaded = (): boolean => Date.now() - Number(sessionStorage.getItem(MARK) ?? 0) < MIN_RELOAD_INTERVAL_MS;

/** Returns whether the server can be reached. If not, a reload would lose the page. */
const isServerReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

let loadingCount = 0;
const listeners = new Set<() => void>();
const changeLoadingCount = (by: 1 | -1): void => {
  loadingCount += by;
  for (const listener of listeners) listener();
};

/** Returns whether a part of the site is being loaded. */
export function useIsLoading(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => loadingCount > 0,
  );
}

/** Loads a part of the site. If that fails, as after an upgrade, the page is reloaded automatically, but only once. */
export async function loadOrReload<Part>(load: () => Promise<Part>): Promise<Part> {
  changeLoadingCount(1);
  try {
    return await load();
  } catch (error) {
    if (hasJustReloaded() || !(await isServerReachable())) throw error;
    sessionStorage.setItem(MARK, String(Date.now()));
    location.reload();
    return await new Promise<Part>(() => undefined);
  } finally {
    changeLoadingCount(-1);
  }
}
