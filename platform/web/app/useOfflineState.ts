import { useEffect, useState } from 'react';
import { isSecureContext } from '../browser/secureContext.ts';
import { toSitePath } from '../browser/siteAddress.ts';

const WORKER = toSitePath('/service-worker.js');

/**
 * Whether this page opens offline: `insecure` over plain HTTP, where browsers store no pages; `unsupported` by this
 * browser; `preparing`; `ready`.
 */
export type OfflineState = 'insecure' | 'unsupported' | 'preparing' | 'ready';

function getInitialState(): OfflineState {
  if (!isSecureContext()) return 'insecure';
  return 'serviceWorker' in navigator ? 'preparing' : 'unsupported';
}

/** Makes the service worker cache the site. Returns whether that succeeded. */
async function cacheSite(): Promise<boolean> {
  await navigator.serviceWorker.register(WORKER);
  const { active } = await navigator.serviceWorker.ready;
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', ({ data }: MessageEvent<{ readonly isKept: boolean }>) => {
      port1.close();
      resolve(data.isKept);
    });
    port1.start();
    active?.postMessage({ kind: 'keep' }, [port2]);
  });
}

let caching: Promise<boolean> | undefined;

/**
 * Caches the site while a page is shown that works offline, so that it can open again. Such pages are listed in
 * apps/web/offlineFiles.ts.
 */
export function useOfflineState(): OfflineState {
  const [state, setState] = useState(getInitialState);
  useEffect(() => {
    if (state !== 'preparing') return;
    caching ??= cacheSite();
    caching.then(
      (isKept) => setState(isKept ? 'ready' : 'unsupported'),
      () => setState('unsupported'),
    );
  }, [state]);
  return state;
}
