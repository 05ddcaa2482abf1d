import { useEffect } from 'react';

/** Keeps the screen on while `wanted`, where the browser can (secure contexts only); silently not elsewhere, everything works without. */
export function useWakeLock(wanted: boolean): void {
  useEffect(() => {
    if (!wanted || !('wakeLock' in navigator)) return undefined;
    let over = false;
    let lock: WakeLockSentinel | undefined;
    const keep = async (request: Promise<WakeLockSentinel | undefined>): Promise<void> => {
      lock = await request;
      if (over) await lock?.release();
    };
    const take = (): void => {
      if (document.visibilityState !== 'visible') return;
      // A low battery refuses it.
      const request = navigator.wakeLock.request('screen').catch(() => undefined);
      void keep(request);
    };
    take();
    // The browser lets it go with every change of tab.
    document.addEventListener('visibilitychange', take);
    return () => {
      over = true;
      document.removeEventListener('visibilitychange', take);
      void lock?.release();
    };
  }, [wanted]);
}
