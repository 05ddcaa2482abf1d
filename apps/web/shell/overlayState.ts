import { useSyncExternalStore } from 'react';

/** What may lie over any page; one at a time. */
export type OverlayName = 'palette' | 'shortcuts' | 'more';

let shown: OverlayName | undefined;
const listeners = new Set<() => void>();
const change = (next: OverlayName | undefined): void => {
  shown = next;
  for (const tell of listeners) tell();
};

export const overlayStore = {
  show: (next: OverlayName): void => change(next),
  close: (): void => change(undefined),
};

export function useOverlay(): OverlayName | undefined {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => shown,
  );
}
