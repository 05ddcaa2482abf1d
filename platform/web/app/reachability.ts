import { toSitePath } from '../browser/siteAddress.ts';
import { createStore, useStore } from '../store.ts';

/** The first probe waits longer, because a single failed call does not mean that the server is down. */
const FIRST_PROBE_DELAY_MS = 3000;
const PROBE_INTERVAL_MS = 1000;
/** A lost probe would otherwise wait for minutes. */
const PROBE_TIMEOUT_MS = 5000;
const isReachable = createStore(true);
let hasProbeFailed = false;
let probeTimer: ReturnType<typeof setTimeout> | undefined;
let lastProbeId = 0;
type ProbePath = '/healthz' | '/readyz';
let probePath: ProbePath = '/healthz';

function setReachable(next: boolean): void {
  if (!next && probeTimer === undefined)
    probeTimer = setTimeout(probeServer, hasProbeFailed ? PROBE_INTERVAL_MS : FIRST_PROBE_DELAY_MS);
  if (next === isReachable.get()) return;
  if (next) hasProbeFailed = false;
  isReachable.set(next);
}

function probeServer(): void {
  clearTimeout(probeTimer);
  probeTimer = undefined;
  const probeId = (lastProbeId += 1);
  function handleFailure(): void {
    // A newer probe continues from here; otherwise two failed ones would both continue.
    if (probeId !== lastProbeId) return;
    hasProbeFailed = true;
    setReachable(false);
  }
  void fetch(toSitePath(probePath), { cache: 'no-store', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    ({ ok }) => (ok ? setReachable(true) : handleFailure()),
    handleFailure,
  );
}

// A computer without internet may still reach a local server, so these events only trigger a probe.
window.addEventListener('offline', probeServer);
window.addEventListener('online', probeServer);

/** Whether the server answered last time. While it does not, it is probed every second. */
export const reachability = {
  isReachable: isReachable.get,
  /** Called with the outcome of every call. A server that answers without its database is probed at `/readyz`. */
  set: (next: boolean, path: ProbePath = '/healthz'): void => {
    probePath = path;
    setReachable(next);
  },
  subscribe: isReachable.subscribe,
};

export function useIsReachable(): boolean {
  return useStore(isReachable);
}
