import { useSyncExternalStore, type ReactNode } from 'react';

let shown: ReactNode;
const listeners = new Set<() => void>();

/**
 * Content below every page of the shell, such as a player. Tools set it from code that is already loaded, so it adds
 * nothing to the first load. Its state is outside React and survives pages without the shell.
 */
export const bottomBar = {
  /** Hides the bar if `next` is null. */
  show: (next: ReactNode): void => {
    if (next === shown) return;
    shown = next;
    for (const listener of listeners) listener();
  },
};

export function useBottomBar(): ReactNode {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}
