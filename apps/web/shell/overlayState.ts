import { useSyncExternalStore } from 'react';

/** Overlays that can open over any page, one at a time. */
export type OverlayName = 'palette' | 'shortcuts' | 'more';

let shown: OverlayName | undefined;
const listeners = new Set<() => void>();
const change = (next: OverlayName | undefined): void => {
  shown = next;
  for (const listener of listeners) listener();
};

export const overlayStore = {
  show: (next: OverlayName): void => change(next),
  close: (): void => change(undefined),
};

export function useOverlay(): OverlayName | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}
