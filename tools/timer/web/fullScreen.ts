import { useMediaQuery } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';

/** Below this the window shows the timer and nothing else. */
const LOW = '(max-height: 319px)';

const isFull = (): boolean => document.fullscreenElement !== null;

const subscribe = (tell: () => void): (() => void) => {
  document.addEventListener('fullscreenchange', tell);
  return () => document.removeEventListener('fullscreenchange', tell);
};

export const fullScreen = {
  /** Phones of Apple have none. */
  isThere: (): boolean => document.fullscreenEnabled,
  toggle: (): Promise<void> => (isFull() ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
};

/** Whether nothing of the site stands round the timer: in a low window, and over the full screen. */
export const useAlone = (): boolean => {
  const isLow = useMediaQuery(LOW, undefined, { getInitialValueInEffect: false }) ?? false;
  return useSyncExternalStore(subscribe, isFull) || isLow;
};
