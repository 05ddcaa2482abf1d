import { createStore, useStore } from '#platform/web/store.ts';

/** Overlays that can open over any page, one at a time. */
export type OverlayName = 'palette' | 'shortcuts' | 'more';

const shown = createStore<OverlayName | undefined>(undefined);

export const overlayStore = {
  show: (next: OverlayName): void => shown.set(next),
  close: (): void => shown.set(undefined),
};

export function useOverlay(): OverlayName | undefined {
  return useStore(shown);
}
