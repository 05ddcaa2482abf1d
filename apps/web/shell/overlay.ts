import { useSyncExternalStore } from 'react';

/** What may lie over any page; one at a time. */
export type Overlay = 'palette' | 'shortcuts' | 'more';

let shown: Overlay | undefined;
const listeners = new Set<() => void>();
const change = (next: Overlay | undefined): void => {
  shown = next;
  for (const tell of listeners) tell();
};

export const overlay = {
  show: (next: Overlay): void => change(next),
  close: (): void => change(undefined),
};

export const useOverlay = (): Overlay | undefined =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => shown,
  );
