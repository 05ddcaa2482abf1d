import type { ReactNode } from 'react';
import type { Page } from '#platform/contract/page.ts';
import { FrameContext } from '#platform/web/frame.ts';
import { useArrival } from './arrival.ts';

/** Round pages that have only the mark and their own controls. */
export function BareFrame({ page, children }: { readonly page: Page; readonly children: ReactNode }) {
  useArrival(page);
  return <FrameContext value={{ page, header: null }}>{children}</FrameContext>;
}
