import { useEffect, useState } from 'react';
import { isSecureContext } from '../browser/secureContext.ts';

const WORKER = '/service-worker.js';

/**
 * Whether this page opens with no line: `insecure`, it came over plain http, where browsers keep no page; `unsupported`, this browser keeps none;
 * `preparing`; `ready`.
 */
export type OfflineState = 'insecure' | 'unsupported' | 'preparing' | 'ready';

const start = (): OfflineState => {
  if (!isSecureContext()) return 'insecure';
  return 'serviceWorker' in navigator ? 'preparing' : 'unsupported';
};

/** Has the service worker keep the site. Gives whether it has it. */
const cacheSite = async (): Promise<boolean> => {
  await navigator.serviceWorker.register(WORKER);
  const { active } = await navigator.serviceWorker.ready;
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', ({ data }: MessageEvent<{ readonly isKept: boolean }>) => {
      port1.close();
      done(data.isKept);
    });
    port1.start();
    active?.postMessage({ kind: 'keep' }, [port2]);
  });
};

let caching: Promise<boolean> | undefined;

/** For a page that works with no line: the site is kept while it is shown, so that it opens again. Such pages stand in apps/web/offlineFiles.ts. */
export function useOfflineState(): OfflineState {
  const [state, setState] = useState(start);
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
