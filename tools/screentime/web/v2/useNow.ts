import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;
const two = (value: number): string => String(value).padStart(2, '0');

/** The browser's day, ISO. */
const today = (): string => {
  const now = new Date();
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
};

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
