import { useEffect } from 'react';

/**
 * Keeps the screen on while `isEnabled`. Does nothing if the browser does not support it or the context is insecure.
 */
export function useWakeLock(isEnabled: boolean): void {
  useEffect(() => {
    if (!isEnabled || !('wakeLock' in navigator)) return undefined;
    let isStopped = false;
    let lock: WakeLockSentinel | undefined;
    async function storeLock(request: Promise<WakeLockSentinel | undefined>): Promise<void> {
      lock = await request;
      if (isStopped) await lock?.release();
    }
    function requestLock(): void {
      if (document.visibilityState !== 'visible') return;
      // The request fails if the battery is low.
      const request = navigator.wakeLock.request('screen').catch(() => undefined);
      void storeLock(request);
    }
    requestLock();
    // The browser releases the lock whenever the tab is hidden.
    document.addEventListener('visibilitychange', requestLock);
    return () => {
      isStopped = true;
      document.removeEventListener('visibilitychange', requestLock);
      void lock?.release();
    };
  }, [isEnabled]);
}
