import { useSyncExternalStore } from 'react';
import { showError } from '#platform/web/app/failure.ts';

const subscribe = (tell: () => void): (() => void) => {
  document.addEventListener('fullscreenchange', tell);
  return () => document.removeEventListener('fullscreenchange', tell);
};
const isFullNow = (): boolean => document.fullscreenElement !== null;

/** The whole screen for this page; an iPhone gives it to none. */
export const useFullScreen = () => {
  const isFull = useSyncExternalStore(subscribe, isFullNow);
  return {
    isAble: document.fullscreenEnabled,
    isFull,
    toggle: (): void => {
      const asked = isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen();
      asked.catch(showError);
    },
  };
};
