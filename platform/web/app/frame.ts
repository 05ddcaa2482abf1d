import { createContext, useContext, type ReactNode } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { createStore, useStore } from '../store.ts';

const bottomBarContent = createStore<ReactNode>(undefined);

/**
 * Content below every page of the shell, such as a player. Tools set it from code that is already loaded, so it adds
 * nothing to the first load. Its state is outside React and survives pages without the shell.
 */
export const bottomBar = {
  /** Hides the bar if `next` is null. */
  show: (next: ReactNode): void => {
    if (next !== bottomBarContent.get()) bottomBarContent.set(next);
  },
};

export function useBottomBar(): ReactNode {
  return useStore(bottomBarContent);
}

/**
 * Values that the frame provides to its page. The frame pads and scrolls the page, unless the outermost element of the
 * page has `data-flush`: it then fills the frame and scrolls itself.
 */
export interface Frame {
  readonly page: Page;
  /** Slot in the header for the page; null until it is rendered, and on bare pages. */
  readonly header: HTMLElement | null;
}

export const FrameContext = createContext<Frame>({ page: { path: '/', title: '', needsLogin: false }, header: null });
export function useFrame(): Frame {
  return useContext(FrameContext);
}
