import { useSyncExternalStore } from 'react';
import { today } from '../../web/today.ts';

const MINUTE_MS = 60_000;

const onMinute = (tell: () => void): (() => void) => {
  const every = setInterval(tell, MINUTE_MS);
  // A computer that slept has late timers.
  document.addEventListener('visibilitychange', tell);
  return () => {
    clearInterval(every);
    document.removeEventListener('visibilitychange', tell);
  };
};

/** Turns at midnight, a minute late at most. */
export const useToday = (): string => useSyncExternalStore(onMinute, today);
