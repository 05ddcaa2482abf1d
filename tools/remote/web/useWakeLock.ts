import { useEffect } from 'react';

/** Keeps the screen on while `wanted`, where the browser can (secure contexts only); silently not elsewhere, the mouse works without. */
export const useWakeLock = (wanted: boolean): void => {
  useEffect(() => {
    if (!wanted || !('wakeLock' in navigator)) return undefined;
    let over = false;
    let lock: WakeLockSentinel | undefined;
    const take = (): void => {
      if (document.visibilityState !== 'visible') return;
      navigator.wakeLock.request('screen').then(
        (taken) => {
          lock = taken;
          if (over) void taken.release();
        },
        () => undefined, // A low battery refuses it.
      );
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
};
