import { useSyncExternalStore } from 'react';

const MARK = 'pegboard.reloaded';
const MIN_RELOAD_INTERVAL_MS = 60_000;

const reloadedJustNow = (): boolean => Date.now() - Number(sessionStorage.getItem(MARK) ?? 0) < MIN_RELOAD_INTERVAL_MS;

/** Whether the server gives the page at all: without it a reload would lose what still stands. */
const isServerReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

let loading = 0;
const listeners = new Set<() => void>();
const count = (by: 1 | -1): void => {
  loading += by;
  for (const tell of listeners) tell();
};

/** Whether a part of the site that is to be shown is on its way. */
export function useIsLoading(): boolean {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => loading > 0,
  );
}

/** Loads a part of the site. One that is gone after an upgrade reloads the page, once by itself; then the error is shown. */
export async function loadOrReload<Part>(load: () => Promise<Part>): Promise<Part> {
  count(1);
  try {
    return await load();
  } catch (error) {
    if (reloadedJustNow() || !(await isServerReachable())) throw error;
    sessionStorage.setItem(MARK, String(Date.now()));
    location.reload();
    return await new Promise<Part>(() => undefined);
  } finally {
    count(-1);
  }
}
