import { lazy, type ComponentType, type LazyExoticComponent, useEffect, useState } from 'react';
import { notices } from './notices.ts';
import { reachability } from './reachability.ts';

const LOADING_DELAY_MS = 150;

/** Returns true once `isWaiting` has lasted 150 ms. Shorter waits show nothing: docs/design/appearance.md section 5. */
export function useDelayed(isWaiting: boolean): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setIsLate(true), LOADING_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setIsLate(false);
    };
  }, [isWaiting]);
  return isLate;
}

const MAX_ATTEMPTS = 3;

async function waitUntilReachable(): Promise<void> {
  // Start probing the server, even if no other call has failed yet.
  reachability.set(false);
  await new Promise<void>((resolve) => {
    const stop = reachability.subscribe(() => {
      if (!reachability.isReachable()) return;
      stop();
      resolve();
    });
  });
}

/** Offers a reload, which is needed after an upgrade, because it replaces the files of the site. */
function offerReload(error: unknown): Promise<never> {
  reportError(error);
  const message = 'Part of this page could not be loaded. Reload the page to try again';
  notices.add('bad', message, undefined, { label: 'Reload', run: () => location.reload() });
  return new Promise(() => undefined);
}

/**
 * Creates a lazy part: a component that is loaded when it is first rendered, within a `Suspense`. If loading fails, the
 * page keeps its state, and the part is loaded once the server can be reached.
 */
export function lazyPart<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => {
    for (let attempt = 1; ; attempt += 1)
      try {
        return { default: await load() };
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) return offerReload(error);
        const noticeId = notices.addOnce(
          'bad',
          'Part of this page could not be loaded. It will load when the server can be reached',
        );
        await waitUntilReachable();
        // Either loading succeeds now, or the next notice replaces this one.
        notices.dismiss(noticeId);
      }
  });
}
