import { useSyncExternalStore, type ReactNode } from 'react';

let shown: ReactNode;
const listeners = new Set<() => void>();

/**
 * What stands under every page of the shell while there is something to show, such as a player. A tool puts it there from a part of its own that
 * is loaded by then, so that the first load of the site has nothing of it; what it shows lives outside React and goes on over bare pages.
 */
export const bottomBar = {
  /** null takes it away. */
  show: (next: ReactNode): void => {
    if (next === shown) return;
    shown = next;
    for (const tell of listeners) tell();
  },
};

export function useBottomBar(): ReactNode {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => shown,
  );
}
