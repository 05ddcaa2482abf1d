import { createStore, useStore } from '#platform/web/store.ts';

/** Overlays that can open over any page, one at a time. */
export type OverlayName = 'palette' | 'shortcuts' | 'more';

const shownOverlay = createStore<OverlayName | undefined>(undefined);

export const overlayStore = {
  show: (next: OverlayName): void => shownOverlay.set(next),
  close: (): void => shownOverlay.set(undefined),
};

export function useOverlay(): OverlayName | undefined {
  return useStore(shownOverlay);
}
