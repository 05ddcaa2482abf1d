import { useSyncExternalStore } from 'react';

/** A call that failed alone is asked about with less hurry than a server that is known to be away. */
const FIRST_PROBE_DELAY_MS = 3000;
const PROBE_INTERVAL_MS = 1000;
/** A probe that gets lost on its way would hang for minutes. */
const PROBE_TIMEOUT_MS = 5000;
const listeners = new Set<() => void>();
let isReachable = true;
let hasProbeFailed = false;
let probe: ReturnType<typeof setTimeout> | undefined;
let lastProbe = 0;

const set = (next: boolean): void => {
  if (!next && probe === undefined)
    probe = setTimeout(probeServer, hasProbeFailed ? PROBE_INTERVAL_MS : FIRST_PROBE_DELAY_MS);
  if (next === isReachable) return;
  isReachable = next;
  if (isReachable) hasProbeFailed = false;
  for (const tell of listeners) tell();
};

const probeServer = (): void => {
  clearTimeout(probe);
  probe = undefined;
  const own = (lastProbe += 1);
  void fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    () => set(true),
    () => {
      // A newer one goes on from here: two that failed would each go on.
      if (own !== lastProbe) return;
      hasProbeFailed = true;
      set(false);
    },
  );
};

// A computer without any network still reaches a server of its own, so the browser's word is only a reason to ask.
window.addEventListener('offline', probeServer);
window.addEventListener('online', probeServer);

/** Whether the server answered last time; asked again, soon every second, while it does not. */
export const reachability = {
  isReachable: (): boolean => isReachable,
  /** Calls tell what they met. */
  set,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};

export function useIsReachable(): boolean {
  return useSyncExternalStore(reachability.subscribe, reachability.isReachable);
}
