import { createContext, useContext } from 'react';
import type { Page } from '#platform/contract/page.ts';

/**
 * What the frame round a page gives it. The frame pads and scrolls the page; a page whose outermost element carries
 * `data-flush` gets the whole place, without padding, and scrolls inside itself.
 */
export interface Frame {
  readonly page: Page;
  /** The header's own place for the page; null until it is drawn, and in bare pages. */
  readonly header: HTMLElement | null;
}

export const FrameContext = createContext<Frame>({ page: { path: '/', title: '', needsLogin: false }, header: null });
export function useFrame(): Frame {
  return useContext(FrameContext);
}
