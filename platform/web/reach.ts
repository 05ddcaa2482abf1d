import { useSyncExternalStore } from 'react';

/** A call that failed alone is asked about with less hurry than a server that is known to be away. */
const FIRST_PROBE_MS = 3000;
const PROBE_MS = 1000;
/** A probe that gets lost on its way would hang for minutes. */
const PROBE_TIMEOUT_MS = 5000;
const listeners = new Set<() => void>();
let reached = true;
let hasProbeFailed = false;
let probe: ReturnType<typeof setTimeout> | undefined;
let lastProbe = 0;

const set = (next: boolean): void => {
  if (!next && probe === undefined) probe = setTimeout(ask, hasProbeFailed ? PROBE_MS : FIRST_PROBE_MS);
  if (next === reached) return;
  reached = next;
  if (reached) hasProbeFailed = false;
  for (const tell of listeners) tell();
};

const ask = (): void => {
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
window.addEventListener('offline', ask);
window.addEventListener('online', ask);

/** Whether the server answered last time; asked again, soon every second, while it does not. */
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
