import { createContext, useContext } from 'react';
import type { Page } from '#platform/contract/page.ts';

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
