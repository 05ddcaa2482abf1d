import type { ReactNode } from 'react';
import { createStore, useStore } from '../store.ts';

const shown = createStore<ReactNode>(undefined);

/**
 * Content below every page of the shell, such as a player. Tools set it from code that is already loaded, so it adds
 * nothing to the first load. Its state is outside React and survives pages without the shell.
 */
export const bottomBar = {
  /** Hides the bar if `next` is null. */
  show: (next: ReactNode): void => {
    if (next !== shown.get()) shown.set(next);
  },
};

export function useBottomBar(): ReactNode {
  return useStore(shown);
}
