import { lazy, type ComponentType, type LazyExoticComponent, useEffect, useState } from 'react';
import { notices } from './notices.ts';
import { reachability } from './reachability.ts';

const DELAY_MS = 150;

/** True once `isWaiting` has lasted for a moment: what comes at once needs no sign (look.md section 3). */
export function useDelayed(isWaiting: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const say = setTimeout(() => setLate(true), DELAY_MS);
    return () => {
      clearTimeout(say);
      setLate(false);
    };
  }, [isWaiting]);
  return late;
}

const MAX_ATTEMPTS = 3;

const waitUntilReachable = async (): Promise<void> => {
  // It is asked from now on, also where nothing else has met that it is away.
  reachability.set(false);
  await new Promise<void>((done) => {
    const stop = reachability.subscribe(() => {
      if (!reachability.isReachable()) return;
      stop();
      done();
    });
  });
};

/** As after an upgrade, which has other files. */
const offerReload = (error: unknown): Promise<never> => {
  reportError(error);
  const why = 'A part of this page could not be loaded. Reload the page to try again';
  notices.add('bad', why, undefined, { label: 'Reload', run: () => location.reload() });
  return new Promise(() => undefined);
};

/**
 * A part of a page that is loaded when it is first drawn, within a `Suspense`. Where the line breaks off before it is there, the page stands as it is,
 * with all that was typed into it, and the part comes once the server is reached again.
 */
export function lazyPart<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => {
    for (let tried = 1; ; tried += 1)
      try {
        return { default: await load() };
      } catch (error) {
        if (tried === MAX_ATTEMPTS) return offerReload(error);
        const told = notices.addOnce(
          'bad',
          'A part of this page could not be loaded. It comes once the server is reached',
        );
        await waitUntilReachable();
        // From here on it comes, or another word is said.
        notices.dismiss(told);
      }
  });
}
