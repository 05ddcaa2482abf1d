import { useSyncExternalStore } from 'react';

const PROBE_MS = 3000;
const listeners = new Set<() => void>();
let reached = true;
let probe: ReturnType<typeof setTimeout> | undefined;

const set = (next: boolean): void => {
  if (!next && probe === undefined) probe = setTimeout(ask, PROBE_MS);
  if (next === reached) return;
  reached = next;
  for (const tell of listeners) tell();
};

const ask = (): void => {
  probe = undefined;
  void fetch('/healthz', { cache: 'no-store' }).then(
    () => set(true),
    () => set(false),
  );
};

// A computer without any network still reaches a server of its own, so the browser's word is only a reason to ask.
window.addEventListener('offline', ask);
window.addEventListener('online', ask);

/** Whether the server answered last time; asked again every 3 s while it does not. */
export const reach = {
  current: (): boolean => reached,
  /** Calls tell what they met. */
  set,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};

export const useReach = (): boolean => useSyncExternalStore(reach.subscribe, reach.current);
